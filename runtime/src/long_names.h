// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "runtime/src/status.h"

namespace transplt::capture {

/// Names that are longer than those of files may be: digits take their place, and a line of
/// mapping.csv in the same folder says which.
class LongNames {
 public:
  /// `name`, or its digits in `folder`: the same ones whenever it is asked for.
  std::string Fitting(const std::string& folder, const std::string& name);
  /// Writes the tables that have new lines. What was written of them before stays.
  Status WriteTables();

 private:
  struct Table {
    std::map<std::string, std::string> names;  ///< by digits
    std::string lines;
    bool is_changed = false;
  };
  Table& TableOf(const std::string& folder);

  std::map<std::string, Table> tables_;  ///< by folder
};

}  // namespace transplt::capture
