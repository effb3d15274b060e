// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/engine/file_context.h"
#include "transplt/facts/value_sources.h"
#include "transplt/python/arguments.h"
#include "transplt/python/places_of_file.h"
#include "transplt/rule_kinds/rule_kind_rows.h"

namespace transplt {
namespace {

/// Calls a builtin function of Python in place of a method that objects had once: `it.next()`.
class BuiltinCallRule : public Rule {
 public:
  BuiltinCallRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        method_(fields.String("method")),
        function_(fields.String("function")),
        made_by_(fields.String("made_by")) {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kCall, method_}}; }

  WordSets required_words() const override { return {{method_}}; }

  void Check(Node call, const FileContext& file, Findings& findings) const override {
    const Node callee = call.Child(Field::kFunction);
    if (!callee.Is(NodeKind::kAttribute) || !ArgumentsOf(call).empty()) return;
    const Node object = callee.Child(Field::kObject);
    if (callee.Child(Field::kAttribute).text() != method_ || !IsMade(object, file)) return;
    if (IsOwnName(file)) return findings.push_back(Row(call.range(), WhyOf(method_)));
    Finding finding = Change(
        call.range(), Say("call {}() in place of .{}()", "以 {}() 代替 .{}()", function_, method_));
    finding.fix.Insert(object.range().start, function_ + "(");
    finding.fix.Replace({object.range().end, call.range().end}, ")");
    findings.push_back(std::move(finding));
  }

 private:
  /// True if the file gives the builtin's name another meaning, other than to a method.
  bool IsOwnName(const FileContext& file) const {
    return std::ranges::any_of(
        file.names().places().BindingsNamed(function_), [&](const Binding* binding) {
          return !file.names().ScopeNode(binding->scope).Is(NodeKind::kClassDefinition);
        });
  }

  /// True if the builtin that the rule names makes all that `object` can be.
  bool IsMade(Node object, const FileContext& file) const {
    const ValueSources& sources = file.sources();
    const std::vector<ValueSource> all = sources.Of(object);
    return !all.empty() && std::ranges::all_of(all, [&](const ValueSource& source) {
      const Node callee = source.node.Child(Field::kFunction);
      return source.node.Is(NodeKind::kCall) && callee.Is(NodeKind::kIdentifier) &&
             callee.text() == made_by_ && source.names->BindingsOf(callee).empty();
    });
  }

  std::string method_;
  std::string function_;
  std::string made_by_;
};

}  // namespace

RuleKind BuiltinCallRuleKind() {
  return {"BuiltinCallRule",
          "Calls a builtin function of Python in place of a method without arguments, of objects "
          "that another builtin has made.",
          {{"method", FieldType::kDottedName, true, "The method: next."},
           {"function", FieldType::kDottedName, true, "The builtin function: next."},
           {"made_by", FieldType::kDottedName, true, "The builtin that makes the objects: iter."}},
          MakeRule<BuiltinCallRule>};
}

}  // namespace transplt
