// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/printed_line.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "transplt/base/ascii.h"
#include "transplt/base/plain_text.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/verify/machine_words.h"
#include "transplt/verify/printed_places.h"

namespace transplt {
namespace {

constexpr std::string_view kDevice = "<device>";

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

bool IsDeviceWord(std::string_view word) { return Words("device-words").Has(word); }

class Reader {
 public:
  explicit Reader(std::string_view line) : line_(line) {}

  PrintedLine Read() {
    result_.text = line_;
    while (at_ < line_.size()) {
      if (IsBlank(line_[at_])) {
        Blank();
      } else if (AtWordStart() && IsPath(UntilBlank())) {
        Path();
      } else if (!ReadDate() && !ReadNumber() && !ReadWord()) {
        Sign();
      }
    }
    while (result_.pattern.ends_with(' ')) result_.pattern.pop_back();
    DropDataTimes();
    return std::move(result_);
  }

 private:
  char At(size_t i) const { return i < line_.size() ? line_[i] : '\0'; }
  bool AtWordStart() const { return at_ == 0 || IsBlank(line_[at_ - 1]); }

  std::string_view UntilBlank() const {
    size_t end = at_;
    while (end < line_.size() && !IsBlank(line_[end])) ++end;
    return line_.substr(at_, end - at_);
  }

  void Blank() {
    while (at_ < line_.size() && IsBlank(line_[at_])) ++at_;
    if (!result_.pattern.empty()) result_.pattern += ' ';
  }

  /// `step 0.12s (mean 0.10)`: what stands in brackets behind such a number is of its kind.
  void Sign() {
    const char sign = line_[at_++];
    if (sign == '(') in_machine_brackets_ = ends_with_machine_number_;
    if (sign == ')') in_machine_brackets_ = false;
    if (sign != '(') ends_with_machine_number_ = false;
    if (sign == '|') name_.clear();
    if (sign == '[') ++open_lists_;
    if (sign == ']' && open_lists_ > 0) --open_lists_;
    result_.pattern += sign;
  }

  /// A name is that of one number, and of what belongs to it: `0.5 (0.6)`, `5/10`, `[0.5, 0.6]`.
  void ForgetName() {
    size_t next = at_;
    while (IsBlank(At(next))) ++next;
    const char sign = At(next);
    if (sign != '(' && sign != '/' && (sign != ',' || open_lists_ == 0)) name_.clear();
  }

  void Path() {
    const std::string_view path = UntilBlank();
    at_ += path.size();
    result_.pattern += WithoutDeviceNames(path);
  }

  size_t Digits(size_t from) const {
    size_t end = from;
    while (IsDigit(At(end))) ++end;
    return end - from;
  }

  /// `2024-01-31`, `12:30:59,123`, `00:07`.
  bool ReadDate() {
    if (!IsDigit(At(at_)) || (at_ > 0 && (IsWordByte(At(at_ - 1)) || At(at_ - 1) == '.'))) {
      return false;
    }
    const size_t first = Digits(at_);
    size_t end = at_ + first;
    const char separator = At(end);
    if ((separator == '-' || separator == '/') && first == 4 && Digits(end + 1) == 2 &&
        At(end + 3) == separator && Digits(end + 4) == 2) {
      end += 6;
      if (At(end) == 'T' && IsDigit(At(end + 1))) ++end;
    } else if (separator == ':' && first <= 2 && Digits(end + 1) == 2 &&
               (first == 2 || (At(end + 3) == ':' && Digits(end + 4) == 2))) {
      end += 3;
      while (At(end) == ':' && Digits(end + 1) == 2) end += 3;
      if ((At(end) == '.' || At(end) == ',') && IsDigit(At(end + 1))) end += 1 + Digits(end + 1);
    } else {
      return false;
    }
    at_ = end;
    result_.pattern += "<time>";
    return true;
  }

  /// The end of the digits, the fraction and the exponent that begin at `from`; `from` if there
  /// are none.
  size_t NumberEnd(size_t from) const {
    size_t end = from + Digits(from);
    const bool whole = end > from;
    if (At(end) == '.' && (IsDigit(At(end + 1)) || (whole && !StartsWord(At(end + 1))))) {
      const size_t fraction = Digits(end + 1);
      // The point that ends a sentence is none of the number's.
      if (fraction > 0 || At(end + 1) == 'e') end += 1 + fraction;
    }
    if (end == from) return from;
    if (At(end) == 'e' || At(end) == 'E') {
      const size_t sign = At(end + 1) == '+' || At(end + 1) == '-' ? 1 : 0;
      const size_t digits = Digits(end + 1 + sign);
      if (digits > 0) end += 1 + sign + digits;
    }
    return end;
  }

  bool ReadNumber() {
    if (ReadAddress()) return true;
    size_t start = at_;
    const bool behind_word =
        at_ > 0 && (IsWordByte(At(at_ - 1)) || At(at_ - 1) == ')' || At(at_ - 1) == ']');
    if ((At(start) == '-' || At(start) == '+') && !behind_word) ++start;
    if (ReadNotFinite(start)) return true;
    if (!IsDigit(At(start)) && !(At(start) == '.' && IsDigit(At(start + 1)) && !behind_word)) {
      return false;
    }
    if (ReadDuration()) return true;
    const size_t end = NumberEnd(start);
    if (end == start) return false;
    const bool is_version = At(end) == '.' && IsDigit(At(end + 1));
    size_t word_end = end;
    while (IsWordByte(At(word_end)) ||
           (is_version && At(word_end) == '.' && IsDigit(At(word_end + 1)))) {
      ++word_end;
    }
    const std::string_view behind = line_.substr(end, word_end - end);
    const bool has_digits = std::any_of(behind.begin(), behind.end(), IsDigit);
    if (is_version || has_digits) {  // 1.13.1, 64x64, 3fa92b
      result_.pattern += line_.substr(at_, word_end - at_);
      at_ = word_end;
      return true;
    }
    AddNumber(end, Lower(behind));
    return true;
  }

  /// `1s24ms`: what is `900ms` in another run.
  bool ReadDuration() {
    size_t end = at_;
    std::string last;
    int parts = 0;
    for (; IsDigit(At(end)); ++parts) {
      const size_t number_end = NumberEnd(end);
      size_t unit_end = number_end;
      while (StartsWord(At(unit_end))) ++unit_end;
      std::string unit = Lower(line_.substr(number_end, unit_end - number_end));
      if (!IsPartOfDuration(unit) || unit == last) return false;
      last = std::move(unit);
      end = unit_end;
    }
    if (parts < 2 || IsWordByte(At(end)) || IsResultName(name_)) return false;
    DropPadding();
    AddTime(end);
    ForgetName();
    return true;
  }

  bool ReadNotFinite(size_t start) {
    if (start > 0 && start == at_ && IsWordByte(At(start - 1))) return false;
    size_t end = start;
    while (IsWordByte(At(end))) ++end;
    const std::string word = Lower(line_.substr(start, end - start));
    if (word != "nan" && word != "inf" && word != "infinity") return false;
    AddNumber(end, "");
    return true;
  }

  /// `0x7f12ab34cd56` is where an object lies; `0xbeef` is a text.
  bool ReadAddress() {
    const size_t uuid = at_ > 0 && IsWordByte(At(at_ - 1)) ? at_ : UuidEnd(line_, at_);
    const size_t end = uuid > at_ ? uuid : HexEnd(line_, at_);
    if (end == at_) return false;
    if (uuid == at_ && IsAddress(line_, at_, end)) {
      result_.pattern += "<address>";
    } else {
      result_.pattern += line_.substr(at_, end - at_);
    }
    at_ = end;
    return true;
  }

  /// `( 8.0)` in one run is `(21.5)` in another: the blank fills the width of the number.
  void DropPadding() {
    constexpr std::string_view kSigns = "([=:/|";
    std::string& pattern = result_.pattern;
    if (!pattern.ends_with(' ') || pattern.size() < 2) return;
    if (kSigns.find(pattern[pattern.size() - 2]) != kSigns.npos) pattern.pop_back();
  }

  void AddNumber(size_t end, const std::string& unit) {
    DropPadding();
    PrintedNumber number;
    number.text = line_.substr(at_, end - at_);
    number.value = ValueOf(number.text);
    number.name = name_;
    const size_t unit_end = MachineUnitEnd(end, unit);
    at_ = end;
    if (unit_end > end && !IsResultName(name_)) {
      // 900us in one run is 1.1ms in another.
      AddTime(unit_end);
    } else {
      number.is_compared = !in_machine_brackets_ && !IsMachineName(name_);
      ends_with_machine_number_ = !number.is_compared;
      has_time_ = has_time_ || name_ == "time";
      result_.numbers.push_back(std::move(number));
      result_.pattern += '#';
    }
    ForgetName();
  }

  void AddTime(size_t end) {
    at_ = end;
    ends_with_machine_number_ = true;
    has_time_ = has_time_ || name_ == "time";
    result_.pattern += "<time>";
  }

  static double ValueOf(std::string_view text) {
    const std::string word = Lower(text);
    if (word.find("nan") != word.npos) return std::numeric_limits<double>::quiet_NaN();
    if (word.find("inf") != word.npos) {
      const double infinity = std::numeric_limits<double>::infinity();
      return word.starts_with('-') ? -infinity : infinity;
    }
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }

  /// What follows, up to the blank, the comma or the bracket that ends it.
  std::string UnitAt(size_t from) const {
    size_t end = from;
    while (IsWordByte(At(end)) || At(end) == '/') ++end;
    return Lower(line_.substr(from, end - from));
  }

  /// Where the unit behind a number ends that is a time, a rate or a size of memory; `end` if none
  /// is there.
  size_t MachineUnitEnd(size_t end, const std::string& direct) const {
    if (!direct.empty() || At(end) == '/') {
      const std::string unit = UnitAt(end);
      if (IsRate(unit)) return end + unit.size();
      return IsMachineUnit(direct) ? end + direct.size() : end;
    }
    if (!IsBlank(At(end))) return end;
    size_t next = end;
    while (IsBlank(At(next))) ++next;
    const std::string unit = UnitAt(next);
    return IsSpacedMachineUnit(unit) || IsRate(unit) ? next + unit.size() : end;
  }

  bool ReadWord() {
    if (!StartsWord(line_[at_])) return false;
    size_t end = at_;
    while (IsWordByte(At(end))) ++end;
    std::string_view word = line_.substr(at_, end - at_);
    const std::string lower = Lower(word);
    ends_with_machine_number_ = false;
    if (!IsStatistic(lower)) in_machine_brackets_ = false;
    if (IsDeviceWord(lower)) {
      result_.pattern += kDevice;
      // The number of the device is part of its name.
      if (At(end) == ':' && IsDigit(At(end + 1))) {
        const size_t digits = Digits(end + 1);
        result_.pattern += line_.substr(end, 1 + digits);
        end += 1 + digits;
      }
    } else {
      AddWithDevices(word);
    }
    at_ = end;
    name_ = lower;
    // `ms/batch` is one name.
    const std::string both = UnitAt(end - word.size());
    if (At(end) == '/' && IsRate(both)) {
      name_ = both;
      at_ = end - word.size() + both.size();
      result_.pattern += line_.substr(end, at_ - end);
    }
    return true;
  }

  /// `use_cuda`, `torch_npu`: the part that names the device is that in both runs.
  void AddWithDevices(std::string_view word) {
    while (!word.empty()) {
      const std::string_view part = word.substr(0, word.find('_'));
      if (IsDeviceWord(Lower(part))) {
        result_.pattern += kDevice;
      } else {
        result_.pattern += part;
      }
      word.remove_prefix(part.size());
      if (!word.empty()) {
        result_.pattern += '_';
        word.remove_prefix(1);
      }
    }
  }

  /// `Time 0.1 (0.2) Data 0.0 (0.1)`: beside a time, "data" is how long it took to get there.
  void DropDataTimes() {
    if (!has_time_) return;
    for (PrintedNumber& number : result_.numbers) {
      if (number.name == "data") number.is_compared = false;
    }
  }

  std::string_view line_;
  size_t at_ = 0;
  std::string name_;  // the last word, if no number stood behind it
  bool ends_with_machine_number_ = false;
  bool in_machine_brackets_ = false;
  int open_lists_ = 0;
  bool has_time_ = false;  // a number is named "time"
  PrintedLine result_;
};

/// Without the sequences that colour a terminal or move its cursor.
std::string WithoutEscapes(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x1b') {
      plain += text[i];
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == '[') {
      i += 2;
      while (i < text.size() && (text[i] < '@' || text[i] > '~')) ++i;
    }
  }
  return plain;
}

/// What Python's `warnings` and torch's C++ print.
bool IsWarning(std::string_view line) {
  return line.find("Warning: ") != line.npos || line.starts_with("[W");
}

/// A line of tqdm, whose last state depends on the time.
bool IsProgressBar(std::string_view line) {
  const bool has_rate = line.find("it/s") != line.npos || line.find("s/it") != line.npos;
  return line.find("%|") != line.npos || (has_rate && line.find("it [") != line.npos);
}

/// What a terminal shows after the carriage returns of the line.
std::string_view LastState(std::string_view line) {
  while (line.ends_with('\r')) line.remove_suffix(1);
  const size_t back = line.rfind('\r');
  return back == line.npos ? line : line.substr(back + 1);
}

}  // namespace

bool PrintedLine::HasComparedNumber() const {
  return std::any_of(numbers.begin(), numbers.end(),
                     [](const PrintedNumber& number) { return number.is_compared; });
}

PrintedLine ReadPrintedLine(std::string_view line) { return Reader(line).Read(); }

std::vector<PrintedLine> ReadPrintedLines(std::string_view output, std::string_view folder) {
  const std::string plain = WithProject(WithoutEscapes(ValidUtf8(output)), folder);
  std::vector<PrintedLine> lines;
  std::string_view rest = plain;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    PrintedLine read = ReadPrintedLine(LastState(line));
    if (read.pattern.empty()) continue;
    const bool is_source = line.starts_with("  ") && !lines.empty() && IsWarning(lines.back().text);
    read.is_notice = is_source || IsWarning(read.text) || IsProgressBar(read.text);
    lines.push_back(std::move(read));
  }
  return lines;
}

}  // namespace transplt
