// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/python/name_table.h"
#include "transplt/python/project_index.h"

namespace transplt {

/// True if `qualified` is the dotted `name` or lies in it: "numba.cuda.jit" in "numba.cuda".
bool IsInside(std::string_view name, std::string_view qualified);

inline bool IsImport(Node node) {
  return node.Is(NodeKind::kImportStatement) || node.Is(NodeKind::kImportFromStatement);
}

/// A module that an import statement names.
struct ImportedModule {
  Node item;         ///< `a.b as c`; of `from a import *` the whole statement
  std::string name;  ///< "a.b"; of `from a import b` too; of `from a import *` "a"
};
/// Absolute names; relative imports are resolved.
std::vector<ImportedModule> ImportedModules(Node statement, const NameTable& names);

/// "spconv" of `import spconv.pytorch as spconv`, "" of another statement.
std::string_view ImportedPackage(Node statement);

/// True if `part` of a condition asks whether the package is there: `is_flash_attn_available()`,
/// `is_package_available("flash_attn")`. An option that is called so asks the user.
bool AsksForPackage(Node part, std::string_view package);

/// True for the callee of a call that imports the module which its argument names.
bool IsImportFunction(Node callee, const NameTable& names);

/// True if the program does not go on behind an `except` clause: it raises or leaves, but for a
/// function that returns an answer, or unpacks None, which raises.
bool EndsInHandler(Node handler);

/// The first handler that `takes` accepts, of those of each `try` in whose body `node` stands, in
/// its function; or a null node.
Node HandlerAround(Node node, const std::function<bool(Node clause)>& takes);

/// True if the handler raises again, or ends the program: its `try` forgives nothing.
bool FailsInHandler(Node handler);

/// True if the program goes on where the import at `node` fails: it stands in a `try` whose
/// handlers take an ImportError, or behind a question that names the package:
/// `if is_flash_attn_available(): import flash_attn`. The variable that answers may be one of
/// another file; `project` may be null.
bool IsOptionalImport(Node node, const NameTable& names, const ProjectIndex* project);

/// True if the program comes to `node` only where an import has worked before that `brings` takes:
/// it stands above in the same block or in one around it, or in a `try` there of which no handler
/// goes on, or in the `try` of whose `else` the node is a part.
bool IsBehindImport(Node node, const std::function<bool(Node statement)>& brings);

/// True for an import of the library, or of a part of it.
bool Brings(Node statement, std::string_view library, const NameTable& names);

/// True if the program comes to `node` only where the library is there: behind a question for its
/// package, or behind an import of it.
bool RunsWithLibraryAlone(Node node, std::string_view library, const NameTable& names,
                          const ProjectIndex* project);

/// True if the program goes on where the module of the import `statement` lacks a name: a handler
/// takes an ImportError, and none of the imports in it fails as well.
bool IsReplacedImport(Node statement, const std::function<bool(Node import)>& fails);

/// True if no run comes to the import `statement`, for what the imports of a `try` do: it stands in
/// the handler of their failure, and they bring what newer releases of the same package have in its
/// place, or stand before the definition of the same names; or in the `else:` of one that fails.
bool IsPassedOver(Node statement, const NameTable& names,
                  const std::function<bool(Node import)>& fails);

/// As IsReplacedImport(), of a name that its module has not: the handlers take an AttributeError.
bool IsOptionalName(Node node);

/// True if the program goes on where what is computed with the name at `node` fails, by a handler
/// for any error, which was not written for a missing name: `try: x = solve(a) except: x = None`.
bool IsLostInHandler(Node node);

/// The same of a call that fails with the error `error`: the handlers take that.
bool IsOptionalCall(Node node, std::string_view error);

/// True if no run reaches the import at `node`: `if TYPE_CHECKING:`.
bool IsForTypesOnly(Node node, const NameTable& names);

}  // namespace transplt
