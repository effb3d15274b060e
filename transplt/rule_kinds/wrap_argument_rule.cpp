// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "transplt/base/one_of.h"
#include "transplt/facts/value_sources.h"
#include "transplt/python/arguments.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"

namespace transplt {
namespace {

/// Puts a builtin of Python around an argument that provably is of a kind which newer versions of
/// the function refuse.
class WrapArgumentRule : public Rule {
 public:
  WrapArgumentRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        function_(fields.String("func_name")),
        keyword_(fields.String("arg_keyword")),
        index_(static_cast<size_t>(fields.Integer("arg_idx", 0))),
        wrapper_(fields.String("wrapper")),
        made_by_(fields.List("made_by")),
        methods_(fields.List("methods")),
        displays_(fields.Boolean("set_displays", false)),
        generators_(fields.Boolean("generators", false)),
        takes_place_(fields.Boolean("takes_place", false)) {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kCall, function_}}; }
  WordSets required_words() const override { return WordsOfName(function_); }

  void Check(Node call, const FileContext& file, Findings& findings) const override {
    if (!file.names().IsNamed(call.Child(Field::kFunction), function_)) return;
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const Argument* argument = FindArgument(arguments, index_, keyword_);
    if (argument == nullptr || !IsRefused(argument->value, file) || IsHidden(file)) return;
    const TextRange range = argument->value.range();
    Finding finding = Change(range, WhyOf(function_));
    if (takes_place_) {
      // What the other arguments mean to the builtin is not known.
      if (arguments.size() != 1) return findings.push_back(Row(call.range(), WhyOf(function_)));
      finding.range = call.Child(Field::kFunction).range();
      finding.fix.edits.push_back({finding.range, wrapper_});
      return findings.push_back(std::move(finding));
    }
    finding.fix.edits.push_back({{range.start, range.start}, wrapper_ + "("});
    finding.fix.edits.push_back({{range.end, range.end}, ")"});
    findings.push_back(std::move(finding));
  }

 private:
  bool IsHidden(const FileContext& file) const {
    return std::ranges::any_of(file.names().bindings(),
                               [&](const Binding& binding) { return binding.name == wrapper_; });
  }

  bool IsRefused(Node value, const FileContext& file) const {
    const std::vector<ValueSource> sources = file.sources().Of(value);
    return !sources.empty() &&
           std::ranges::all_of(sources, [&](const ValueSource& source) { return IsMade(source); });
  }

  bool IsMade(const ValueSource& source) const {
    const Node node = source.node;
    if (node.Is(NodeKind::kSet) || node.Is(NodeKind::kSetComprehension)) return displays_;
    if (node.Is(NodeKind::kGeneratorExpression)) return generators_;
    if (!node.Is(NodeKind::kCall)) return false;
    const Node callee = node.Child(Field::kFunction);
    if (callee.Is(NodeKind::kAttribute)) {
      return IsOneOf(callee.Child(Field::kAttribute).text(), methods_) && ArgumentsOf(node).empty();
    }
    return callee.Is(NodeKind::kIdentifier) && IsOneOf(callee.text(), made_by_) &&
           source.names->BindingsOf(callee).empty();
  }

  std::string function_;
  std::string keyword_;
  size_t index_;
  std::string wrapper_;
  std::vector<std::string> made_by_;
  std::vector<std::string> methods_;
  bool displays_;
  bool generators_;
  bool takes_place_;
};

}  // namespace

RuleKind WrapArgumentRuleKind() {
  return {
      "WrapArgumentRule",
      "Puts a builtin of Python around an argument that provably is of a kind which newer "
      "versions of the function refuse.",
      {{"func_name", FieldType::kDottedName, true, "The function by its full name."},
       {"arg_keyword", FieldType::kString, true, "The keyword of the argument."},
       {"arg_idx", FieldType::kInteger, true, "Its position, from 0."},
       {"wrapper", FieldType::kString, true, "The builtin: tuple."},
       {"made_by", FieldType::kStringList, false, "Builtins that give what is refused: set."},
       {"methods", FieldType::kStringList, false, "Methods without arguments that give it: keys."},
       {"set_displays", FieldType::kBoolean, false, "{1, 2} and {x for x in y} give it, too."},
       {"generators", FieldType::kBoolean, false, "(x for x in y) gives it, too."},
       {"takes_place", FieldType::kBoolean, false,
        "The builtin takes the place of the function, where the argument is the only one: sum(x "
        "for x in y)."}},
      MakeRule<WrapArgumentRule>};
}

}  // namespace transplt
