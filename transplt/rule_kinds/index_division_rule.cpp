// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "transplt/base/word_list.h"
#include "transplt/engine/file_context.h"
#include "transplt/facts/tensor_types.h"
#include "transplt/facts/value_sources.h"
#include "transplt/python/arguments.h"
#include "transplt/python/callee.h"
#include "transplt/rule_kinds/rule_kind_rows.h"

namespace transplt {
namespace {

/// Writes `//` for `/` of a tensor of indices whose result is an index again:
/// `rows = indices / width` and `scores[rows]`.
class IndexDivisionRule : public Rule {
 public:
  IndexDivisionRule(RuleHeader header, const Fields& /*fields*/) : Rule(std::move(header)) {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kBinaryOperator, ""}}; }
  WordSets required_words() const override {
    WordSets words;
    for (const std::string& name : GivingPairs().words()) words.push_back({name});
    for (const std::string& name : GivingIndices().words()) words.push_back({name});
    return words;
  }

  void Check(Node division, const FileContext& file, Findings& findings) const override {
    if (SignOf(division) != "/" || !IsIndex(division, file)) return;
    const Node left = division.Child(Field::kLeft);
    if (!AreIndices(left, file)) return;
    Finding finding = Change(division.range(), WhyOf(division.text()));
    Node sign = left.next_sibling();
    while (!sign.Is(NodeKind::kToken)) sign = sign.next_sibling();
    finding.fix.Replace(sign.range(), "//");
    findings.push_back(std::move(finding));
  }

 private:
  static const WordList& GivingPairs() { return Words("methods-with-indices"); }
  static const WordList& GivingIndices() { return Words("methods-of-indices"); }

  /// True if the value of `division` is an index, and nothing makes whole numbers of it before.
  static bool IsIndex(Node division, const FileContext& file) {
    const Node value = WithWhatIsComputed(division);
    if (IsAtIndex(value)) return true;
    const Node assignment = value.parent();
    const Node name = assignment.Is(NodeKind::kAssignment) && value.field() == Field::kRight
                          ? assignment.Child(Field::kLeft)
                          : Node();
    if (!name.Is(NodeKind::kIdentifier)) return false;
    return std::ranges::any_of(file.NodesSaying(name.text()), [&](Node use) {
      if (!IsAtIndex(WithWhatIsComputed(use))) return false;
      const NameTable::Meanings meanings = file.names().BindingsOf(use);
      return std::all_of(meanings.begin(), meanings.end(),
                         [&](const Binding* meaning) { return meaning->value == value; });
    });
  }

  /// `(value + 1).view(-1)`: what is a whole number where `value` is one.
  static Node WithWhatIsComputed(Node value) {
    for (Node up = value.parent(); up; up = value.parent()) {
      const bool is_computed = up.Is(NodeKind::kBinaryOperator) && SignOf(up) != "/";
      if (up.Is(NodeKind::kParenthesizedExpression) || is_computed) {
        value = up;
        continue;
      }
      const bool is_shaped = up.Is(NodeKind::kAttribute) && value.field() == Field::kObject &&
                             IsCalled(up) &&
                             Words("keeping-methods").Has(up.Child(Field::kAttribute).text());
      if (!is_shaped) break;
      value = up.parent();
    }
    return value;
  }

  /// `x[value]`, `x[0, value]`, `x.index_select(0, value)`
  static bool IsAtIndex(Node value) {
    if (value.field() == Field::kSubscript && value.parent().Is(NodeKind::kSubscript)) return true;
    const Node call = value.parent().parent();
    if (!value.parent().Is(NodeKind::kArgumentList) || !call.Is(NodeKind::kCall)) return false;
    const Node callee = call.Child(Field::kFunction);
    if (!callee.Is(NodeKind::kAttribute) ||
        !Words("methods-with-index").Has(callee.Child(Field::kAttribute).text())) {
      return false;
    }
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const Argument* index = FindArgument(arguments, 1, "index");
    return index != nullptr && index->value == value;
  }

  static bool AreIndices(Node value, const FileContext& file) {
    const std::vector<ValueSource> makers = file.sources().Of(value);
    return !makers.empty() && std::ranges::all_of(makers, [](const ValueSource& maker) {
      const Node node = maker.node;
      if (node.Is(NodeKind::kSubscript)) {
        return node.Child(Field::kSubscript).text() == "1" &&
               CallsMethodOf(node.Child(Field::kValue), GivingPairs());
      }
      return node.Is(NodeKind::kIdentifier) ? IsSecondPart(maker)
                                            : CallsMethodOf(node, GivingIndices());
    });
  }

  /// `i` of `x, i = scores.topk(3)`
  static bool IsSecondPart(const ValueSource& name) {
    const NameTable::Meanings meanings = name.names->BindingsOf(name.node);
    return meanings.begin() != meanings.end() &&
           std::all_of(meanings.begin(), meanings.end(), [](const Binding* meaning) {
             const Node pattern = meaning->node.parent();
             const Node assignment = pattern.parent();
             return pattern.Is(NodeKind::kPatternList) && assignment.Is(NodeKind::kAssignment) &&
                    pattern.first_named_child().next_named_sibling() == meaning->node &&
                    CallsMethodOf(assignment.Child(Field::kRight), GivingPairs());
           });
  }

  static bool CallsMethodOf(Node call, const WordList& methods) {
    const Node callee = call.Is(NodeKind::kCall) ? call.Child(Field::kFunction) : Node();
    return callee.Is(NodeKind::kAttribute) && methods.Has(callee.Child(Field::kAttribute).text());
  }
};

}  // namespace

RuleKind IndexDivisionRuleKind() {
  return {"IndexDivisionRule",
          "Writes // for / of a tensor of indices whose result is an index again.",
          {{"source", FieldType::kString, false, "Where this is documented."}},
          MakeRule<IndexDivisionRule>};
}

}  // namespace transplt
