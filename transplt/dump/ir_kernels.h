// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/result.h"

namespace transplt {

/// The operator that a line of an IR of MindSpore gives its full name, as in
/// "# fullname_with_scope: (Default/conv1-Conv2d/Conv2D-op12)"; "" for any other line.
std::string_view KernelOf(std::string_view line);

/// The full names of the operators in IR files (trace_code_graph_0, hwopt_pm_7_getitem_tuple.ir)
/// that contain `part`, each once, in the order of the files. A data_dump.json takes them as
/// "kernels".
Result<std::vector<std::string>> ReadKernels(const std::vector<std::string>& files,
                                             std::string_view part);

}  // namespace transplt
