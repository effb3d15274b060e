// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/base/ascii.h"
#include "transplt/python/arguments.h"
#include "transplt/rule_kinds/api_calls.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"

namespace transplt {
namespace {

/// Passes by keyword what newer versions of a function take by keyword alone:
/// `mel(22050, 1024)` becomes `mel(sr=22050, n_fft=1024)`.
class KeywordOnlyRule : public Rule {
 public:
  KeywordOnlyRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        func_name_(fields.String("func_name")),
        keywords_(fields.List("keywords")),
        kept_(static_cast<size_t>(fields.Integer("kept", 0))) {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kCall, func_name_}}; }
  WordSets required_words() const override { return WordsOfName(func_name_); }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    const std::vector<Argument> arguments = ArgumentsPassed(node, file);
    Finding finding =
        Change(node.Child(Field::kFunction).range(),
               Say("pass the arguments of {} by keyword", "以关键字传入 {} 的参数", func_name_));
    bool is_known = true;
    for (size_t i = kept_; i < arguments.size() && arguments[i].keyword.empty(); ++i) {
      if (arguments[i].node.Is(NodeKind::kDictionarySplat)) break;  // keywords alone
      is_known = is_known && !arguments[i].is_splat && i - kept_ < keywords_.size();
      if (!is_known) break;
      finding.fix.Insert(arguments[i].value_range.start, keywords_[i - kept_] + "=");
    }
    if ((finding.fix.empty() && is_known) || !PassesArgumentsTo(node, func_name_, file)) return;
    if (!is_known) return findings.push_back(Row(finding.range, WhyOf(func_name_)));
    if (MayBeOther(node, func_name_, file)) {
      return findings.push_back(Row(finding.range, MayBeOtherMessage(func_name_)));
    }
    findings.push_back(std::move(finding));
  }

 private:
  std::string func_name_;
  std::vector<std::string> keywords_;
  size_t kept_;
};

bool IsParameterName(const std::string& name) {
  return !name.empty() && StartsWord(name.front()) && std::ranges::all_of(name, IsWordByte);
}

Result<std::unique_ptr<Rule>> MakeKeywordOnlyRule(RuleHeader header, const Fields& fields) {
  const std::vector<std::string> keywords = fields.List("keywords");
  if (keywords.empty() || !std::ranges::all_of(keywords, IsParameterName)) {
    return BadRule(Say("\"keywords\" are names of parameters, at least one",
                       "\"keywords\" 须为参数名, 至少一个"));
  }
  if (fields.Integer("kept", 0) < 0) {
    return BadRule(Say("\"kept\" is a number from 0 on", "\"kept\" 须为不小于 0 的数"));
  }
  return MakeRule<KeywordOnlyRule>(std::move(header), fields);
}

}  // namespace

RuleKind KeywordOnlyRuleKind() {
  return {
      "KeywordOnlyRule",
      "Passes by keyword what newer versions of a function take by keyword alone. A call with "
      "more positional arguments, or with *, is reported with the rule's why.",
      {{"func_name", FieldType::kDottedName, true, "The function."},
       {"keywords", FieldType::kStringList, true,
        "The parameters, in the order in which older versions take them by position."},
       {"kept", FieldType::kInteger, false, "How many arguments before them stay positional; 0."}},
      MakeKeywordOnlyRule};
}

}  // namespace transplt
