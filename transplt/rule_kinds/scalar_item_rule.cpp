// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "transplt/engine/file_context.h"
#include "transplt/facts/tensor_names.h"
#include "transplt/facts/tensor_types.h"
#include "transplt/facts/value_sources.h"
#include "transplt/facts/whole_sums.h"
#include "transplt/python/arguments.h"
#include "transplt/python/callee.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/rule_kind_rows.h"

namespace transplt {
namespace {

/// Writes `x.item()` for `x.data[0]`, where x provably holds one number without a dimension.
class ScalarItemRule : public Rule {
 public:
  ScalarItemRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        functions_(fields.List("functions")),
        classes_(fields.List("classes")),
        kept_by_(fields.List("kept_by")) {}

  std::vector<Trigger> triggers() const override {
    return {{NodeKind::kAttribute, "data"}, {NodeKind::kSubscript, ""}};
  }
  WordSets required_words() const override {
    return {{"data", "torch"}, {"numpy", "backward"}, {"view", "sum"}, {"reshape", "sum"}};
  }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    if (node.Is(NodeKind::kSubscript)) return CheckPart(node, file, findings);
    const Node item = ItemOf(node);
    if (!item) return;
    const Node tensor = node.Child(Field::kObject);
    if (IsOneNumber(tensor, file)) return ChangeItem(item, tensor, findings);
    if (!IsOfOldFile(file)) return;
    Text message = WhyOf(item.text());
    message.en += " Where this holds one number as well, write .item()";
    message.zh += "若此处同样只有一个数，请改写为 .item()";
    findings.push_back(Row(item.range(), std::move(message)));
    findings.back().severity = Severity::kMayGoWrong;
  }

 private:
  /// `x[0]` of a sum over all elements, and `x.data.cpu().numpy()[0]` of one number.
  void CheckPart(Node item, const FileContext& file, Findings& findings) const {
    const Node value = item.Child(Field::kValue);
    if (!IsFirst(item)) return;
    if (IsMethodCall(value, "numpy")) {
      Node tensor = value;
      while (const Node operand = InOtherMemory(tensor)) tensor = operand;
      if (IsOneNumber(tensor, file)) ChangeItem(item, value, findings);
      return;
    }
    if (!value.Is(NodeKind::kIdentifier)) return;
    const ValueSources& sources = file.sources();
    const bool is_one = IsWholeSum({value, &file.names()}, sources, false) || IsCount(value, file);
    if (is_one) ChangeItem(item, value, findings);
  }

  /// x of `x.numpy()`, `x.cpu()`, `x.data`; else a null node.
  static Node InOtherMemory(Node value) {
    const bool is_copy =
        IsMethodCall(value, "numpy") || IsMethodCall(value, "cpu") || IsMethodCall(value, "detach");
    if (is_copy) return value.Child(Field::kFunction).Child(Field::kObject);
    const bool is_data =
        value.Is(NodeKind::kAttribute) && value.Child(Field::kAttribute).text() == "data";
    return is_data ? value.Child(Field::kObject) : Node();
  }

  void ChangeItem(Node item, Node tensor, Findings& findings) const {
    Finding finding = Change(item.range(), WhyOf(item.text()));
    finding.fix.Replace({tensor.range().end, item.range().end}, ".item()");
    findings.push_back(std::move(finding));
  }

  /// `x[0]`, where it is read.
  static bool IsFirst(Node item) {
    return !IsAssigned(item) && item.Child(Field::kSubscript).text() == "0";
  }

  /// `x.data[0]` of `x.data`, where it is read; or a null node.
  static Node ItemOf(Node data) {
    const Node item = data.parent();
    const bool is_item =
        item.Is(NodeKind::kSubscript) && data.field() == Field::kValue && IsFirst(item);
    return is_item ? item : Node();
  }

  /// True for a variable that is nothing but `n = 0` and `n += x.eq(y).sum()`.
  static bool IsCount(Node name, const FileContext& file) {
    if (!name.Is(NodeKind::kIdentifier)) return false;
    const ValueSources& sources = file.sources();
    bool adds = false;
    std::vector<Node> open = {name};  // and the same variable where it is added to
    for (size_t i = 0; i < open.size(); ++i) {
      for (const Binding* binding : file.names().BindingsOf(open[i])) {
        const Node statement = binding->node.parent();
        if (binding->value.Is(NodeKind::kInteger) || binding->value.Is(NodeKind::kFloat)) continue;
        const bool is_sum =
            statement.Is(NodeKind::kAugmentedAssignment) &&
            statement.Child(Field::kLeft).next_sibling().IsToken("+=") &&
            IsWholeSum({statement.Child(Field::kRight), &file.names()}, sources, true);
        if (!is_sum) return false;
        adds = true;
        const Node before = statement.Child(Field::kLeft);
        if (std::ranges::find(open, before) == open.end()) open.push_back(before);
      }
    }
    return adds;
  }

  bool IsOneNumber(Node tensor, const FileContext& file) const {
    return IsDifferentiated(tensor, file) || IsPartOfDifferentiated(tensor, file) ||
           IsLoss(tensor, file) || IsCount(tensor, file) ||
           IsWholeSum({tensor, &file.names()}, file.sources(), false);
  }

  /// `a` of `loss = a + 2 * b` before `loss.backward()`: what is computed of tensors has at least
  /// the dimensions of each.
  static bool IsPartOfDifferentiated(Node tensor, const FileContext& file) {
    const uint32_t scope = file.names().ScopeOf(tensor);
    return tensor.Is(NodeKind::kIdentifier) &&
           std::ranges::any_of(file.NodesSaying("backward"), [&](Node method) {
             const Node whole = method.parent().Child(Field::kObject);
             if (!whole.Is(NodeKind::kIdentifier) || file.names().ScopeOf(whole) != scope ||
                 !IsDifferentiated(whole, file)) {
               return false;
             }
             return std::ranges::any_of(
                 file.names().BindingsOf(whole), [&](const Binding* binding) {
                   return binding->value && IsOperand(tensor.text(), binding->value);
                 });
           });
  }

  /// True if `expression` computes with the variable, element by element.
  static bool IsOperand(std::string_view variable, Node expression) {
    if (expression.Is(NodeKind::kIdentifier)) return expression.text() == variable;
    if (expression.Is(NodeKind::kParenthesizedExpression)) {
      return IsOperand(variable, expression.first_named_child());
    }
    return IsElementwise(expression) && (IsOperand(variable, expression.Child(Field::kLeft)) ||
                                         IsOperand(variable, expression.Child(Field::kRight)));
  }

  static bool IsElementwise(Node operation) {
    return operation.Is(NodeKind::kBinaryOperator) && SignOf(operation) != "@";
  }

  /// True if the file does so with a loss somewhere: it was written before torch 0.4.
  bool IsOfOldFile(const FileContext& file) const {
    return std::ranges::any_of(file.NodesSaying("data"), [&](Node name) {
      const Node data = name.parent();
      return name.field() == Field::kAttribute && ItemOf(data) &&
             IsOneNumber(data.Child(Field::kObject), file);
    });
  }

  /// `x.backward()`, which without a gradient takes one number alone.
  static bool IsDifferentiated(Node tensor, const FileContext& file) {
    const uint32_t scope = file.names().ScopeOf(tensor);
    return std::ranges::any_of(file.NodesSaying("backward"), [&](Node method) {
      const Node callee = method.parent();
      if (method.field() != Field::kAttribute || !IsCalled(callee)) return false;
      if (callee.Child(Field::kObject).text() != tensor.text()) return false;
      if (file.names().ScopeOf(callee) != scope) return false;
      const std::vector<Argument> given = ArgumentsOf(callee.parent());
      return std::ranges::all_of(given, [](const Argument& argument) {
        return !argument.is_splat && !argument.keyword.empty() && argument.keyword != "gradient";
      });
    });
  }

  /// What a loss gives that is not told to keep a dimension, and what is computed of it.
  bool IsLoss(Node tensor, const FileContext& file) const {
    const ValueSources& sources = file.sources();
    const std::vector<ValueSource> values = sources.Of(tensor);
    return !values.empty() && std::ranges::all_of(values, [&](const ValueSource& value) {
      return value.node != tensor && MakesOneNumber(value, sources, 0);
    });
  }

  bool MakesOneNumber(const ValueSource& value, const ValueSources& sources, int depth) const {
    constexpr int kDeepestOperand = 6;
    if (depth > kDeepestOperand) return false;
    if (IsElementwise(value.node)) {
      const ValueSource left = value.At(value.node.Child(Field::kLeft));
      const ValueSource right = value.At(value.node.Child(Field::kRight));
      const bool is_left = IsMadeOneNumber(left, sources, depth + 1);
      const bool is_right = IsMadeOneNumber(right, sources, depth + 1);
      return (is_left && (is_right || IsNoTensor(right, sources))) ||
             (is_right && IsNoTensor(left, sources));
    }
    if (!value.node.Is(NodeKind::kCall)) return false;
    return IsMadeBy(value, functions_) || IsWholeReduction(value) ||
           IsOfClass(value.At(value.node.Child(Field::kFunction)), sources, 0);
  }

  bool IsMadeOneNumber(const ValueSource& value, const ValueSources& sources, int depth) const {
    const std::vector<ValueSource> makers = sources.Of(value);
    return !makers.empty() && std::ranges::all_of(makers, [&](const ValueSource& maker) {
      return MakesOneNumber(maker, sources, depth);
    });
  }

  /// `len(x)`, `x.size()[1]`, 2
  static bool IsNoTensor(const ValueSource& value, const ValueSources& sources) {
    const std::vector<ValueSource> makers = sources.Of(value);
    return !makers.empty() && std::ranges::all_of(makers, [&](const ValueSource& maker) {
      const Classes classes(*maker.names, nullptr);
      return TensorTypes(*maker.names, classes).Of(maker.node) == ValueType::kOther;
    });
  }

  /// True if one of the classes makes whatever `object` can be.
  bool IsOfClass(const ValueSource& object, const ValueSources& sources, int depth) const {
    constexpr int kDeepestObject = 4;
    const std::vector<ValueSource> makers = sources.Of(object);
    return depth < kDeepestObject && !makers.empty() &&
           std::ranges::all_of(makers, [&](const ValueSource& maker) {
             const ValueSource first = maker.At(MadeFirst(maker.node));
             if (first.node.Is(NodeKind::kCall)) return IsMadeBy(first, classes_);
             return first.node != object.node && IsOfClass(first, sources, depth + 1);
           });
  }

  /// True if the argument is, or may be, what `kept` says: `reduction=none`.
  static bool Keeps(const Argument& argument, std::string_view kept) {
    const size_t equal = kept.find('=');
    if (argument.keyword != kept.substr(0, equal)) return false;
    const Node text = PlainStringContent(argument.value);
    const bool is_constant = text || argument.value.Is(NodeKind::kTrue) ||
                             argument.value.Is(NodeKind::kFalse) ||
                             argument.value.Is(NodeKind::kNone);
    return !is_constant || (text ? text : argument.value).text() == kept.substr(equal + 1);
  }

  bool IsMadeBy(const ValueSource& call, const std::vector<std::string>& makers) const {
    if (!call.node.Is(NodeKind::kCall)) return false;
    const std::vector<Argument> given = ArgumentsOf(call.node);
    const bool may_keep = std::ranges::any_of(given, [&](const Argument& argument) {
      return argument.is_splat || std::ranges::any_of(kept_by_, [&](std::string_view kept) {
               return Keeps(argument, kept);
             });
    });
    return !may_keep && std::ranges::any_of(makers, [&](const std::string& maker) {
      return call.names->IsNamed(call.node.Child(Field::kFunction), maker);
    });
  }

  std::vector<std::string> functions_;
  std::vector<std::string> classes_;
  std::vector<std::string> kept_by_;
};

}  // namespace

RuleKind ScalarItemRuleKind() {
  return {
      "ScalarItemRule",
      "Writes x.item() for x.data[0] where x holds one number without a dimension: a program "
      "computes its gradients by x.backward(), or a loss gives it; and for x[0] where x is a sum "
      "over all elements.",
      {{"functions", FieldType::kStringList, true,
        "Functions that give one number, by their full names."},
       {"classes", FieldType::kStringList, true,
        "Classes whose objects, once called, give one number."},
       {"kept_by", FieldType::kStringList, false,
        "Arguments with which they give more: reduction=none."},
       {"source", FieldType::kString, false, "Where this is documented."}},
      MakeRule<ScalarItemRule>};
}

}  // namespace transplt
