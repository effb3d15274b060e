// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "transplt/base/change_record.h"

namespace transplt {

/// Where the lines of the input stand in the result: edits above them add and take lines.
class ResultLines {
 public:
  explicit ResultLines(const RunResult& run);

  /// The first line of `record`, from 1, in the file of the result; 0 for a whole file. Of a
  /// notebook the line of the input: its edits are not lines of the file.
  uint32_t Of(const ChangeRecord& record) const;

 private:
  struct Shift {
    uint32_t from = 0;  ///< the first line of the input that stands elsewhere
    int64_t lines = 0;
  };
  std::map<std::string_view, std::vector<Shift>> shifts_;  // by file
};

}  // namespace transplt
