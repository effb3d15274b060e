// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/call_around.h"

#include "transplt/rule_kinds/rule_names.h"

namespace transplt {

bool IsInCallOf(Node node, const std::vector<std::string>& functions, const FileContext& file) {
  if (functions.empty()) return false;
  for (Node around = node; around; around = around.parent()) {
    if (!around.Is(NodeKind::kArgumentList)) continue;
    const Node callee = around.parent().Child(Field::kFunction);
    if (callee && NamesOneOf(callee, functions, file.names())) return true;
  }
  return false;
}

}  // namespace transplt
