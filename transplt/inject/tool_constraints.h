// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transplt/inject/inject_file.h"
#include "transplt/inject/request.h"

namespace transplt {

/// A constraint that the program breaks.
struct BrokenConstraint {
  Text what;                ///< with the place of the sign
  bool is_certain = false;  ///< what it must not meet runs in any case, with any option
  bool warns = false;
};

/// The constraints of `tool` (rules/tool_constraints.json) that the program of `file` breaks. Signs
/// are looked for in the file, in what it imports and in what imports it.
std::vector<BrokenConstraint> BrokenConstraints(const InjectFile& file, std::string_view framework,
                                                std::string_view tool,
                                                const std::vector<OptionValue>& options);

/// True if the file, one that it imports or one that imports it has the word `name`.
bool ProgramHasWord(const InjectFile& file, std::string_view name);

/// True if the program of `file` shows a sign of rules/tool_constraints.json, certainly or not.
bool MayShow(const InjectFile& file, const std::string& sign);

}  // namespace transplt
