// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transplt/analysis/mode.h"
#include "transplt/base/result.h"
#include "transplt/engine/api_support.h"

namespace transplt {

/// An operator that a program has run.
struct OperatorRun {
  std::string name;    ///< "aten::add"
  uint64_t calls = 0;  ///< 0 if the list does not say
};

/// Reads what `prof.key_averages().table()` prints, or a list with a name such as aten::add per
/// line. Each operator is given once, in the order of the text; ranges of the program and nodes of
/// autograd, which a table also names, are left out. `path` is for errors.
Result<std::vector<OperatorRun>> ReadOperators(const std::string& path, std::string_view text);

/// The grade of an operator by the API of torch that it stands behind: aten::native_layer_norm
/// behind torch.nn.functional.layer_norm. Its api is empty if none is known.
ApiSupport::Grade GradeOfOperator(std::string_view name, const ApiSupport& support);

/// The section of the first page, and operator_support.csv.
ModeResult GradeOperators(const std::vector<OperatorRun>& operators);

}  // namespace transplt
