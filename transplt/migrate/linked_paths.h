// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "transplt/base/change_record.h"
#include "transplt/project/project_files.h"

namespace transplt {

/// What links that documents and scripts of the project tell to make, `ln -s ../other/lib lib`,
/// bring: paths below the root, and where they say so: "README.md:12".
class LinkedPaths {
 public:
  explicit LinkedPaths(const ProjectFiles& project);

  /// Where a link is made that `path` is or lies below; "" if there is none.
  std::string_view PlaceOf(std::string_view path) const;

 private:
  std::map<std::string, std::string, std::less<>> places_;
};

/// Makes a note of the row of a module or package that is not there: who follows the document at
/// `place` has what the link leads to. Without a place the row stays.
void TellLink(std::string_view place, ChangeRecord& row);

}  // namespace transplt
