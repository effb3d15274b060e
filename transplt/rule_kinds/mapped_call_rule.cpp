// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/value_sources.h"
#include "transplt/python/arguments.h"
#include "transplt/rule_kinds/api_calls.h"
#include "transplt/rule_kinds/device_text.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"

namespace transplt {
namespace {

/// The names that `value` stands for: the text of a string, the full names of an attribute.
std::vector<std::string> NamesOf(const ValueSource& value) {
  if (const Node content = PlainStringContent(value.node)) return {std::string(content.text())};
  std::vector<std::string> names;
  for (QualifiedName& name : value.names->Resolve(value.node)) {
    if (!name.local) names.push_back(std::move(name.name));
  }
  return names;
}

/// What the table has in place of a value: "npu", and the argument of the second call.
struct MappedValue {
  std::string text;
  std::string second;  ///< empty if the rule has no second call
};

/// Calls another function with another value, by a table of values. The two belong together: each
/// alone would be a call that fails. Where the value says two things, a second call says the other:
/// in a file whose calls say nothing but the usual there, it is not needed.
class MappedCallRule : public Rule {
 public:
  MappedCallRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        func_name_(fields.String("func_name")),
        new_name_(fields.String("new_name")),
        second_name_(fields.String("second_name")),
        usual_second_(fields.String("usual_second")),
        needs_(fields.List("needs")) {
    for (const std::string& pair : fields.List("values")) {
      const size_t sign = pair.find('=');
      const std::string value = pair.substr(sign + 1);
      const size_t comma = std::min(value.find(','), value.size());
      values_.emplace(
          pair.substr(0, sign),
          MappedValue{value.substr(0, comma), comma < value.size() ? value.substr(comma + 1) : ""});
    }
  }

  std::vector<Trigger> triggers() const override { return {{NodeKind::kCall, func_name_}}; }

  WordSets required_words() const override { return WordsOfName(func_name_); }

  void Check(Node call, const FileContext& file, Findings& findings) const override {
    if (!Calls(call, func_name_, file) || !IsNeeded(call, file)) return;
    if (MayBeOther(call, func_name_, file)) {
      return findings.push_back(Row(call.range(), MayBeOtherMessage(func_name_)));
    }
    Finding finding = Change(call.range());
    finding.applicability = Applicability::kUnsafe;
    const bool has_second = NeedsSecond(file);
    const std::string names = has_second ? new_name_ + ", " + second_name_ : new_name_;
    finding.message = Say("change function {} to {}: ", "将函数 {} 改为 {}: ", func_name_, names);
    finding.message.en += header().why.en;
    finding.message.zh += header().why.zh;
    if (Rewrite(call, file, has_second, finding)) {
      finding.needs_device_import = true;
      finding.takes_over = true;  // the value is not to be renamed where it stands
      findings.push_back(std::move(finding));
    } else if (MayHold(call, file)) {
      findings.push_back(Row(call.range(), WhyOf(func_name_)));
    }
  }

 private:
  /// True if `matches` holds for a call of the function in this file.
  template <typename Predicate>
  bool AnyCall(const FileContext& file, Predicate matches) const {
    return std::ranges::any_of(file.NodesSaying(LastPart(func_name_)), [&](Node said) {
      const Node callee = said.field() == Field::kAttribute ? said.parent() : said;
      return callee.field() == Field::kFunction && Calls(callee.parent(), func_name_, file) &&
             matches(callee.parent());
    });
  }

  /// True if a call in this file passes a value that cannot stay: then all of its calls follow.
  bool IsNeeded(Node call, const FileContext& file) const {
    return MayHold(call, file) || AnyCall(file, [&](Node other) { return MayHold(other, file); });
  }

  /// True if a call in this file says something else than the usual in its second part.
  bool NeedsSecond(const FileContext& file) const {
    if (second_name_.empty()) return false;
    const ValueSources& sources = file.sources();
    return AnyCall(file, [&](Node call) {
      return std::ranges::any_of(ArgumentsOf(call), [&](const Argument& argument) {
        return std::ranges::any_of(sources.Of(argument.value), [&](const ValueSource& source) {
          return std::ranges::any_of(NamesOf(source), [&](const std::string& name) {
            const auto entry = values_.find(name);
            return entry != values_.end() && entry->second.second != usual_second_;
          });
        });
      });
    });
  }

  /// True if what `call` passes may be one of the values that cannot stay.
  bool MayHold(Node call, const FileContext& file) const {
    const ValueSources& sources = file.sources();
    const std::vector<Argument> arguments = ArgumentsOf(call);
    return std::ranges::any_of(arguments, [&](const Argument& argument) {
      return std::ranges::any_of(sources.Of(argument.value), [&](const ValueSource& source) {
        return std::ranges::any_of(NamesOf(source), [&](const std::string& name) {
          return std::ranges::any_of(
              needs_, [&](const std::string& pattern) { return MatchesPattern(pattern, name); });
        });
      });
    });
  }

  /// False if the call passes something that the table does not have, or that a variable holds.
  bool Rewrite(Node call, const FileContext& file, bool has_second, Finding& finding) const {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const Node callee = call.Child(Field::kFunction);
    if (arguments.size() != 1 || !arguments[0].keyword.empty() || arguments[0].is_splat ||
        !callee.Is(NodeKind::kAttribute) ||
        LastPart(func_name_) != callee.Child(Field::kAttribute).text()) {
      return false;
    }
    finding.fix.Replace(callee.Child(Field::kAttribute).range(), std::string(LastPart(new_name_)));
    return RewriteValue(arguments[0].value, file, finding.fix) &&
           (!has_second || AddSecond(call, arguments[0].value, file, finding.fix));
  }

  /// Writes the second call below the first. False where no statement can stand there, or if a
  /// condition chooses the value.
  bool AddSecond(Node call, Node value, const FileContext& file, Fix& fix) const {
    const std::optional<std::string> margin = IndentOfStatement(call);
    const MappedValue* mapped = MappedBy(value, file);
    if (!margin || mapped == nullptr) return false;
    const uint32_t end = call.range().end;
    const std::string_view module = call.Child(Field::kFunction).Child(Field::kObject).text();
    fix.Insert(end, fmt::format("{}{}{}.{}({}.{})", file.source().LineEndAt(end), *margin, module,
                                LastPart(second_name_), module, mapped->second));
    return true;
  }

  /// What the table has for a value that is written out; null if it has nothing.
  const MappedValue* MappedBy(Node value, const FileContext& file) const {
    if (!value.Is(NodeKind::kString) && !value.Is(NodeKind::kAttribute)) return nullptr;
    const std::vector<std::string> names = NamesOf({value, &file.names()});
    const auto entry = names.size() == 1 ? values_.find(names[0]) : values_.end();
    return entry == values_.end() ? nullptr : &entry->second;
  }

  bool RewriteValue(Node value, const FileContext& file, Fix& fix) const {
    if (value.Is(NodeKind::kParenthesizedExpression)) {
      return RewriteValue(value.first_named_child(), file, fix);
    }
    if (value.Is(NodeKind::kConditionalExpression)) {
      const Node yes = value.first_named_child();
      const Node no = yes.next_named_sibling().next_named_sibling();
      return RewriteValue(yes, file, fix) && RewriteValue(no, file, fix);
    }
    const MappedValue* mapped = MappedBy(value, file);
    if (mapped == nullptr) return false;
    const std::string text = '"' + mapped->text + '"';
    fix.Replace(value.range(), value.Is(NodeKind::kString) ? WithQuotesOf(text, value) : text);
    return true;
  }

  std::string func_name_;
  std::string new_name_;
  std::string second_name_;
  std::string usual_second_;
  std::vector<std::string> needs_;
  std::map<std::string, MappedValue, std::less<>> values_;
};

Result<std::unique_ptr<Rule>> MakeMappedCallRule(RuleHeader header, const Fields& fields) {
  for (const std::string& pair : fields.List("values")) {
    if (HasPart(pair, '=')) continue;
    Error mistake = BadRule(Say("\"{}\" in \"values\" is not of the form OLD=NEW",
                                "\"values\" 中的 \"{}\" 不是 \"旧值=新值\" 的形式", pair));
    mistake.where = "values";
    return mistake;
  }
  return MakeRule<MappedCallRule>(std::move(header), fields);
}

}  // namespace

RuleKind MappedCallRuleKind() {
  return {
      "MappedCallRule",
      "Renames a function together with the value of its one argument, by a table of values. A "
      "call whose value a variable holds, or the table does not have, is reported with the rule's "
      "why.",
      {{"func_name", FieldType::kDottedName, true, "The function by its full name."},
       {"new_name", FieldType::kDottedName, true, "The new name, in the same module."},
       {"values", FieldType::kStringList, true,
        "OLD=NEW or OLD=NEW,SECOND: OLD is a string or a full name, NEW the text of the string in "
        "its place, SECOND a name of the module, the argument of the second call."},
       {"second_name", FieldType::kDottedName, false,
        "A second function of the module, called in a statement below."},
       {"usual_second", FieldType::kString, false,
        "The SECOND that needs no call in a file whose calls say nothing else."},
       {"needs", FieldType::kStringList, true,
        "Nothing changes in a file none of whose calls may pass one of these; * stands for any "
        "text."},
       {"source", FieldType::kString, false, "Where this is documented."}},
      MakeMappedCallRule};
}

}  // namespace transplt
