// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/optional_import.h"

#include <algorithm>

#include "transplt/base/text_parts.h"
#include "transplt/facts/imported_library.h"
#include "transplt/facts/name_use.h"
#include "transplt/python/dotted_name.h"

namespace transplt {

void TellOptionalImport(Finding& finding) {
  finding.severity = Severity::kNote;
  finding.message.en += " (the program goes on where this import fails)";
  finding.message.zh += "（此处导入失败时程序会继续运行）";
}

bool IsImportUsed(Node item, const FileContext& file) {
  const bool is_alias = item.Is(NodeKind::kAliasedImport);
  const bool is_from = item.parent().Is(NodeKind::kImportFromStatement);
  if (ProjectIndex::IsPackage(file.source().path())) return true;
  if (!is_from && !is_alias) {
    const std::string_view module = item.text();
    // `import flash_attn` is used under its name, `import torch.cuda.comm` as a whole.
    if (!HasPart(module, '.')) return true;
    return std::ranges::any_of(file.NodesSaying(LastPart(module)), [&](Node node) {
      return node.field() == Field::kAttribute && file.names().IsNamed(node.parent(), module);
    });
  }
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
