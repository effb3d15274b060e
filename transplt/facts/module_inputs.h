// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "transplt/facts/code_file.h"
#include "transplt/facts/value_sources.h"

namespace transplt {

/// What is known about the values that a module is called with.
struct ModuleInputs {
  bool is_called = false;  ///< a call is in sight
  /// The first argument of which nothing shows that it is on a device.
  std::optional<ValueSource> unplaced = {};
};

/// Looks at the calls of the module that the call `maker` gives: through variables, attributes of
/// self, parameters and results, over the files of the project.
ModuleInputs InputsOfModule(Node maker, const CodeFile& file);

}  // namespace transplt
