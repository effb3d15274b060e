// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// What one place does with a class or function that it names.
enum class NameUse : uint8_t {
  kRun,       ///< calls it, or inherits from it
  kKept,      ///< keeps it under the name NameUseAt::kept_as
  kHandedOn,  ///< gives it to a call, which may call it
  kReturned,  ///< gives it to whoever calls this function
  kAsked,     ///< asks whether an object is of this class
};

struct NameUseAt {
  NameUse use = NameUse::kRun;
  Node kept_as;  ///< the identifier
};

/// What the place of `name`, an identifier or attribute, does with what the name stands for.
NameUseAt UseOfName(Node name);

/// True within an annotation.
bool IsInAnnotation(Node name);

/// True in what Python computes when it comes to a `def` or `class` that it runs on import:
/// annotations, defaults and decorators of a function of the module, or of a method of a class
/// there, and what such a class inherits from.
bool RunsWithDefinition(Node node);

/// True for an annotation that nothing computes: of a variable of a function, and all of a file
/// with `from __future__ import annotations`.
bool IsIdleAnnotation(Node name);

/// True where the text asks for the name, or for a member of it, and for nothing that it can do:
/// in an annotation, or where an object is asked whether it is of the class.
bool IsOnlyNamed(Node name);

}  // namespace transplt
