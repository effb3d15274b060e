// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/optional_import.h"

#include <algorithm>

#include "transplt/facts/imported_library.h"
#include "transplt/facts/name_use.h"

namespace transplt {

void TellOptionalImport(Finding& finding) {
  finding.severity = Severity::kNote;
  finding.message.en += " (the program goes on where this import fails)";
  finding.message.zh += "（此处导入失败时程序会继续运行）";
}

bool IsImportUsed(Node item, const FileContext& file) {
  const bool is_alias = item.Is(NodeKind::kAliasedImport);
  const bool is_from = item.parent().Is(NodeKind::kImportFromStatement);
  if ((!is_from && !is_alias) || ProjectIndex::IsPackage(file.source().path())) return true;
  const Node name = is_alias ? item.Child(Field::kAlias) : item;
  return std::ranges::any_of(file.NodesSaying(name.text()), [](Node node) {
    Node parent = node.parent();
    while (parent.Is(NodeKind::kDottedName) || parent.Is(NodeKind::kAliasedImport)) {
      parent = parent.parent();
    }
    return !IsImport(parent) && !IsOnlyNamed(node);
  });
}

}  // namespace transplt
