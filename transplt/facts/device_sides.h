// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/facts/guard_signatures.h"
#include "transplt/python/project_index.h"

namespace transplt {

/// Folders or modules of one parent, each of which is for one kind of device, and among which the
/// program chooses when it runs. In the file of the same place each has the same table:
/// `INFO = Vendor(name="a", device="cuda")` in vendors/_a/__init__.py, `device="npu"` in
/// vendors/_b/__init__.py.
class DeviceSides {
 public:
  DeviceSides() = default;
  DeviceSides(const ProjectIndex& project, const GuardSignatures& signatures);

  /// The entry for the device of the migration, "path:line", where `path` lies in the side for
  /// another device, or ""; a file that all devices load from there is no part of the side.
  std::string Beside(std::string_view path) const;
  /// The same where `path` lies in the side for the device of the migration.
  std::string OwnEntry(std::string_view path) const;
  /// The same where the tables give `name` the text `value` for other devices alone: `name="a"`.
  std::string OfOther(std::string_view name, std::string_view value) const;

 private:
  using Places = std::map<std::string, std::string, std::less<>>;  // -> "path:line"
  static std::string In(const Places& places, std::string_view path);

  Places others_;  // folders and files
  Places own_;
  std::map<std::string, Places, std::less<>> labels_;  // by name, then by the text
  std::set<std::string, std::less<>> shared_;          // files of a side that all devices load
};

}  // namespace transplt
