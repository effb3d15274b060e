// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/base/text.h"
#include "transplt/python/name_table.h"
#include "transplt/python/project_index.h"

namespace transplt {

/// A place that needs what an import brings.
struct UseWithoutImport {
  Node use;
  /// Here or just before it stands a test that ends what the program does where the import has
  /// failed: `assert X is not None`, `if X is None: raise`.
  bool is_refused = false;

  /// " (x is used without a test ...)", which follows what is said of the import.
  Text reason() const;
};

/// Where a file needs a name that the import `statement` need not have brought: it stands in a
/// `try` that forgives its failure, or in an `if` of the module, nothing else gives the name a
/// value but None, and no test decides about the use: of the name, of what is set beside the import
/// (`HAS_X = True`), or of the condition of that `if`. `assert X is not None` needs it as well, and
/// so do `assert HAS_X`, `if not HAS_X: raise` and `if HAS_X: ... else: raise`, of which `use` is
/// the name of the test. So does a call of what the handler defines in its place and what only
/// raises: `class X: def __init__(self): raise ...`.
/// `statement` may be an assignment, too, of what a function imports and returns, or None: `X =
/// load_extension()`.
/// The first use in each function, in the order of the text. `project` may be null.
std::vector<UseWithoutImport> UsesWithoutImport(Node statement, const NameTable& names,
                                                const ProjectIndex* project);

/// Code that runs where an import has failed, in place of what needs it.
struct CodeWithoutImport {
  Node place;  ///< its first statement
  /// Parameters of the function that the code with the import hands on and this does not read: it
  /// may ask whether they are None.
  std::vector<std::string> unread;
};

/// The `else` of each `if` that asks first for the import `statement`, or what follows where its
/// branch leaves, in a file that goes on where that import fails; only those that leave something
/// unread. `project` may be null.
std::vector<CodeWithoutImport> CodeInPlaceOf(Node statement, const NameTable& names,
                                             const ProjectIndex* project);

}  // namespace transplt
