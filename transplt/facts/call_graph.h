// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/facts/code_file.h"

namespace transplt {

/// A function or class of the project, or a member of a class that may come from its bases.
struct DefinitionRef {
  std::string file;
  std::string name;        ///< "f", "Class"
  std::string member;      ///< "method", or ""
  bool is_super = false;   ///< the member of a base, not of the class itself
  bool in_branch = false;  ///< of a callee: see IsInBranch
};

/// A function or class at the top of a module, another name for one, or a method; what is defined
/// inside a function is part of it.
struct Definition {
  std::string name;  ///< "f", "Class", "Class.method"
  uint32_t line = 0;
  bool is_class = false;
  std::vector<DefinitionRef> bases;    ///< of a class
  std::vector<DefinitionRef> callees;  ///< what its code calls, as far as that is known
};

/// The definitions of one file, and what they call. An object is known where the text says of
/// which class it is: `x = Class()`, `self.x = Class()`, `def f(x: Class)`, `self`, `super()`.
std::vector<Definition> DefinitionsIn(const CodeFile& file);

/// The name of the Definition whose code `node` is part of; "" for the code of the module.
std::string OwnerOf(Node node);

/// True if `node` is evaluated only on a condition that its function decides: `if`, `elif`, `else`,
/// `except`, `case`, `a if c else b`.
bool IsInBranch(Node node);

/// True if a name that is called by `expression` is what a function defines for itself.
bool IsOfFunction(Node expression, const NameTable& names);

/// Where in the project a qualified name is defined; nothing for other libraries.
std::optional<DefinitionRef> Locate(const CodeFile& file, const QualifiedName& name);

}  // namespace transplt
