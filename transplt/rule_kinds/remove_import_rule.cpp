// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/base/one_of.h"
#include "transplt/engine/file_context.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/main_block.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// Removes the import of a module that does not exist on the NPU; its neighbours stay.
class RemoveImportRule : public Rule {
 public:
  RemoveImportRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)), module_(fields.String("module")) {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kImportStatement, module_}}; }

  WordSets required_words() const override { return {{module_}}; }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    std::vector<Node> items;
    size_t index = SIZE_MAX;
    for (const Node item : NamedChildren(node)) {
      const Node name = item.Is(NodeKind::kAliasedImport) ? item.Child(Field::kName) : item;
      if (name.text() == module_) index = items.size();
      items.push_back(item);
    }
    if (index == SIZE_MAX || file.IsOwn(module_)) return;
    Finding finding = Change(items[index].range());
    if (IsGuarded(node)) {
      return findings.push_back(
          Row(finding.range, Say("import {} stays: where it fails, the program has another way",
                                 "import {} 保持不变: 导入失败时程序另有处理", module_)));
    }
    if (IsUsed(items[index], file)) {
      finding.operation = Operation::kUnsupported;
      finding.applicability = Applicability::kDisplayOnly;
      finding.message =
          Say("import {0} stays, because {0} is used below: take it out together with what uses it",
              "import {0} 保持不变, 因为后文使用了 {0}; 请连同其使用处一并去除", module_);
      findings.push_back(std::move(finding));
      return;
    }
    finding.operation = Operation::kDelete;
    finding.message = Say("import {} has been removed", "已删除 import {}", module_);
    finding.fix.edits.push_back(items.size() == 1 ? RemoveStatement(node, file)
                                                  : RemoveItem(items, index));
    findings.push_back(std::move(finding));
  }

 private:
  static bool IsUsed(Node item, const FileContext& file) {
    const std::vector<Binding>& bindings = file.names().bindings();
    const auto binding = std::ranges::find_if(bindings, [&](const Binding& b) {
      return b.kind == BindingKind::kImport && (b.node == item || item.IsAncestorOf(b.node));
    });
    if (binding == bindings.end()) return false;
    for (const Node use : NodesIn(file.tree())) {
      if (!use.Is(NodeKind::kIdentifier) || use.text() != binding->name || item.IsAncestorOf(use) ||
          use.field() == Field::kAttribute) {
        continue;
      }
      const NameTable::Meanings meant = file.names().BindingsOf(use);
      if (IsOneOf(&*binding, meant)) return true;
    }
    return false;
  }

  /// In a `try` whose failure the program expects.
  static bool IsGuarded(Node statement) {
    for (Node node = statement; node.parent(); node = node.parent()) {
      if (node.parent().Is(NodeKind::kTryStatement) && node.field() == Field::kBody) return true;
    }
    return false;
  }

  static Edit RemoveItem(const std::vector<Node>& items, size_t index) {
    if (index + 1 < items.size()) {
      return {{items[index].range().start, items[index + 1].range().start}, ""};
    }
    return {{items[index - 1].range().end, items[index].range().end}, ""};
  }

  std::string module_;
};

}  // namespace

RuleKind RemoveImportRuleKind() {
  return {
      "RemoveImportRule",
      "Removes `import MODULE` where nothing uses it; other modules of the same statement stay.",
      {{"module", FieldType::kDottedName, true, "The module."}},
      MakeRule<RemoveImportRule>};
}

}  // namespace transplt
