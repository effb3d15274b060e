// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace transplt {

/// What a person sets so that code runs: options, attributes of a configuration, variables of the
/// environment. A report names one or two, so of many the first few in alphabetical order stay, in
/// which options come first. A copy shares the texts.
class Settings {
 public:
  Settings() = default;
  explicit Settings(std::string_view setting);
  explicit Settings(std::vector<std::string> settings);

  bool empty() const { return texts_ == nullptr; }
  /// In alphabetical order.
  const std::vector<std::string>& texts() const;
  std::set<std::string> AsSet() const;
  /// Adds those that lead to the same as well; true if it has changed.
  bool Add(const Settings& others);
  bool Add(std::string_view setting);

  friend bool operator==(const Settings& a, const Settings& b) {
    return a.texts_ == b.texts_ || a.texts() == b.texts();
  }
  friend auto operator<=>(const Settings& a, const Settings& b) { return a.texts() <=> b.texts(); }

 private:
  bool HasRoomFor(std::string_view setting) const;

  std::shared_ptr<const std::vector<std::string>> texts_;  // null for none
};

}  // namespace transplt
