// SPDX-License-Identifier: Apache-2.0
#include "transplt/compare/training_log.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "transplt/base/ascii.h"
#include "transplt/dump/byte_source.h"

namespace transplt {
namespace {

constexpr uint64_t kMaxLog = uint64_t{4} << 30;

bool IsWord(char c) { return IsAlphanumeric(c) || c == '_' || c == '-'; }

/// The number at `at`, which moves behind it; also nan and inf. Nothing if there is none.
std::optional<double> NumberAt(std::string_view line, size_t& at) {
  const char* const end = line.data() + line.size();
  const char* start = line.data() + at;
  if (start != end && *start == '+') ++start;
  double number = 0;
  const auto [next, error] = std::from_chars(start, end, number);
  // Too large or too small: strtod tells which, and rounds.
  if (error == std::errc::result_out_of_range) {
    number = std::strtod(std::string(start, next).c_str(), nullptr);
  }
  if (next == start || (error != std::errc() && error != std::errc::result_out_of_range)) {
    return std::nullopt;
  }
  if (next != end && IsLetter(*next)) {
    return std::nullopt;  // "12ms", "0x1f"
  }
  at = static_cast<size_t>(next - line.data());
  return number;
}

/// A name as it is compared: lower case, one blank for each run of other separators.
std::string NameOf(std::string_view words) {
  std::string name;
  for (const char c : words) {
    const char lower = c == '_' || c == '-' || c == '/' ? ' ' : ToLower(c);
    if (lower == ' ' && (name.empty() || name.back() == ' ')) continue;
    name.push_back(lower);
  }
  while (!name.empty() && name.back() == ' ') name.pop_back();
  return name;
}

bool HasWord(std::string_view name, std::string_view word) {
  for (size_t at = name.find(word); at != name.npos; at = name.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || name[at - 1] == ' ') && (end == name.size() || name[end] == ' ')) return true;
  }
  return false;
}

bool IsStep(std::string_view name) {
  return name == "step" || name == "global step" || name == "iteration" || name == "iter" ||
         name == "current iteration";
}

/// Losses and gradient norms; a loss scale is a setting, not a result.
bool IsWanted(std::string_view name) {
  if (name.find("scale") != name.npos) return false;
  if (name.ends_with("loss") || HasWord(name, "loss")) return true;
  return name.find("norm") != name.npos && name.find("grad") != name.npos;
}

struct Pair {
  std::string name;
  double value;
};

std::string_view WithoutEnd(std::string_view text) {
  const size_t last = text.find_last_not_of(" \t:='\"");
  return text.substr(0, last == text.npos ? 0 : last + 1);
}

/// "loss: " of "loss: tensor(", as Python prints a number of a library: a call behind ':' or '='.
std::string_view WithoutCall(std::string_view text) {
  std::string_view rest = text.substr(0, text.find_last_not_of("[ ") + 1);
  if (!rest.ends_with('(')) return text;
  rest.remove_suffix(1);
  const size_t called = rest.size();
  while (!rest.empty() && (IsWord(rest.back()) || rest.back() == '.')) rest.remove_suffix(1);
  const size_t last = rest.find_last_not_of(' ');
  const bool is_value =
      rest.size() < called && last != rest.npos && (rest[last] == ':' || rest[last] == '=');
  return is_value ? rest : text;
}

/// What stands before a number: the words up to the separator in front of them. "lm loss: 2.3",
/// "'loss': 2.3", "loss=2.3", "Loss 2.3 (2.4)", "iter 0: loss 10.9".
std::vector<Pair> PairsIn(std::string_view line) {
  std::vector<Pair> pairs;
  size_t words = 0;  // where the name that is being read starts
  for (size_t i = 0; i < line.size();) {
    const bool starts_number =
        (i == 0 || !IsWord(line[i - 1]) || line[i - 1] == '-') &&
        (std::isdigit(static_cast<unsigned char>(line[i])) != 0 || line[i] == '-' ||
         line[i] == '+' || line[i] == '.' || ToLower(line[i]) == 'n' || ToLower(line[i]) == 'i');
    size_t end = i;
    const std::optional<double> number = starts_number ? NumberAt(line, end) : std::nullopt;
    if (number) {
      std::string_view before = WithoutEnd(WithoutCall(line.substr(words, i - words)));
      const size_t cut = before.find_last_of("|,;:{}[]()='\"\t");
      if (cut != before.npos) before.remove_prefix(cut + 1);
      if (std::string name = NameOf(before); !name.empty()) pairs.push_back({name, *number});
      i = words = end;
    } else {
      ++i;
    }
  }
  return pairs;
}

class LogReader {
 public:
  void Line(std::string_view line) {
    ++log_.lines;
    if (log_.lines == 1 && ReadHeader(line)) return;
    if (!columns_.empty()) return CsvRow(line);
    Take(PairsIn(line));
  }

  TrainingLog Done() {
    for (auto& [name, series] : log_.series) {
      std::map<int64_t, int64_t> epochs;  // by step
      series.restarts =
          std::any_of(series.values.begin(), series.values.end(), [&epochs](const auto& value) {
            const LogStep& at = value.first;
            return epochs.try_emplace(at.step, at.epoch).first->second != at.epoch;
          });
    }
    return std::move(log_);
  }

 private:
  static std::vector<std::string_view> Fields(std::string_view line) {
    std::vector<std::string_view> fields;
    while (true) {
      const size_t comma = line.find(',');
      fields.push_back(line.substr(0, comma));
      if (comma == line.npos) return fields;
      line.remove_prefix(comma + 1);
    }
  }

  /// True if the line names the columns of a CSV file.
  bool ReadHeader(std::string_view line) {
    if (line.find(',') == line.npos || line.find_first_of("{[:=") != line.npos) return false;
    std::vector<std::string> names;
    bool has_wanted = false;
    for (const std::string_view field : Fields(line)) {
      size_t at = 0;
      if (NumberAt(field, at)) return false;
      names.push_back(NameOf(field));
      has_wanted = has_wanted || IsWanted(names.back());
    }
    if (has_wanted) columns_ = std::move(names);
    return has_wanted;
  }

  void CsvRow(std::string_view line) {
    std::vector<Pair> pairs;
    const std::vector<std::string_view> fields = Fields(line);
    for (size_t i = 0; i < fields.size() && i < columns_.size(); ++i) {
      const size_t blank = std::min(fields[i].find_first_not_of(' '), fields[i].size());
      size_t at = blank;
      if (const auto number = NumberAt(fields[i], at)) pairs.push_back({columns_[i], *number});
    }
    Take(pairs);
  }

  void Take(const std::vector<Pair>& pairs) {
    std::optional<int64_t> step;
    for (const Pair& pair : pairs) {
      if (std::abs(pair.value) >= 1e15 || !std::isfinite(pair.value)) continue;
      const auto whole = static_cast<int64_t>(std::floor(pair.value));
      if (!step && IsStep(pair.name) && pair.value == std::floor(pair.value)) step = whole;
      if (pair.name == "epoch") epoch_ = whole;  // holds until the next one
    }
    for (const Pair& pair : pairs) {
      if (IsWanted(pair.name)) Add(pair, step);
    }
  }

  void Add(const Pair& pair, std::optional<int64_t> step) {
    LogSeries& series = log_.series[pair.name];
    Progress& progress = progress_[pair.name];
    const int64_t at = step.value_or(series.values.empty() ? 0 : progress.last + 1);
    if (series.values.empty()) progress.first = at;
    // Steps that go back, but not to the start, are those of a run that was resumed.
    const bool begins_again = !series.values.empty() && at < progress.last && at <= progress.first;
    if (begins_again) ++progress.pass;
    progress.last = at;
    series.values[{epoch_.value_or(progress.pass), at}] = pair.value;
  }

  /// How far a name has got.
  struct Progress {
    int64_t first = 0;
    int64_t last = 0;
    int64_t pass = 0;
  };

  std::map<std::string, Progress> progress_;
  std::optional<int64_t> epoch_;
  TrainingLog log_;
  std::vector<std::string> columns_;
};

bool AreClose(double a, double b, const RunTolerance& tolerance) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return true;
  if (!std::isfinite(a) || !std::isfinite(b)) return false;
  return std::abs(a - b) <= std::max(tolerance.absolute, tolerance.relative * std::abs(b));
}

/// The values by step, as if all were of one epoch unless `by_epoch`.
std::map<LogStep, double> ValuesOf(const LogSeries& series, bool by_epoch) {
  if (by_epoch) return series.values;
  std::map<LogStep, double> values;
  for (const auto& [at, value] : series.values) values[{0, at.step}] = value;
  return values;
}

SeriesComparison CompareSeries(const std::string& name, const LogSeries& series_a,
                               const LogSeries& series_b, const RunTolerance& tolerance) {
  SeriesComparison result;
  result.name = name;
  result.by_epoch = series_a.restarts || series_b.restarts;
  const std::map<LogStep, double> a = ValuesOf(series_a, result.by_epoch);
  const std::map<LogStep, double> b = ValuesOf(series_b, result.by_epoch);
  uint64_t finite = 0;
  double sum = 0;
  for (const auto& [step, golden] : b) {
    const auto found = a.find(step);
    if (found == a.end()) {
      ++result.only_b;
      continue;
    }
    ++result.common;
    const double tested = found->second;
    if (!result.differs && !AreClose(tested, golden, tolerance)) {
      result.differs = true;
      result.first = step;
      result.first_a = tested;
      result.first_b = golden;
    }
    if (!std::isfinite(tested) || !std::isfinite(golden)) continue;
    const double distance = std::abs(tested - golden);
    const double relative =
        distance == 0 ? 0 : distance / std::max({std::abs(golden), tolerance.absolute, 1e-300});
    ++finite;
    sum += relative;
    if (relative > result.max_relative) {
      result.max_relative = relative;
      result.max_step = step;
    }
  }
  result.only_a = a.size() - result.common;
  result.mean_relative = finite == 0 ? 0 : sum / static_cast<double>(finite);
  return result;
}

}  // namespace

TrainingLog ParseTrainingLog(std::string_view text) {
  LogReader reader;
  while (!text.empty()) {
    // A progress bar draws over itself with carriage returns.
    const size_t end = text.find_first_of("\r\n");
    if (end != 0) reader.Line(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return reader.Done();
}

Result<TrainingLog> ReadTrainingLog(const std::string& path) {
  const Result<std::unique_ptr<ByteSource>> source = OpenFile(path);
  if (!source) return source.error();
  if ((*source)->size() > kMaxLog) {
    return Error{Error::Code::kBadInput, path, Say("is longer than 4 GiB", "超过 4 GiB")};
  }
  TrainingLog log = ParseTrainingLog((*source)->Text(0, (*source)->size()));
  log.path = path;
  if (log.series.empty()) {
    return Error{Error::Code::kBadInput, path,
                 Say("has no loss and no gradient norm in {} lines, such as \"step 10 loss: 2.3\"",
                     "共 {} 行，未找到 loss 或梯度范数，例如 \"step 10 loss: 2.3\"", log.lines)};
  }
  return log;
}

bool RunComparison::Agrees() const {
  return only_a.empty() && only_b.empty() &&
         std::none_of(series.begin(), series.end(), [](const SeriesComparison& one) {
           return one.differs || one.common == 0 || one.only_a + one.only_b > 0;
         });
}

RunComparison CompareRuns(const TrainingLog& a, const TrainingLog& b,
                          const RunTolerance& tolerance) {
  RunComparison result;
  for (const auto& [name, series] : a.series) {
    const auto found = b.series.find(name);
    if (found == b.series.end()) {
      result.only_a.push_back(name);
    } else {
      result.series.push_back(CompareSeries(name, series, found->second, tolerance));
    }
  }
  for (const auto& [name, series] : b.series) {
    if (!a.series.contains(name)) result.only_b.push_back(name);
  }
  return result;
}

}  // namespace transplt
