// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <set>

#include "transplt/python/arguments.h"
#include "transplt/python/callee.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/main_block.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/rule_kinds/tensorflow_rule.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

bool IsSimpleStatement(Node call) {
  return call.parent().Is(NodeKind::kExpressionStatement) &&
         call.parent().first_named_child() == call && !call.next_named_sibling();
}

/// Starts and ends the communication of the NPUs where a program calls hvd.init(), and takes out
/// imports of horovod that nothing needs any more.
class TensorflowHorovodRule : public TensorflowRule {
 public:
  TensorflowHorovodRule(RuleHeader header, const Fields& fields)
      : TensorflowRule(std::move(header), fields),
        resource_{{fields.String("start")}, fields.List("end")} {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kModule, ""}}; }
  WordSets required_words() const override { return {{"horovod"}}; }

  void Check(Node /*module*/, const FileContext& file, Findings& findings) const override {
    if (!IsFor(file)) return;
    std::vector<Node> starts;
    std::set<std::string> others;
    LookAtUses(file, starts, others);
    if (!starts.empty() && !Start(starts, file, findings)) others.insert("horovod.init");
    std::set<uint32_t> seen;
    for (const Binding& binding : file.names().bindings()) {
      const bool is_horovod =
          binding.kind == BindingKind::kImport &&
          (binding.target == "horovod" || binding.target.starts_with("horovod."));
      if (!is_horovod || !seen.insert(binding.statement.id()).second) continue;
      RemoveImport(binding.statement, others, file, findings);
    }
  }

 private:
  /// The calls of hvd.init(), and the names that no rule converts.
  void LookAtUses(const FileContext& file, std::vector<Node>& starts,
                  std::set<std::string>& others) const {
    for (const Node node : NodesIn(file.tree())) {
      const bool is_name = node.Is(NodeKind::kAttribute) || node.Is(NodeKind::kIdentifier);
      if (!is_name || IsPartOfName(node) || IsInImport(node)) continue;
      for (const std::string& name : TensorflowNamesOf(node, file)) {
        if (!name.starts_with("horovod.")) continue;
        const bool is_called = IsCalled(node);
        if (name == "horovod.init" && is_called) {
          starts.push_back(node.parent());
        } else if (!is_called || !functions().Contains(name)) {
          others.insert(name);
        }
      }
    }
  }

  static bool IsPartOfName(Node node) {
    return node.parent().Is(NodeKind::kAttribute) || node.field() == Field::kName;
  }

  /// False if a person has to do it.
  bool Start(const std::vector<Node>& starts, const FileContext& file, Findings& findings) const {
    const std::vector<Node> blocks = MainBlocksOf(file.tree().root());
    const bool are_simple = std::ranges::all_of(starts, IsSimpleStatement);
    Finding finding = Change(starts[0].range(), Say("start and end the communication of the NPUs",
                                                    "初始化并释放 NPU 的集合通信资源"));
    if (are_simple && blocks.size() == 1) {
      StartInMain(blocks[0], starts, file, finding);
    } else if (are_simple && blocks.empty() && starts.size() == 1) {
      StartHere(starts[0].parent(), file, finding);
    }
    const bool is_done = !finding.fix.empty();
    if (!is_done) {
      finding = Row(starts[0].range(),
                    Say("where the program starts and ends is not clear; call init_resource() "
                        "here, and shutdown_resource() and close_session() in a finally at its end",
                        "无法确定程序的开始与结束位置; 请在此处调用 init_resource(), 并在结束处的 "
                        "finally 中调用 shutdown_resource() 与 close_session()"));
    }
    findings.push_back(std::move(finding));
    return is_done;
  }

  void StartInMain(Node main, const std::vector<Node>& starts, const FileContext& file,
                   Finding& finding) const {
    std::vector<TextRange> removed;
    for (Node call : starts) {
      const Edit edit = RemoveStatement(call.parent(), file);
      finding.fix.edits.push_back(edit);
      if (edit.text.empty()) removed.push_back(edit.range);
    }
    const Node body = main.Child(Field::kConsequence);
    std::vector<Node> statements;
    for (const Node next : NamedChildren(body)) {
      const bool is_removed = std::ranges::any_of(removed, [&](TextRange gone) {
        return gone.start <= next.range().start && next.range().end <= gone.end;
      });
      if (!is_removed) statements.push_back(next);
    }
    if (statements.empty()) {
      finding.fix = {};
      return;
    }
    for (Edit& edit : WrapInTry(statements.front(), statements.back(), resource_, removed, file)) {
      finding.fix.edits.push_back(std::move(edit));
    }
  }

  /// In the place of hvd.init(), with the rest of its block in the `try`: where that block is a
  /// function or the script as a whole.
  void StartHere(Node statement, const FileContext& file, Finding& finding) const {
    const Node block = statement.parent();
    const bool is_whole =
        block.Is(NodeKind::kModule) || block.parent().Is(NodeKind::kFunctionDefinition);
    const Node first = statement.next_named_sibling();
    if (!is_whole || !first) return;
    TryStatement text = resource_;
    finding.fix.Replace(statement.range(), text.before[0]);
    text.before.clear();
    for (Edit& edit : WrapInTry(first, LastNamedChild(block), text, {}, file)) {
      finding.fix.edits.push_back(std::move(edit));
    }
  }

  void RemoveImport(Node statement, const std::set<std::string>& others, const FileContext& file,
                    Findings& findings) const {
    if (others.empty()) {
      Finding finding =
          Row(statement.range(), Say("horovod is not used any more", "不再使用 horovod"));
      finding.operation = Operation::kDelete;
      finding.applicability = Applicability::kSafe;
      finding.fix.edits.push_back(RemoveStatement(statement, file));
      findings.push_back(std::move(finding));
      return;
    }
    std::string names;
    for (const std::string& name : others) names += (names.empty() ? "" : ", ") + name;
    findings.push_back(Row(statement.range(),
                           Say("the import stays for {}, which no rule converts; horovod is not "
                               "there on the NPU",
                               "该导入因 {} 而保留, 尚无规则转换; NPU 环境没有 horovod", names)));
  }

  TryStatement resource_;
};

}  // namespace

RuleKind TensorflowHorovodRuleKind() {
  return {"TensorflowHorovodRule",
          "Starts and ends the communication of the NPUs in the place of hvd.init(), and takes out "
          "imports of horovod where only the functions named here are used.",
          TensorflowFields(
              {{"start", FieldType::kString, true,
                "What starts the communication, as a line of Python."},
               {"end", FieldType::kStringList, true, "What ends it, as lines of Python."}}),
          MakeRule<TensorflowHorovodRule>};
}

}  // namespace transplt
