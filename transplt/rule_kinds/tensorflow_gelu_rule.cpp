// SPDX-License-Identifier: Apache-2.0

#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/python/parameters.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/tensorflow_rule.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// Puts the gelu of the NPU into functions of the program that compute it.
class TensorflowGeluRule : public TensorflowRule {
 public:
  TensorflowGeluRule(RuleHeader header, const Fields& fields)
      : TensorflowRule(std::move(header), fields), name_(fields.String("new_name")) {}

  std::vector<Trigger> triggers() const override {
    return {{NodeKind::kFunctionDefinition, "gelu"}};
  }
  WordSets required_words() const override { return {{"tensorflow", "gelu"}, {"tf", "gelu"}}; }

  void Check(Node function, const FileContext& file, Findings& findings) const override {
    const Node parameter = ParameterOf(function, 0, "");
    const Node body = function.Child(Field::kBody);
    if (!IsFor(file) || IsMethod(function) || !parameter || !body) return;
    Node first = body.first_named_child();
    if (first.Is(NodeKind::kExpressionStatement) &&
        first.first_named_child().Is(NodeKind::kString)) {
      first = first.next_named_sibling();
    }
    if (!first || !Computes(body, parameter, file)) return;
    const StatementPlace place(first, file.source());
    const Node last = LastNamedChild(body);
    if (!last.Is(NodeKind::kReturnStatement)) return;
    const std::string text = "return " + name_ + "(" + std::string(parameter.text()) + ")";
    Finding finding = Change({first.range().start, last.range().end},
                             Say("compute gelu by {}", "用 {} 计算 gelu", name_));
    finding.fix.Replace(finding.range, text);
    findings.push_back(std::move(finding));
  }

 private:
  /// True if the body has the formula of gelu, by erf or by tanh, of the parameter alone: it calls
  /// TensorFlow and numpy and nothing of the program.
  static bool Computes(Node body, Node parameter, const FileContext& file) {
    bool has_curve = false;
    bool uses_parameter = false;
    for (const Node node : NodesIn(body)) {
      if (node.Is(NodeKind::kIfStatement) || node.Is(NodeKind::kForStatement)) return false;
      if (node.Is(NodeKind::kIdentifier) && node.text() == parameter.text()) uses_parameter = true;
      if (!node.Is(NodeKind::kCall)) continue;
      for (const std::string& name : TensorflowNamesOf(node.Child(Field::kFunction), file)) {
        has_curve = has_curve || Words("gelu-curves").Has(name);
      }
    }
    const bool has_constant = HasPart(body.text(), "0.5");
    return has_curve && uses_parameter && has_constant;
  }

  std::string name_;
};

}  // namespace

RuleKind TensorflowGeluRuleKind() {
  return {
      "TensorflowGeluRule",
      "Puts the gelu of the NPU in the place of the body of a function gelu(x) that computes it "
      "with TensorFlow.",
      TensorflowFields({{"new_name", FieldType::kDottedName, true, "What is called instead."}}),
      MakeRule<TensorflowGeluRule>};
}

}  // namespace transplt
