// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "transplt/facts/value_sources.h"

namespace transplt {

/// True if `value` is an optimizer or a scheduler of torch: it is made by torch.optim, or its name
/// says so.
bool IsOptimizer(const ValueSource& value, const ValueSources& sources);

/// The first place, "losses.py:43", where the project puts a value of NumPy into the groups of an
/// optimizer: `group["lr"] = lr * np.cos(x)`, LambdaLR with a function that gives one, or a
/// scheduler of its own whose get_lr() does. From then
/// on the states of the optimizer and of its scheduler hold it. "" if none is seen. `names` is of
/// the file to look at first; `project` may be null: then it is the only one.
std::string NumpyInOptimizers(const NameTable& names, const ProjectIndex* project);

}  // namespace transplt
