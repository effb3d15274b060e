// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/result.h"

namespace transplt {

/// An operator that a line of a host log says is compiled.
struct LoggedOp {
  std::string type;
  std::string parameters;  ///< shapes, formats and attributes, as the log spells them
};

/// Reads "[INFO] ASCENDCL ... aclopCompile::aclOp ... OpType: TYPE, PARAMETERS]"; nothing for any
/// other line.
std::optional<LoggedOp> ReadLoggedOp(std::string_view line);

/// The operators that host logs of Ascend say were compiled: "TYPE PARAMETERS", each once, in the
/// order of the logs.
class OpLog {
 public:
  /// Takes a line of a log; what ReadLoggedOp does not know is passed over.
  void AddLine(std::string_view line);
  const std::vector<std::string>& ops() const { return ops_; }

 private:
  std::vector<std::string> ops_;
};

/// Reads a log, or the .log files of a folder in the order of their names.
Result<OpLog> ReadOpLogs(const std::string& path);

}  // namespace transplt
