// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "transplt/engine/file_context.h"
#include "transplt/facts/elementwise.h"
#include "transplt/facts/value_sources.h"
#include "transplt/facts/whole_sums.h"
#include "transplt/python/arguments.h"
#include "transplt/python/callee.h"
#include "transplt/python/dotted_name.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"

namespace transplt {
namespace {

/// Writes `x.mean().backward(one.squeeze())` where `one` has one element in one dimension, and
/// what is differentiated has no dimension; the same in `torch.autograd.backward([x], [one])`.
class GradientShapeRule : public Rule {
 public:
  GradientShapeRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        of_list_(fields.List("of_list")),
        of_size_(fields.List("of_size")) {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kAttribute, "backward"}}; }
  WordSets required_words() const override {
    WordSets words;
    for (const auto* list : {&of_list_, &of_size_}) {
      for (const std::string& maker : *list) {
        words.push_back({"backward", std::string(LastPart(maker))});
      }
    }
    return words;
  }

  void Check(Node backward, const FileContext& file, Findings& findings) const override {
    if (!IsCalled(backward)) return;
    const std::vector<Argument> arguments = ArgumentsOf(backward.parent());
    if (file.names().IsNamed(backward, "torch.autograd.backward")) {
      const Argument* of = FindArgument(arguments, 0, "tensors");
      const Argument* given = FindArgument(arguments, 1, "grad_tensors");
      if (of != nullptr && given != nullptr) CheckAll(of->value, given->value, file, findings);
      return;
    }
    const Argument* gradient = FindArgument(arguments, 0, "gradient");
    if (gradient == nullptr) return;
    CheckOne(backward.Child(Field::kObject), gradient->value, file, findings);
  }

 private:
  static constexpr int kDeepest = 4;

  /// `backward([a, b], [one, one])`
  void CheckAll(Node tensors, Node gradients, const FileContext& file, Findings& findings) const {
    const auto is_list = [](Node node) {
      return node.Is(NodeKind::kList) || node.Is(NodeKind::kTuple);
    };
    if (is_list(tensors) != is_list(gradients)) return;
    if (!is_list(tensors)) return CheckOne(tensors, gradients, file, findings);
    Node gradient = gradients.first_named_child();
    for (const Node tensor : NamedChildren(tensors)) {
      if (!gradient) return;
      CheckOne(tensor, gradient, file, findings);
      gradient = gradient.next_named_sibling();
    }
  }

  void CheckOne(Node tensor, Node gradient, const FileContext& file, Findings& findings) const {
    const ValueSources& sources = file.sources();
    const bool fails = IsWholeSum({tensor, &file.names()}, sources, true) &&
                       HasOneElement({gradient, &file.names()}, sources, kDeepest);
    if (!fails) return;
    Finding finding = Change(gradient.range(), WhyOf(gradient.text()));
    const TextRange range = gradient.range();
    if (!IsAtomic(gradient)) finding.fix.Insert(range.start, "(");
    finding.fix.Insert(range.end, IsAtomic(gradient) ? ".squeeze()" : ").squeeze()");
    findings.push_back(std::move(finding));
  }

  /// `torch.FloatTensor([1])`, `torch.ones(1)`, and what is computed of them.
  bool HasOneElement(const ValueSource& value, const ValueSources& sources, int depth) const {
    const std::vector<ValueSource> makers = sources.Of(value);
    return depth > 0 && !makers.empty() &&
           std::ranges::all_of(makers, [&](const ValueSource& maker) {
             if (IsMadeOfOne(maker)) return true;
             const Node operand = ElementwiseOperand(maker.node);
             return operand && HasOneElement(maker.At(operand), sources, depth - 1);
           });
  }

  bool IsMadeOfOne(const ValueSource& maker) const {
    if (!maker.node.Is(NodeKind::kCall)) return false;
    const Node callee = maker.node.Child(Field::kFunction);
    const std::vector<Argument> given = ArgumentsOf(maker.node);
    if (given.empty() || !given[0].keyword.empty()) return false;
    const Node first = given[0].value;
    const bool is_list = first.Is(NodeKind::kList) && first.first_named_child() &&
                         !first.first_named_child().next_named_sibling() &&
                         !first.first_named_child().Is(NodeKind::kList);
    return (is_list && NamesOneOf(callee, of_list_, *maker.names)) ||
           (given.size() == 1 && first.text() == "1" && NamesOneOf(callee, of_size_, *maker.names));
  }

  std::vector<std::string> of_list_;
  std::vector<std::string> of_size_;
};

}  // namespace

RuleKind GradientShapeRuleKind() {
  return {
      "GradientShapeRule",
      "Writes x.backward(one.squeeze()), or the same in torch.autograd.backward(), where x is a "
      "sum "
      "over all elements, or a loss, without a dimension, and one has one element in one "
      "dimension.",
      {{"of_list", FieldType::kStringList, true,
        "Functions and classes that make a tensor of a list: torch.FloatTensor."},
       {"of_size", FieldType::kStringList, true, "Functions that make one of a size: torch.ones."},
       {"source", FieldType::kString, false, "Where this is documented."}},
      MakeRule<GradientShapeRule>};
}

}  // namespace transplt
