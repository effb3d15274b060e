// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/base/text_parts.h"
#include "transplt/python/arguments.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/default_argument.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"

namespace transplt {
namespace {

/// Writes the device in the place of None, one branch of the choice that a call passes, where None
/// means CUDA.
class NoneArgumentRule : public Rule {
 public:
  NoneArgumentRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        func_name_(fields.String("func_name")),
        argument_{fields.String("arg_keyword"), fields.Integer("arg_idx", -1)},
        value_(fields.String("arg_new")) {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kCall, func_name_}}; }

  WordSets required_words() const override {
    WordSets words = WordsOfName(func_name_);
    for (std::vector<std::string>& all : words) all.emplace_back("None");
    return words;
  }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    if (!node.Child(Field::kArguments).Is(NodeKind::kArgumentList)) return;
    if (!PassesArgumentsTo(node, func_name_, file) || IsInUnpickling(node)) return;
    const std::vector<Argument> arguments = ArgumentsPassed(node, file);
    const Argument* given = argument_.GivenIn(arguments);
    if (given != nullptr) CheckBranches(given->value, file, findings);
  }

 private:
  /// What an object reads when it is unpickled, a program of the same kind has written.
  static bool IsInUnpickling(Node node) {
    const Node function = DefinitionAround(node);
    return function && function.Child(Field::kName).text() == "__setstate__";
  }

  /// `None if torch.cuda.is_available() else "cpu"`: None becomes the value. Where a variable holds
  /// the choice, which may be for something else too, the place is reported.
  void CheckBranches(Node value, const FileContext& file, Findings& findings) const {
    while (value.Is(NodeKind::kParenthesizedExpression)) value = value.first_named_child();
    Finding finding;
    finding.rule_id = id();
    finding.applicability = Applicability::kUnsafe;
    finding.message =
        Say("pass {}={} in place of None to function {}: ", "为函数 {2} 传入 {0}={1} 以代替 None: ",
            argument_.keyword, value_, func_name_);
    finding.message.en += header().why.en;
    finding.message.zh += header().why.zh;
    Choice choice = ChoiceIn(value);
    if (const Node chosen = ValueOnlyFor(value, file)) {
      choice = ChoiceIn(chosen);
      const bool is_positional = !value.parent().Is(NodeKind::kKeywordArgument);
      if (is_positional && !choice.is_where_it_holds) choice.is_beside_host = false;
      if (choice.is_beside_host && !IsFirstUse(value, file)) return;  // changed with that
    }
    if (choice.none && choice.is_beside_host) {
      finding.range = choice.none.range();
      finding.fix.Replace(choice.none.range(), value_);
      finding.needs_device_import = true;
      findings.push_back(std::move(finding));
      return;
    }
    finding.range = value.range();
    finding.operation = Operation::kSuggestion;
    finding.applicability = Applicability::kDisplayOnly;
    bool may_be_none = bool(choice.none);
    if (value.Is(NodeKind::kIdentifier)) {
      may_be_none = std::ranges::any_of(file.names().BindingsOf(value), [](const Binding* binding) {
        return binding->kind == BindingKind::kAssignment && ChoiceIn(binding->value).none;
      });
    }
    if (may_be_none) findings.push_back(std::move(finding));
  }

  /// The value of the variable `use`, if it has one alone and is only passed on as this argument.
  Node ValueOnlyFor(Node use, const FileContext& file) const {
    if (!use.Is(NodeKind::kIdentifier)) return {};
    const NameTable::Meanings bindings = file.names().BindingsOf(use);
    if (bindings.size() != 1 || bindings[0]->kind != BindingKind::kAssignment) return {};
    const bool is_passed = std::ranges::all_of(UsesOf(*bindings[0], file), [&](Node other) {
      const Node parent = other.parent();
      if (parent.Is(NodeKind::kKeywordArgument)) {
        return parent.Child(Field::kName).text() == argument_.keyword;
      }
      const Node call = parent.parent();
      if (!call.Is(NodeKind::kCall) || !PassesArgumentsTo(call, func_name_, file)) return false;
      const std::vector<Argument> arguments = ArgumentsOf(call);
      const Argument* given = argument_.GivenIn(arguments);
      return given != nullptr && given->value == other;
    });
    return is_passed ? bindings[0]->value : Node();
  }

  static std::vector<Node> UsesOf(const Binding& binding, const FileContext& file) {
    std::vector<Node> uses;
    for (const Node node : file.NodesSaying(binding.name)) {
      if (!node.Is(NodeKind::kIdentifier) || node == binding.node) continue;
      const NameTable::Meanings meanings = file.names().BindingsOf(node);
      const bool is_key = node.field() == Field::kName;
      if (!is_key && std::ranges::find(meanings, &binding) != meanings.end()) uses.push_back(node);
    }
    return uses;
  }

  static bool IsFirstUse(Node use, const FileContext& file) {
    return UsesOf(*file.names().BindingsOf(use)[0], file).front() == use;
  }

  struct Choice {
    Node none;                    ///< of `None if a else b` or of `b if a else None`
    bool is_beside_host = false;  ///< the other branch is the CPU
    /// `None if a else b`, `b if not a else None`
    bool is_where_it_holds = false;
  };

  /// Beside the name of another device None is for the CPU, and nothing is chosen.
  static Choice ChoiceIn(Node value) {
    if (!value.Is(NodeKind::kConditionalExpression)) return {};
    const Node yes = value.first_named_child();
    const Node condition = yes.next_named_sibling();
    const Node no = condition ? condition.next_named_sibling() : Node();
    if (yes.Is(NodeKind::kNone) == no.Is(NodeKind::kNone)) return {};
    const Node other = yes.Is(NodeKind::kNone) ? no : yes;
    const bool is_host = HasPart(other.text(), "cpu");
    if (!is_host && other.Is(NodeKind::kString)) return {};
    return {yes.Is(NodeKind::kNone) ? yes : no, is_host,
            yes.Is(NodeKind::kNone) != condition.Is(NodeKind::kNotOperator)};
  }

  std::string func_name_;
  DefaultArgument argument_;
  std::string value_;
};

}  // namespace

RuleKind NoneArgumentRuleKind() {
  return {
      "NoneArgumentRule",
      "Writes a value in the place of None, where a call passes a choice one branch of which is "
      "None. A variable that holds such a choice for more than this is reported.",
      {{"func_name", FieldType::kDottedName, true, "The function."},
       {"arg_keyword", FieldType::kDottedName, true, "The keyword of the argument."},
       {"arg_new", FieldType::kString, true,
        "The value, as Python text, which needs the package of the target."},
       {"arg_idx", FieldType::kInteger, false, "Its position, if it can be positional."}},
      MakeRule<NoneArgumentRule>};
}

}  // namespace transplt
