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

/// True if all that the text does with the result of `call` is to hand it, or an item of it, to a
/// method of torch's objects called one of `methods`:
/// `model.load_state_dict(torch.load(x)["net"])`.
bool IsHandedTo(Node call, const std::vector<std::string>& methods, const FileContext& file);

}  // namespace transplt
