// SPDX-License-Identifier: Apache-2.0
#include "transplt/python/returned_imports.h"

#include "transplt/base/one_of.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {

std::vector<std::string> ReturnedImports(Node function, const NameTable& names) {
  std::vector<std::string> imports;
  for (const Node statement : NodesIn(function)) {
    if (!statement.Is(NodeKind::kReturnStatement)) continue;
    if (names.ScopeNode(names.ScopeOf(statement)) != function) continue;
    const Node value = statement.first_named_child();
    if (!value || value.Is(NodeKind::kNone)) continue;
    if (!value.Is(NodeKind::kIdentifier)) return {};
    for (const Binding* binding : names.BindingsOf(value)) {
      const bool is_none =
          binding->kind == BindingKind::kAssignment && binding->value.Is(NodeKind::kNone);
      if (is_none) continue;
      const bool is_import =
          binding->kind == BindingKind::kImport && function.IsAncestorOf(binding->node);
      if (!is_import) return {};
      if (!IsOneOf(binding->target, imports)) imports.push_back(binding->target);
    }
  }
  return imports;
}

}  // namespace transplt
