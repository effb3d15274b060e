// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "transplt/engine/file_context.h"
#include "transplt/python/arguments.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// Reports the backward pass of a loss that was computed with weights which an optimizer has
/// changed since, as the losses of several networks were in programs for old releases of torch.
class SteppedWeightsRule : public Rule {
 public:
  SteppedWeightsRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)), optimizers_(fields.String("optimizers")) {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kAttribute, "backward"}}; }

  WordSets required_words() const override { return {{"step", "backward", "parameters"}}; }

  void Check(Node backward, const FileContext& file, Findings& findings) const override {
    const Node statement = StatementOfCall(backward);
    const Node loss = backward.Child(Field::kObject);
    const Node given = statement ? ValueBefore(statement, loss.text()) : Node();
    if (!given) return;
    for (Node earlier = EnclosingStatement(given).next_named_sibling();
         earlier && earlier != statement; earlier = earlier.next_named_sibling()) {
      const Node step = OptimizerOf(earlier);
      const std::set<std::string_view> models =
          step ? ModelsOf(step.Child(Field::kObject), file) : std::set<std::string_view>();
      if (models.empty()) continue;
      Trail trail{models, {}};
      if (const Node forward = ForwardIn(given, trail)) {
        return Report(backward, step, forward, file, findings);
      }
    }
  }

 private:
  void Report(Node backward, Node step, Node forward, const FileContext& file,
              Findings& findings) const {
    const auto line = [&](Node node) { return file.source().Locate(node.range().start).line; };
    const Text places =
        Say(" (line {}: {}(); line {}: {}())", "（第 {} 行: {}(); 第 {} 行: {}()）", line(forward),
            forward.Child(Field::kFunction).text(), line(step), step.text());
    Text message = header().why;
    message.en += places.en;
    message.zh += places.zh;
    findings.push_back(Row(backward.range(), std::move(message)));
  }

  /// One question: whether what a value is computed of runs one of `models`.
  struct Trail {
    const std::set<std::string_view>& models;
    std::set<uint32_t> seen;
  };

  /// The statement that is a call of `method` and nothing else, or a null node.
  static Node StatementOfCall(Node method) {
    const Node call = method.parent();
    const bool is_called = call.Is(NodeKind::kCall) && method.field() == Field::kFunction;
    const Node statement = is_called ? call.parent() : Node();
    return statement.Is(NodeKind::kExpressionStatement) ? statement : Node();
  }

  /// `X.step` of the statement `X.step()`, or a null node.
  static Node OptimizerOf(Node statement) {
    const Node call =
        statement.Is(NodeKind::kExpressionStatement) ? statement.first_named_child() : Node();
    const Node callee = call.Is(NodeKind::kCall) ? call.Child(Field::kFunction) : Node();
    const bool is_step =
        callee.Is(NodeKind::kAttribute) && callee.Child(Field::kAttribute).text() == "step";
    return is_step ? callee : Node();
  }

  /// What `optimizer` changes, as it is spelled: "self.critic" of `self.opt =
  /// Adam(self.critic.parameters())`. Empty if the file makes it otherwise as well.
  std::set<std::string_view> ModelsOf(Node optimizer, const FileContext& file) const {
    std::set<std::string_view> models;
    for (const Node node : NodesIn(file.tree())) {
      if (!node.Is(NodeKind::kAssignment)) continue;
      if (node.Child(Field::kLeft).text() != optimizer.text()) continue;
      const Node made = node.Child(Field::kRight);
      if (!made.Is(NodeKind::kCall) || !IsOptimizer(made.Child(Field::kFunction), file)) return {};
      for (const Node part : NodesIn(made)) {
        const bool is_parameters = part.Is(NodeKind::kAttribute) &&
                                   part.field() == Field::kFunction &&
                                   part.Child(Field::kAttribute).text() == "parameters";
        if (is_parameters) models.insert(part.Child(Field::kObject).text());
      }
    }
    return models;
  }

  bool IsOptimizer(Node callee, const FileContext& file) const {
    return std::ranges::any_of(file.names().Resolve(callee), [&](const QualifiedName& name) {
      return !name.local && name.name.starts_with(optimizers_ + ".");
    });
  }

  /// What the last assignment before `statement` in its block gives the variable; a null node if
  /// there is none.
  static Node ValueBefore(Node statement, std::string_view variable) {
    Node value;
    for (const Node earlier : NamedChildren(statement.parent())) {
      if (earlier == statement) break;
      const Node assignment =
          earlier.Is(NodeKind::kExpressionStatement) ? earlier.first_named_child() : Node();
      if (!assignment.Is(NodeKind::kAssignment)) continue;
      const Node left = assignment.Child(Field::kLeft);
      const bool gives_it =
          left.text() == variable ||
          ((left.Is(NodeKind::kPatternList) || left.Is(NodeKind::kTuplePattern)) &&
           std::ranges::any_of(NamedChildren(left),
                               [&](Node target) { return target.text() == variable; }));
      if (gives_it) value = assignment.Child(Field::kRight);
    }
    return value;
  }

  /// The call of a model that the gradient of `value` goes through, or a null node.
  Node ForwardIn(Node value, Trail& trail) const {
    if (!trail.seen.insert(value.id()).second) return {};
    for (uint32_t id = value.id(); id < value.end_id();) {
      const Node node = value.tree().node(id);
      if (EndsGradient(node)) {
        id = node.end_id();
        continue;
      }
      if (node.Is(NodeKind::kCall) && trail.models.contains(node.Child(Field::kFunction).text())) {
        return node;
      }
      if (IsRead(node)) {
        const Node before = ValueBefore(EnclosingStatement(value), node.text());
        const Node found = before ? ForwardIn(before, trail) : Node();
        if (found) return found;
      }
      ++id;
    }
    return {};
  }

  /// `x.detach()`, `x.data`, `x.item()`
  static bool EndsGradient(Node node) {
    const Node callee = node.Is(NodeKind::kCall) ? node.Child(Field::kFunction) : node;
    if (!callee.Is(NodeKind::kAttribute)) return false;
    const std::string_view member = callee.Child(Field::kAttribute).text();
    return member == "detach" || member == "data" || member == "item";
  }

  /// A variable, and not the name of an attribute or of an argument.
  static bool IsRead(Node node) {
    if (node.Is(NodeKind::kAttribute)) return node.Child(Field::kObject).text() == "self";
    const bool is_name =
        node.field() == Field::kAttribute ||
        (node.parent().Is(NodeKind::kKeywordArgument) && node.field() == Field::kName);
    return node.Is(NodeKind::kIdentifier) && !is_name;
  }

  std::string optimizers_;
};

}  // namespace

RuleKind SteppedWeightsRuleKind() {
  return {
      "SteppedWeightsRule",
      "Reports `loss.backward()` behind `optimizer.step()` in one block, where the loss was "
      "computed before with a model whose parameters that optimizer changes; the rule's why is "
      "the message.",
      {{"optimizers", FieldType::kDottedName, true, "The package of the optimizers: torch.optim."},
       {"source", FieldType::kString, false, "Where this is documented."}},
      MakeRule<SteppedWeightsRule>};
}

}  // namespace transplt
