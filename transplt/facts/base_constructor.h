// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "transplt/python/name_table.h"

namespace transplt {

/// The constructor of a base that a class of the project runs: `super().__init__(...)`,
/// `super(Own, self).__init__(...)`, `Base.__init__(self, ...)`.
struct BaseConstructor {
  std::vector<QualifiedName> bases;  ///< what the base may be
  bool passes_self = false;          ///< `self` is the first argument
};

/// The base whose constructor `call` runs; nothing if it runs none, or nothing is known of the
/// base.
std::optional<BaseConstructor> BaseConstructorOf(Node call, const NameTable& names);

/// The class of its file whose body, or a method of it, holds `node`; or a null node.
Node ClassAround(Node node, const NameTable& names);
/// The class of this file that `base` names, if it can be no other.
Node OwnClass(Node base, const NameTable& names);

}  // namespace transplt
