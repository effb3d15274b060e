// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "transplt/engine/file_context.h"
#include "transplt/python/arguments.h"

namespace transplt {

/// An argument that a call may leave to its default.
struct DefaultArgument {
  std::string keyword;
  int64_t index = -1;  ///< its position; -1 if it is passed by keyword alone

  /// The argument, where the call has it, by keyword or position; else null.
  const Argument* GivenIn(const std::vector<Argument>& arguments) const;
};

/// True if a call with these arguments is none for the rule: it passes `*x` or `**x`, which may
/// hold any argument, or one of `excluded`: a keyword, or KEYWORD=VALUE.
bool IsExcluded(const std::vector<Argument>& arguments, const std::vector<std::string>& excluded);

/// True if the tensors in the result of `call`, a call of `function`, go nowhere but to a method of
/// torch's objects called one of `methods`: `model.load_state_dict(torch.load(x)["net"])`. Of a
/// dict, whole or by items; items whose keys say that they are numbers or options do not count.
bool IsHandedTo(Node call, const std::string& function, const std::vector<std::string>& methods,
                const FileContext& file);

/// True if the nearest `if` around `call` makes the same call with the argument in another branch:
/// the program goes on with either, `load(path)` and `load(path, map_location="cpu")`.
bool IsGivenInOtherBranch(Node call, const DefaultArgument& argument);

}  // namespace transplt
