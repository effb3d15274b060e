// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// True if `function` stands in the body of a class.
bool IsMethod(Node function);

/// The name of the parameter that takes the argument at `position`, from 0 and without self, or the
/// one that is passed as `keyword` where that is not empty; a null node if there is none.
Node ParameterOf(Node function, size_t position, std::string_view keyword);

/// The argument of `call` that `function`, which it calls, hands to `parameter`; a null node where
/// there is none, or a star hides it.
Node ArgumentFor(Node call, Node function, Node parameter);

/// The __init__ that the class `definition` has itself, or a null node.
Node ConstructorOf(Node definition);

}  // namespace transplt
