// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// A name that is called: `a.b` of `a.b()`; each branch of `(a if c else b)()`.
struct Callee {
  Node expression;         ///< identifier or attribute
  Node last_name;          ///< the identifier at its end
  bool is_branch = false;  ///< of a conditional expression
};
std::vector<Callee> CalleesOf(Node call);

/// True if `expression` is what a call calls.
inline bool IsCalled(Node expression) {
  return expression.parent().Is(NodeKind::kCall) && expression.field() == Field::kFunction;
}

}  // namespace transplt
