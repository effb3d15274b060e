// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/base/one_of.h"
#include "transplt/facts/base_constructor.h"
#include "transplt/facts/value_sources.h"
#include "transplt/rule_kinds/api_calls.h"
#include "transplt/rule_kinds/default_argument.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/syntax/node_walk.h"

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
    if (given == nullptr) return CheckMappings(arguments, file, findings);
    // Behind `*x` no position is known.
    const bool is_known = std::none_of(arguments.data(), given + 1, [&](const Argument& argument) {
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
  /// `options = {"verbose": True}` and `options["verbose"] = True` before `StepLR(o, **options)`.
  void CheckMappings(const std::vector<Argument>& arguments, const FileContext& file,
                     Findings& findings) const {
    for (const Argument& argument : arguments) {
      if (!argument.node.Is(NodeKind::kDictionarySplat)) continue;
      Node key = ItemSetBefore(argument.value, file);
      bool is_here = true;
      const ValueSources& sources = file.sources();
      for (const ValueSource& source :
           key ? std::vector<ValueSource>() : sources.Of(argument.value)) {
        key = KeyIn(source.node);
        is_here = source.names == &file.names();
        if (key) break;
      }
      if (!key) continue;
      const Node place = is_here ? key : argument.node;
      return findings.push_back(Row(place.range(), WhyOf(argument_.keyword)));
    }
  }

  /// Where a dictionary, `{"verbose": True}` or `dict(verbose=True)`, has the argument; a null node
  /// where it has none, and for anything else.
  Node KeyIn(Node mapping) const {
    if (mapping.Is(NodeKind::kDictionary)) {
      for (const Node pair : NamedChildren(mapping)) {
        const Node key = pair.Is(NodeKind::kPair) ? pair.Child(Field::kKey) : Node();
        if (IsKey(key)) return key;
      }
      return {};
    }
    const bool is_call =
        mapping.Is(NodeKind::kCall) && mapping.Child(Field::kFunction).text() == "dict";
    if (!is_call) return {};
    const std::vector<Argument> items = ArgumentsOf(mapping);
    const Argument* item = FindKeyword(items, argument_.keyword);
    return item == nullptr ? Node() : item->node;
  }

  bool IsKey(Node key) const {
    const Node content = key.Is(NodeKind::kString) ? PlainStringContent(key) : Node();
    return content && content.text() == argument_.keyword;
  }

  /// The key of `options["verbose"] = True` in front of a use of the variable `mapping`.
  Node ItemSetBefore(Node mapping, const FileContext& file) const {
    if (!mapping.Is(NodeKind::kIdentifier)) return {};
    const NameTable::Meanings meanings = file.names().BindingsOf(mapping);
    for (const Node word : file.NodesSaying(argument_.keyword)) {
      const Node key = word.parent();
      const Node item = key.parent();
      const bool is_set = item.Is(NodeKind::kSubscript) && item.field() == Field::kLeft &&
                          IsKey(key) && item.range().start < mapping.range().start;
      const Node holder = is_set ? item.Child(Field::kValue) : Node();
      const bool is_it = holder.Is(NodeKind::kIdentifier) && holder.text() == mapping.text() &&
                         !meanings.empty() && file.names().BindingsOf(holder) == meanings;
      if (is_it) return key;
    }
    return {};
  }

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
  return {
      "RemovedArgumentRule",
      "Takes out an argument that newer versions of functions do not take any more, by keyword "
      "or position, also where a derived class passes it to the constructor of its base. Where a "
      "dictionary in sight holds it for **options, that is reported.",
      {{"functions", FieldType::kStringList, true, "The functions or classes by full names."},
       {"arg_keyword", FieldType::kDottedName, true, "The keyword of the argument."},
       {"arg_idx", FieldType::kInteger, false, "Its position, if it can be positional."},
       {"source", FieldType::kString, false, "Where this is documented."}},
      MakeRemovedArgumentRule};
}

}  // namespace transplt
