// SPDX-License-Identifier: Apache-2.0
#include "transplt/log_errors/log_scan.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>

#include "transplt/base/plain_text.h"
#include "transplt/log_errors/log_line.h"

namespace transplt {
namespace {

/// Errors with more lines between them are not of one failure.
constexpr uint64_t kFailureGap = 200;
/// A longer line is read in parts.
constexpr size_t kLongestLine = size_t{1} << 20;
/// So many different errors that no row knows are kept.
constexpr size_t kMostUnknown = 50;
constexpr size_t kShownBytes = 400;
constexpr size_t kMostRanks = 4096;

/// The same error has other numbers in it each time.
std::string WithoutNumbers(std::string_view line) {
  std::string text;
  for (const char c : line.substr(0, kShownBytes)) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit) text += c;
    if (is_digit && (text.empty() || text.back() != '#')) text += '#';
  }
  return text;
}

void Merge(FoundError& into, FoundError&& other) {
  if (into.times == 0) {
    into = std::move(other);
    return;
  }
  into.level = std::min(into.level, other.level);
  into.last_line = other.last_line;
  into.times += other.times;
  into.ranks.merge(other.ranks);
}

std::vector<FoundError> Sorted(std::map<std::string, FoundError>&& errors) {
  std::vector<FoundError> sorted;
  for (auto& [key, error] : errors) sorted.push_back(std::move(error));
  std::ranges::stable_sort(sorted, {}, [](const FoundError& error) {
    return std::tuple(error.level, error.first_line);
  });
  return sorted;
}

}  // namespace

LogScan::LogScan(std::string name) : table_(ErrorTable::BuiltIn()) {
  result_.name = std::move(name);
}

void LogScan::Add(std::string_view piece) {
  const size_t end = piece.rfind('\n');
  if (end == piece.npos) {
    rest_ += piece;
    if (rest_.size() > kLongestLine) ScanLines(std::exchange(rest_, {}));
    return;
  }
  std::string_view whole = piece.substr(0, end + 1);
  if (!rest_.empty()) {
    const size_t first = whole.find('\n') + 1;
    rest_ += whole.substr(0, first);
    ScanLines(std::exchange(rest_, {}));
    whole.remove_prefix(first);
  }
  ScanLines(whole);
  rest_ = piece.substr(end + 1);
}

void LogScan::CountLines(std::string_view text) {
  line_ += static_cast<uint64_t>(std::ranges::count(text, '\n'));
}

void LogScan::ScanLines(std::string_view text) {
  constexpr std::string_view kLineEnds = "\n\r";
  size_t done = 0;
  while (done < text.size()) {
    const size_t hit = table_.finder().FindEnd(text, done);
    if (hit == text.npos) break;
    const size_t before = text.find_last_of(kLineEnds, hit - 1);
    const size_t start = before == text.npos || before < done ? done : before + 1;
    const size_t end = std::min(text.find_first_of(kLineEnds, hit), text.size());
    CountLines(text.substr(done, start - done));
    ScanLine(text.substr(start, end - start));
    done = end;
  }
  CountLines(text.substr(done));
}

void LogScan::KeepActive() {
  if (last_active_ != 0 && line_ > last_active_ + kFailureGap) EndFailure();
  last_active_ = line_;
}

void LogScan::ScanLine(std::string_view line) {
  const std::vector<const KnownError*> found = table_.Find(line);
  for (const KnownError* known : found) {
    ErrorLevel level = known->level;
    if (level == ErrorLevel::kCause && table_.signs().MarkAsWarning(line))
      level = ErrorLevel::kWarned;
    Note(known, level, line);
  }
  if (!found.empty()) return;
  if (NamesException(line)) {
    Note(nullptr, ErrorLevel::kUnknown, line);
  } else if (table_.signs().MarkAsError(line)) {
    KeepActive();
    if (marked_.times == 0) {
      marked_.first_line = line_;
      marked_.text = OneLine(line.substr(0, kShownBytes));
    }
    marked_.last_line = line_;
    ++marked_.times;
  } else if (StartsTraceback(line)) {
    KeepActive();
  }
}

void LogScan::Note(const KnownError* known, ErrorLevel level, std::string_view line) {
  const bool is_harmless = level == ErrorLevel::kHarmless;
  if (!is_harmless) KeepActive();
  Errors& errors = is_harmless ? harmless_ : failure_;
  std::string key = known == nullptr ? "?" + WithoutNumbers(line) : known->id;
  if (known == nullptr && !errors.contains(key) && errors.size() > kMostUnknown) key = "?";
  FoundError error{known, level, line_, line_, 1, OneLine(line.substr(0, kShownBytes)), {}};
  if (const std::optional<uint32_t> rank = table_.signs().RankOf(line)) error.ranks.insert(*rank);
  FoundError& noted = errors[std::move(key)];
  if (noted.ranks.size() >= kMostRanks) error.ranks.clear();
  Merge(noted, std::move(error));
}

void LogScan::EndFailure() {
  if (failure_.empty() && marked_.times != 0) failure_["?"] = marked_;
  marked_ = {};
  for (auto& [key, error] : failure_) {
    if (earlier_.contains(key) || earlier_.size() < 4 * kMostUnknown) {
      Merge(earlier_[key], std::move(error));
    }
  }
  failure_.clear();
}

LogErrors LogScan::Finish() && {
  const bool ends_open = !rest_.empty();
  if (ends_open) ScanLines(std::exchange(rest_, {}));
  result_.lines = line_ - (ends_open ? 0 : 1);
  if (failure_.empty() && marked_.times != 0) failure_["?"] = marked_;
  result_.last = Sorted(std::move(failure_));
  result_.earlier = Sorted(std::move(earlier_));
  std::ranges::stable_sort(result_.earlier, std::greater<>(), &FoundError::last_line);
  result_.harmless = Sorted(std::move(harmless_));
  return std::move(result_);
}

}  // namespace transplt
