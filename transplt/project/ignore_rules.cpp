// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/ignore_rules.h"

#include <algorithm>
#include <string>

namespace transplt {
namespace {

/// Without its trailing spaces, except those behind a backslash. As in git, a backslash at the
/// very end leaves the line as it is.
std::string_view WithoutTrailingSpaces(std::string_view line) {
  std::size_t end = line.size();
  std::size_t spaces = std::string_view::npos;
  for (std::size_t i = 0; i < end; ++i) {
    if (line[i] == ' ') {
      if (spaces == std::string_view::npos) spaces = i;
      continue;
    }
    spaces = std::string_view::npos;
    if (line[i] == '\\' && ++i == end) return line;
  }
  return line.substr(0, std::min(spaces, end));
}

}  // namespace

IgnoreRules IgnoreRules::FromText(std::string_view text) {
  IgnoreRules rules;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r') && end < text.size()) line.remove_suffix(1);
    rules.AddLine(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return rules;
}

void IgnoreRules::AddLine(std::string_view line) {
  if (line.starts_with('#')) return;
  line = WithoutTrailingSpaces(line);
  const bool negated = line.starts_with('!');
  if (negated) line.remove_prefix(1);
  const bool folder_only = line.ends_with('/');
  if (folder_only) line.remove_suffix(1);
  if (line.empty()) return;  // such a line matches nothing
  rules_.push_back({PathPattern(line), negated, folder_only});
}

std::optional<std::size_t> IgnoreRules::LastMatch(std::string_view path, bool is_folder) const {
  for (std::size_t i = rules_.size(); i-- > 0;) {
    if (rules_[i].folder_only && !is_folder) continue;
    if (rules_[i].pattern.Matches(path)) return i;
  }
  return std::nullopt;
}

}  // namespace transplt
