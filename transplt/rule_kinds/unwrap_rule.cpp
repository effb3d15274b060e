// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/unwrap_rule.h"

#include <algorithm>

#include "transplt/base/json_document.h"
#include "transplt/facts/module_inputs.h"
#include "transplt/python/arguments.h"
#include "transplt/rule_kinds/api_calls.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// Puts what a function wraps in the place of its call: `DataParallel(model).to(d)` becomes
/// `model.to(d)`.
class UnwrapRule : public Rule {
 public:
  UnwrapRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        func_name_(fields.String("func_name")),
        arg_keyword_(fields.String("arg_keyword")),
        member_(fields.String("member")),
        moves_inputs_(fields.Boolean("moves_inputs", false)) {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kCall, func_name_}}; }

  WordSets required_words() const override { return {{std::string(LastPart(func_name_))}}; }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    if (!Calls(node, func_name_, file)) return;
    if (MayBeOther(node, func_name_, file)) {
      return findings.push_back(Row(node.range(), MayBeOtherMessage(func_name_)));
    }
    const std::vector<Argument> arguments = ArgumentsOf(node);
    const Argument* wrapped = FindKeyword(arguments, arg_keyword_);
    if (wrapped == nullptr && !arguments.empty() && arguments[0].keyword.empty() &&
        !arguments[0].is_splat) {
      wrapped = arguments.data();
    }
    if (wrapped == nullptr) return;
    if (const Node use = MemberIn(file)) {
      return findings.push_back(
          Row(node.range(), Say("{} stays, because .{} in line {} is a member of it",
                                "{0} 保持不变, 因为第 {2} 行使用了它的成员 .{1}", func_name_,
                                member_, file.source().Locate(use.range().start).line)));
    }
    if (moves_inputs_) {
      const ModuleInputs inputs = InputsOfModule(node, file.code());
      if (!inputs.is_called || inputs.unplaced) {
        return findings.push_back(Row(node.range(), WhyStays(inputs)));
      }
    }
    Finding finding = Change(node.range());
    finding.message =
        Say("take {} off {}", "去除 {1} 外层的 {0}", func_name_, wrapped->value.text());
    const bool is_atomic = IsAtomic(wrapped->value);
    const TextRange inner = wrapped->value.range();
    finding.fix.Replace({node.range().start, inner.start}, is_atomic ? "" : "(");
    finding.fix.Replace({inner.end, node.range().end}, is_atomic ? "" : ")");
    findings.push_back(std::move(finding));
  }

 private:
  Text WhyStays(const ModuleInputs& inputs) const {
    if (!inputs.unplaced) {
      return Say(
          "{} stays: it moves what the model is called with to the device, and no call shows "
          "that this is there without it; where it is, take {} off by hand",
          "{0} 保持不变: 它会把模型的输入移至设备, 而源代码中没有调用表明输入本已在设备上; "
          "若确实如此, 请手动去除 {1}",
          func_name_, func_name_);
    }
    const ValueSource& value = *inputs.unplaced;
    const uint32_t line = value.names->tree().source().Locate(value.node.range().start).line;
    return Say(
        "{} stays: it moves what the model is called with to the device, and nothing shows "
        "that {} ({}:{}) is there without it; move that to the device before the call, and "
        "take {} off by hand",
        "{0} 保持不变: 它会把模型的输入移至设备, 而源代码未表明 {1} ({2}:{3}) 本已在设备上; "
        "请在调用前将其移至设备, 再手动去除 {4}",
        func_name_, QuoteForMessage(value.node.text()), value.path(), line, func_name_);
  }

  /// A use of the member that the wrapper adds, which what is wrapped lacks.
  Node MemberIn(const FileContext& file) const {
    if (member_.empty()) return {};
    for (const Node node : NodesIn(file.tree())) {
      if (node.Is(NodeKind::kAttribute) && node.Child(Field::kAttribute).text() == member_ &&
          node.Child(Field::kObject).text() != "self" && !IsAskedFor(node)) {
        return node;
      }
    }
    return {};
  }

  /// `model.module if hasattr(model, "module") else model`, `if isinstance(model, DataParallel):`
  static bool IsAskedFor(Node member) {
    const std::string_view object = member.Child(Field::kObject).text();
    for (Node child = member, up = member.parent(); up; child = up, up = up.parent()) {
      const bool is_branch =
          up.Is(NodeKind::kConditionalExpression)
              ? child == up.first_named_child()
              : up.Is(NodeKind::kIfStatement) && child.field() == Field::kConsequence;
      if (!is_branch) continue;
      const Node condition = up.Is(NodeKind::kIfStatement)
                                 ? up.Child(Field::kCondition)
                                 : up.first_named_child().next_named_sibling();
      if (condition.Is(NodeKind::kCall) && AsksAbout(condition, object)) return true;
    }
    return false;
  }

  static bool AsksAbout(Node call, std::string_view object) {
    const std::string_view function = call.Child(Field::kFunction).text();
    const std::vector<Argument> arguments = ArgumentsOf(call);
    return (function == "hasattr" || function == "isinstance") && !arguments.empty() &&
           arguments[0].value.text() == object;
  }

  std::string func_name_;
  std::string arg_keyword_;
  std::string member_;
  bool moves_inputs_;
};

}  // namespace

RuleKind UnwrapRuleKind() {
  return {"UnwrapRule",
          "Puts what a function wraps in the place of its call.",
          {{"func_name", FieldType::kDottedName, true, "The function or class that wraps."},
           {"arg_keyword", FieldType::kDottedName, true,
            "The keyword of what is wrapped, which else is the first argument."},
           {"member", FieldType::kDottedName, false,
            "A member that only the wrapper has: a file that uses it without asking whether it is "
            "there is reported."},
           {"moves_inputs", FieldType::kBoolean, false,
            "The wrapper moves what it is called with to the device: it stays, and is reported, "
            "where the calls do not show that this is there already."}},
          MakeRule<UnwrapRule>};
}

}  // namespace transplt
