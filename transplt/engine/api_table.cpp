// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/api_table.h"

namespace transplt {

void ApiTable::Add(const ApiEntry& entry) { entries_.try_emplace(entry.old_name, entry); }

const ApiEntry* ApiTable::Find(std::string_view name) const {
  auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : &found->second;
}

const ApiEntry* ApiTable::FindPrefix(std::string_view name) const {
  for (;;) {
    if (const ApiEntry* entry = Find(name)) return entry;
    const size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) return nullptr;
    name = name.substr(0, dot);
  }
}

void ApiTable::AddOfOtherReleases(const std::string& name, const std::string& releases) {
  other_releases_.try_emplace(name, releases);
}

const std::string* ApiTable::OtherReleases(std::string_view name) const {
  const auto found = other_releases_.find(name);
  return found == other_releases_.end() ? nullptr : &found->second;
}

}  // namespace transplt
