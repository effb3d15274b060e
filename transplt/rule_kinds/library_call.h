// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/text.h"
#include "transplt/engine/file_context.h"

namespace transplt {

/// A call that a library makes of a method which classes of a project may define, as a rule says
/// it: "train > _inner_training_loop: model, inputs, num_items_in_batch=". Before the colon stand
/// the methods of the same object in which it does, the outermost first. An argument that is passed
/// by keyword ends with "=", one that is passed only to a method that has a parameter for it with
/// "?"; what begins with "!" is a parameter that the library refuses.
struct LibraryCall {
  std::vector<std::string> callers;
  std::vector<std::string> positional;
  std::vector<std::string> optional;  ///< behind `positional`
  std::vector<std::string> keywords;
  std::vector<std::string> refused;

  bool HasArgument(std::string_view name) const;
};

std::optional<LibraryCall> ReadLibraryCall(std::string_view text);

/// What becomes of a call of a method: nothing is said of one that takes its arguments.
struct Misfit {
  Text what;            ///< "it has no num_items_in_batch"
  bool raises = false;  ///< false: an argument gets to a parameter that means something else
};

/// How `method`, a function in the body of a class, fails to take the arguments of `call`, which
/// are bound to its parameters as Python does it.
std::optional<Misfit> MisfitOf(const LibraryCall& call, Node method);

/// False if the class `definition`, or one of the project that it derives from, puts another method
/// in the place of one in which the library makes the call, so that it is not made.
bool IsMadeFor(const LibraryCall& call, Node definition, const FileContext& file);

}  // namespace transplt
