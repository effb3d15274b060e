// SPDX-License-Identifier: Apache-2.0
#include "transplt/log_errors/log_line.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include "transplt/base/text_parts.h"

namespace transplt {
namespace {

constexpr std::string_view kTraceback = "Traceback (most recent call last)";

bool IsOfName(char c) {
  return c == '_' || c == '.' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

/// True for what launchers and loggers put before a line: "", "[rank3]: ", "(pid=7) ", "3: ".
bool IsPrefix(std::string_view text) {
  if (text.empty()) return true;
  if (text.back() == ':') return text.size() > 1 && text[text.size() - 2] == '>';  // mpirun
  if (text.back() != ' ') return false;
  text.remove_suffix(1);
  if (text.empty() || text.front() == ' ') return false;
  const char last = text.back();
  if (last == ':') {
    const char before = text.size() > 1 ? text[text.size() - 2] : ' ';
    return before == ']' || before == ')' || std::isdigit(static_cast<unsigned char>(before)) != 0;
  }
  return last == ']' || last == ')' || last == '>' || last == '|';
}

bool HasAny(std::string_view line, const std::vector<std::string>& signs) {
  return std::ranges::any_of(signs,
                             [line](const std::string& sign) { return HasPart(line, sign); });
}

/// The last word of the names that exceptions have.
constexpr std::array<std::string_view, 4> kNameEnds = {"Error", "Exception", "Interrupt",
                                                       "StopIteration"};

}  // namespace

std::span<const std::string_view> SignsOfExceptions() {
  static constexpr std::array<std::string_view, 5> kSigns = {kTraceback, kNameEnds[0], kNameEnds[1],
                                                             kNameEnds[2], kNameEnds[3]};
  return kSigns;
}

bool StartsTraceback(std::string_view line) { return HasPart(line, kTraceback); }

bool NamesException(std::string_view line) {
  for (const std::string_view end : kNameEnds) {
    for (size_t at = line.find(end); at != line.npos; at = line.find(end, at + 1)) {
      const size_t behind = at + end.size();
      if (behind < line.size() && line[behind] != ':') continue;
      size_t start = at;
      while (start > 0 && IsOfName(line[start - 1])) --start;
      // A name of its own in front of it, not ".Error" or "3Error".
      const char first = line[start];
      if (first == '.' || std::isdigit(static_cast<unsigned char>(first)) != 0) continue;
      if (IsPrefix(line.substr(0, start))) return true;
    }
  }
  return false;
}

std::optional<uint32_t> LogSigns::RankOf(std::string_view line) const {
  for (const std::string& before : ranks) {
    const size_t at = line.find(before);
    if (at == line.npos) continue;
    const char* start = line.data() + at + before.size();
    uint32_t rank = 0;
    const auto [end, error] = std::from_chars(start, line.data() + line.size(), rank);
    if (error == std::errc() && end != start) return rank;
  }
  return std::nullopt;
}

bool LogSigns::MarkAsError(std::string_view line) const { return HasAny(line, errors); }
bool LogSigns::MarkAsWarning(std::string_view line) const { return HasAny(line, warnings); }

}  // namespace transplt
