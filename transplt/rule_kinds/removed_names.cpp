// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/removed_names.h"

#include <algorithm>
#include <string>

namespace transplt {

std::string_view RemovedNamesTable();  // generated

namespace {

/// Takes the text before `end`, and `end`, off the front of `text`.
std::string_view TakeUntil(char end, std::string_view& text) {
  const std::string_view taken = text.substr(0, text.find(end));
  text.remove_prefix(std::min(text.size(), taken.size() + 1));
  return taken;
}

std::vector<RemovedName> ReadRemovedNames() {
  std::vector<RemovedName> names;
  std::string_view text = RemovedNamesTable();
  TakeUntil('\n', text);  // the header
  while (!text.empty()) {
    std::string_view line = TakeUntil('\n', text);
    RemovedName& row = names.emplace_back();
    row.name = TakeUntil(',', line);
    row.library = TakeUntil(',', line);
    row.since = TakeUntil(',', line);
    row.instead = line;
  }
  return names;
}

}  // namespace

bool RemovedName::IsMissingIn(const Version& release) const {
  const Result<Version> first = ParseVersion(since);
  return first && *first <= release;
}

std::string_view RemovedName::api() const { return name.substr(0, name.find('(')); }

std::string_view RemovedName::argument() const {
  const size_t start = name.find('(');
  if (start == std::string_view::npos) return {};
  return name.substr(start + 1, name.size() - start - 2);
}

const std::vector<RemovedName>& RemovedNames() {
  static const std::vector<RemovedName> names = ReadRemovedNames();
  return names;
}

const RemovedName* FindRemovedName(std::string_view name, const Version& release) {
  const std::vector<RemovedName>& names = RemovedNames();
  for (size_t end = name.find('.'); end != std::string_view::npos;) {
    end = name.find('.', end + 1);
    const std::string_view part = name.substr(0, end);
    const auto row = std::ranges::lower_bound(names, part, {}, &RemovedName::name);
    if (row != names.end() && row->name == part && row->IsMissingIn(release)) return &*row;
  }
  return nullptr;
}

std::vector<RemovedName> RemovedNamesOf(std::string_view package) {
  const std::string start = std::string(package) + ".";
  const std::vector<RemovedName>& names = RemovedNames();
  const auto first = std::ranges::lower_bound(names, start, {}, &RemovedName::name);
  const auto last = std::find_if_not(
      first, names.end(), [&](const RemovedName& row) { return row.name.starts_with(start); });
  return {first, last};
}

}  // namespace transplt
