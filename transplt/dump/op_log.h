// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/result.h"

namespace transplt {

/// The operators that host logs of Ascend say were compiled: "TYPE PARAMETERS", each once, in the
/// order of the logs.
class OpLog {
 public:
  /// Takes a line of a log; lines that are not "[INFO] ASCENDCL ... aclopCompile::aclOp" with an
  /// "OpType: " are passed over.
  void AddLine(std::string_view line);
  const std::vector<std::string>& ops() const { return ops_; }

 private:
  std::vector<std::string> ops_;
};

/// Reads a log, or the .log files of a folder in the order of their names.
Result<OpLog> ReadOpLogs(const std::string& path);

}  // namespace transplt
