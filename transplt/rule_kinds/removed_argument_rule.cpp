// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/base/one_of.h"
#include "transplt/facts/base_constructor.h"
#include "transplt/rule_kinds/api_calls.h"
#include "transplt/rule_kinds/default_argument.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"

namespace transplt {
namespace {

/// Takes out an argument that newer versions of functions do not take any more:
/// `StepLR(optimizer, 30, verbose=True)` becomes `StepLR(optimizer, 30)`.
class RemovedArgumentRule : public Rule {
 public:
  RemovedArgumentRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        functions_(fields.List("functions")),
        argument_{fields.String("arg_keyword"), fields.Integer("arg_idx", -1)} {}

  std::vector<Trigger> triggers() const override {
    std::vector<Trigger> triggers;
    for (const std::string& function : functions_) triggers.push_back({NodeKind::kCall, function});
    return triggers;
  }

  WordSets required_words() const override {
    WordSets words;
    for (const std::string& function : functions_) {
      for (std::vector<std::string>& all : WordsOfName(function)) words.push_back(std::move(all));
    }
    return words;
  }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    const auto function = std::ranges::find_if(
        functions_, [&](const std::string& one) { return PassesArgumentsTo(node, one, file); });
    if (function == functions_.end()) return;
    const std::vector<Argument> arguments = ArgumentsPassed(node, file);
    const Argument* given = argument_.GivenIn(arguments);
    // Behind `*x` no position is known.
    const bool is_known = given != nullptr &&
                          std::none_of(arguments.data(), given + 1, [&](const Argument& argument) {
                            return argument.is_splat && given->keyword.empty();
                          });
    if (!is_known) return;
    if (MayBeAnother(node, file)) {
      return findings.push_back(Row(given->node.range(), MayBeOtherMessage(*function)));
    }
    if (HasSideEffects(given->value)) {
      return findings.push_back(Row(given->node.range(), WhyOf(argument_.keyword)));
    }
    Finding finding = Change(given->range);
    finding.operation = Operation::kDelete;
    finding.message =
        Say("take the argument {} of {} out", "移除 {1} 的参数 {0}", argument_.keyword, *function);
    // The comma before it goes, too: that of `self` is the one before the first.
    const std::vector<Argument> spelled = ArgumentsOf(node);
    const size_t skipped = spelled.size() - arguments.size();
    finding.fix.edits.push_back(
        DeleteArgument(spelled, skipped + static_cast<size_t>(given - arguments.data())));
    findings.push_back(std::move(finding));
  }

 private:
  /// True if what `call` calls may stand for something else than these functions.
  bool MayBeAnother(Node call, const FileContext& file) const {
    const std::optional<BaseConstructor> constructor = BaseConstructorOf(call, file.names());
    if (constructor) return HasOthers(constructor->bases);
    return std::ranges::any_of(CalleesOf(call), [&](const Callee& callee) {
      return HasOthers(file.names().Resolve(callee.expression));
    });
  }

  bool HasOthers(const std::vector<QualifiedName>& names) const {
    return std::ranges::any_of(
        names, [&](const QualifiedName& name) { return !IsOneOf(name.name, functions_); });
  }

  std::vector<std::string> functions_;
  DefaultArgument argument_;
};

Result<std::unique_ptr<Rule>> MakeRemovedArgumentRule(RuleHeader header, const Fields& fields) {
  if (fields.List("functions").empty()) {
    return BadRule(
        Say("\"functions\" names at least one function", "\"functions\" 须至少给出一个函数"));
  }
  return MakeRule<RemovedArgumentRule>(std::move(header), fields);
}

}  // namespace

RuleKind RemovedArgumentRuleKind() {
  return {"RemovedArgumentRule",
          "Takes out an argument that newer versions of functions do not take any more, by keyword "
          "or position, also where a derived class passes it to the constructor of its base.",
          {{"functions", FieldType::kStringList, true, "The functions or classes by full names."},
           {"arg_keyword", FieldType::kDottedName, true, "The keyword of the argument."},
           {"arg_idx", FieldType::kInteger, false, "Its position, if it can be positional."},
           {"source", FieldType::kString, false, "Where this is documented."}},
          MakeRemovedArgumentRule};
}

}  // namespace transplt
