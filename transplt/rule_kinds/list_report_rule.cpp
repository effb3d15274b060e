// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "transplt/engine/file_context.h"
#include "transplt/facts/value_sources.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"

namespace transplt {
namespace {

/// Reports lists and tuples that are handed to a function which takes a tensor.
class ListReportRule : public Rule {
 public:
  ListReportRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)), functions_(fields.List("functions")) {}

  std::vector<Trigger> triggers() const override {
    std::vector<Trigger> triggers;
    for (const std::string& function : functions_) triggers.push_back({NodeKind::kCall, function});
    return triggers;
  }

  WordSets required_words() const override {
    WordSets words;
    for (const std::string& function : functions_) {
      for (std::vector<std::string>& one : WordsOfName(function)) words.push_back(std::move(one));
    }
    return words;
  }

  void Check(Node call, const FileContext& file, Findings& findings) const override {
    const Node callee = call.Child(Field::kFunction);
    const std::vector<Argument> arguments = ArgumentsOf(call);
    if (arguments.empty() || arguments[0].is_splat || !arguments[0].keyword.empty()) return;
    const Node given = arguments[0].value;
    // What is written there, or a name that has nothing else.
    const bool may_be = IsSequence(given) || given.Is(NodeKind::kIdentifier);
    if (!may_be || !NamesOneOf(callee, functions_, file.names())) return;
    const std::vector<QualifiedName> names = file.names().Resolve(callee);
    const bool is_only = names.size() == 1 && !names[0].local;
    if (!is_only) return;
    const std::vector<ValueSource> sources = file.sources().Of(given);
    const bool is_sequence =
        !sources.empty() && std::ranges::all_of(sources, [](const ValueSource& source) {
          return IsSequence(source.node);
        });
    if (is_sequence) findings.push_back(Row(callee.range(), WhyOf(callee.text())));
  }

 private:
  static bool IsSequence(Node node) {
    return node.Is(NodeKind::kList) || node.Is(NodeKind::kTuple) ||
           node.Is(NodeKind::kListComprehension) || node.Is(NodeKind::kGeneratorExpression);
  }

  std::vector<std::string> functions_;
};

}  // namespace

RuleKind ListReportRuleKind() {
  return {"ListReportRule",
          "Reports lists, tuples and generators that are handed to functions which take a tensor. "
          "The rule's why is the message.",
          {{"functions", FieldType::kStringList, true,
            "Functions whose first argument is a tensor, by their full names."},
           {"source", FieldType::kString, false, "Where this is documented."}},
          MakeRule<ListReportRule>};
}

}  // namespace transplt
