// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "transplt/facts/code_file.h"
#include "transplt/facts/value_sources.h"

namespace transplt {

/// What is known about the values that a module is called with, and what else is asked of it.
struct ModuleInputs {
  bool is_called = false;  ///< a call is in sight
  std::vector<ValueSource> calls = {};
  /// The first argument of which nothing shows that it is on a device.
  std::optional<ValueSource> unplaced = {};
  std::vector<ValueSource> members = {};  ///< `model.x`: the attributes, those that are called too
};

/// Looks at the uses of the module that the call `maker` gives: through variables, attributes of
/// self, parameters and results, over the files of the project.
ModuleInputs InputsOfModule(Node maker, const CodeFile& file);

}  // namespace transplt
