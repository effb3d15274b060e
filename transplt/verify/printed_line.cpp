// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/printed_line.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

#include "transplt/report/plain_text.h"
#include "transplt/verify/machine_words.h"

namespace transplt {
namespace {

constexpr std::string_view kDevice = "<device>";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool IsWordPart(char c) { return IsLetter(c) || IsDigit(c); }
bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

bool IsDeviceWord(std::string_view word) {
  return word == "cuda" || word == "npu" || word == "gpu" || word == "gpus" || word == "npus" ||
         word == "nvidia" || word == "ascend" || word == "nccl" || word == "hccl";
}

/// A word between blanks that names a file: digits in it are no results.
bool IsPath(std::string_view word) {
  while (!word.empty() && std::string_view("\"'([{<=:").find(word.front()) != word.npos) {
    if (word.starts_with("<project>")) return true;
    word.remove_prefix(1);
  }
  while (!word.empty() && std::string_view("\"')]}>,;:.").find(word.back()) != word.npos) {
    word.remove_suffix(1);
  }
  if (word.starts_with("/") || word.starts_with("./") || word.starts_with("../") ||
      word.starts_with("~/")) {
    return word.size() > 1 && std::any_of(word.begin(), word.end(), IsLetter);
  }
  if (word.find('/') == word.npos) return false;
  const size_t dot = word.rfind('.');
  return dot != word.npos && dot > word.rfind('/') && word.size() - dot <= 6 &&
         word.size() - dot > 1 && IsLetter(word[dot + 1]);
}

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
    result_.pattern += sign;
  }

  void Path() {
    const std::string_view path = UntilBlank();
    at_ += path.size();
    bool in_number = false;
    for (const char c : path) {
      if (!IsDigit(c) || !in_number) result_.pattern += IsDigit(c) ? '#' : c;
      in_number = IsDigit(c);
    }
  }

  size_t Digits(size_t from) const {
    size_t end = from;
    while (IsDigit(At(end))) ++end;
    return end - from;
  }

  /// `2024-01-31`, `12:30:59,123`, `00:07`.
  bool ReadDate() {
    if (!IsDigit(At(at_)) || (at_ > 0 && (IsWordPart(At(at_ - 1)) || At(at_ - 1) == '.'))) {
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
    if (At(end) == '.' && (IsDigit(At(end + 1)) || (whole && !IsLetter(At(end + 1))))) {
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
        at_ > 0 && (IsWordPart(At(at_ - 1)) || At(at_ - 1) == ')' || At(at_ - 1) == ']');
    if ((At(start) == '-' || At(start) == '+') && !behind_word) ++start;
    if (ReadNotFinite(start)) return true;
    if (!IsDigit(At(start)) && !(At(start) == '.' && IsDigit(At(start + 1)) && !behind_word)) {
      return false;
    }
    const size_t end = NumberEnd(start);
    if (end == start) return false;
    const bool is_version = At(end) == '.' && IsDigit(At(end + 1));
    size_t word_end = end;
    while (IsWordPart(At(word_end)) ||
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

  bool ReadNotFinite(size_t start) {
    if (start > 0 && start == at_ && IsWordPart(At(start - 1))) return false;
    size_t end = start;
    while (IsWordPart(At(end))) ++end;
    const std::string word = Lower(line_.substr(start, end - start));
    if (word != "nan" && word != "inf" && word != "infinity") return false;
    AddNumber(end, "");
    return true;
  }

  bool ReadAddress() {
    if (At(at_) != '0' || At(at_ + 1) != 'x') return false;
    size_t end = at_ + 2;
    while (std::isxdigit(static_cast<unsigned char>(At(end))) != 0) ++end;
    if (end == at_ + 2) return false;
    at_ = end;
    result_.pattern += "<address>";
    return true;
  }

  void AddNumber(size_t end, const std::string& unit) {
    PrintedNumber number;
    number.text = line_.substr(at_, end - at_);
    number.value = ValueOf(number.text);
    number.name = name_;
    number.is_compared = !in_machine_brackets_ && !IsMachineName(name_) && !HasUnit(end, unit);
    ends_with_machine_number_ = !number.is_compared;
    result_.numbers.push_back(std::move(number));
    result_.pattern += '#';
    at_ = end;
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
    while (IsWordPart(At(end)) || At(end) == '/') ++end;
    return Lower(line_.substr(from, end - from));
  }

  bool HasUnit(size_t end, const std::string& direct) const {
    if (!direct.empty() || At(end) == '/') {
      const std::string unit = UnitAt(end);
      return IsMachineUnit(direct) || IsRate(unit);
    }
    if (!IsBlank(At(end))) return false;
    size_t next = end;
    while (IsBlank(At(next))) ++next;
    const std::string unit = UnitAt(next);
    return IsSpacedMachineUnit(unit) || IsRate(unit);
  }

  bool ReadWord() {
    if (!IsLetter(line_[at_])) return false;
    size_t end = at_;
    while (IsWordPart(At(end))) ++end;
    std::string_view word = line_.substr(at_, end - at_);
    const std::string lower = Lower(word);
    if (IsDeviceWord(lower)) {
      result_.names_device = true;
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
        result_.names_device = true;
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
    const auto is_time = [](const PrintedNumber& n) { return n.name == "time"; };
    if (std::none_of(result_.numbers.begin(), result_.numbers.end(), is_time)) return;
    for (PrintedNumber& number : result_.numbers) {
      if (number.name == "data") number.is_compared = false;
    }
  }

  std::string_view line_;
  size_t at_ = 0;
  std::string name_;  // the last word
  bool ends_with_machine_number_ = false;
  bool in_machine_brackets_ = false;
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

/// What a terminal shows after the carriage returns of the line.
std::string_view LastState(std::string_view line) {
  while (line.ends_with('\r')) line.remove_suffix(1);
  const size_t back = line.rfind('\r');
  return back == line.npos ? line : line.substr(back + 1);
}

void ReplaceAll(std::string& text, std::string_view old_text, std::string_view new_text) {
  if (old_text.empty()) return;
  for (size_t at = text.find(old_text); at != text.npos; at = text.find(old_text, at)) {
    text.replace(at, old_text.size(), new_text);
    at += new_text.size();
  }
}

}  // namespace

bool PrintedLine::HasComparedNumber() const {
  return std::any_of(numbers.begin(), numbers.end(),
                     [](const PrintedNumber& number) { return number.is_compared; });
}

PrintedLine ReadPrintedLine(std::string_view line) { return Reader(line).Read(); }

std::vector<PrintedLine> ReadPrintedLines(std::string_view output, std::string_view folder) {
  std::string plain = WithoutEscapes(ValidUtf8(output));
  ReplaceAll(plain, folder, "<project>");
  std::vector<PrintedLine> lines;
  std::string_view rest = plain;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    PrintedLine read = ReadPrintedLine(LastState(line));
    if (!read.pattern.empty()) lines.push_back(std::move(read));
  }
  return lines;
}

std::string WithoutPlaces(std::string_view text, std::string_view folder) {
  std::string plain(text);
  ReplaceAll(plain, folder, "<project>");
  std::string result;
  for (size_t i = 0; i < plain.size();) {
    size_t end = i + 2;
    if (plain.compare(i, 2, "0x") == 0) {
      while (end < plain.size() && std::isxdigit(static_cast<unsigned char>(plain[end])) != 0)
        ++end;
    }
    if (end > i + 5) {
      result += "<address>";
      i = end;
    } else {
      result += plain[i++];
    }
  }
  return result;
}

}  // namespace transplt
