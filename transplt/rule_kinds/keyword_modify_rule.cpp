// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/base/one_of.h"
#include "transplt/base/text_parts.h"
#include "transplt/python/arguments.h"
#include "transplt/rule_kinds/api_calls.h"
#include "transplt/rule_kinds/handed_argument.h"
#include "transplt/rule_kinds/parsed_argument.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"

namespace transplt {
namespace {

/// Turns a keyword argument that is a switch into one that takes a value:
/// `profile(use_cuda=True)` into `profile(use_device='npu')`. Of a class whose arguments a parser
/// reads from commands and configurations, it renames the argument there as well.
class KeywordModifyRule : public Rule {
 public:
  KeywordModifyRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        func_name_(fields.String("func_name")),
        old_keyword_(fields.String("old_keyword")),
        new_keyword_(fields.String("new_keyword")),
        value_if_true_(fields.String("value_if_true")),
        value_if_false_(fields.String("value_if_false")),
        of_derived_(fields.Boolean("derived", false)),
        parsed_(fields) {}

  std::vector<Trigger> triggers() const override {
    return {{NodeKind::kCall, of_derived_ ? "" : func_name_}};
  }

  WordSets required_words() const override {
    if (of_derived_) return {{old_keyword_}};  // the class may come from another file
    WordSets words = WordsOfName(func_name_);
    for (std::vector<std::string>& all : words) all.push_back(old_keyword_);
    return words;
  }
  WordSets setting_words() const override { return parsed_.WordsFor({old_keyword_}); }

  void CheckSettings(const std::vector<Setting>& settings, Findings& findings) const override {
    for (const Setting* setting : parsed_.AmongSettings(settings, {old_keyword_})) {
      Finding finding = Change(setting->name_range);
      const std::vector<std::string>& parsers = parsed_.NeededBy(*setting);
      finding.message = Say("change {} to {}: {} reads it as an argument of {}",
                            "将 {0} 改为 {1}: {2} 将其读作 {3} 的参数", old_keyword_, new_keyword_,
                            parsers.front(), func_name_);
      finding.fix.Replace(setting->name_range, new_keyword_);
      finding.needed_by = parsers;
      findings.push_back(std::move(finding));
    }
  }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    const std::vector<Argument> arguments = ArgumentsPassed(node, file);
    const Argument* argument = FindKeyword(arguments, old_keyword_);
    if (argument == nullptr) return;
    if (new_keyword_.empty() && argument != arguments.data()) return;
    const bool is_handed = !PassesArgumentsTo(node, func_name_, file);
    if (is_handed && !IsHanded(node, file)) return;
    Finding finding = Change(argument->node.range());
    if (!is_handed && MayBeOther(node, func_name_, file)) {
      return findings.push_back(Row(finding.range, MayBeOtherMessage(func_name_)));
    }
    if (!new_keyword_.empty() && FindKeyword(arguments, new_keyword_) != nullptr) {
      return findings.push_back(Row(finding.range, WhyOf(old_keyword_)));  // both are passed
    }
    finding.message =
        Say("change keyword {} of function {} to {}", "将函数 {1} 的关键字参数 {0} 改为 {2}",
            old_keyword_, func_name_, new_keyword_);
    if (new_keyword_.empty()) {
      finding.message = Say("pass {} of function {} without its keyword",
                            "传给函数 {1} 的 {0} 不再使用关键字", old_keyword_, func_name_);
      const uint32_t start = argument->node.range().start;
      finding.fix.Replace({start, argument->value_range.start}, "");
    } else {
      finding.fix.Replace(argument->node.range(), new_keyword_ + "=" + ValueFor(*argument));
      finding.needs_device_import = NamesDevice(file.apis().target().device);
    }
    findings.push_back(std::move(finding));
  }

 private:
  /// True if what is written, `use_npu=x` or `use_device='npu'`, is there only with the package.
  bool NamesDevice(const std::string& device) const {
    return !device.empty() &&
           (IsOneOf(device, PartsOfName(new_keyword_)) || HasPart(value_if_true_, device));
  }

  /// True if `call` makes an object of a class of the project that hands the argument on.
  bool IsHanded(Node call, const FileContext& file) const {
    return of_derived_ && IsOneOf(func_name_, ClassesHanded(call, old_keyword_, file));
  }

  std::string ValueFor(const Argument& argument) const {
    if (value_if_true_.empty()) return std::string(argument.value.text());
    if (argument.value.Is(NodeKind::kTrue)) return value_if_true_;
    if (argument.value.Is(NodeKind::kFalse)) return value_if_false_;
    const std::string_view condition = argument.value.text();
    return IsAtomic(argument.value)
               ? fmt::format("{} if {} else {}", value_if_true_, condition, value_if_false_)
               : fmt::format("{} if ({}) else {}", value_if_true_, condition, value_if_false_);
  }

  std::string func_name_;
  std::string old_keyword_;
  std::string new_keyword_;
  std::string value_if_true_;
  std::string value_if_false_;
  bool of_derived_;
  ParsedArgument parsed_;
};

Result<std::unique_ptr<Rule>> MakeKeywordModifyRule(RuleHeader header, const Fields& fields) {
  const std::string new_keyword = fields.String("new_keyword");
  if (fields.Has("value_if_true") != fields.Has("value_if_false")) {
    return BadRule(
        Say("\"value_if_true\" and \"value_if_false\" belong together: give both or none",
            "\"value_if_true\" 与 \"value_if_false\" 须同时给出或都不给出"));
  }
  const bool is_parsed = fields.Has("parsed_by") || fields.Has("read_by");
  if (is_parsed && (fields.Has("value_if_true") || new_keyword.empty())) {
    return BadRule(Say("with \"parsed_by\" a keyword gets a new name and keeps its value",
                       "使用 \"parsed_by\" 时关键字只改名, 其值不变"));
  }
  return MakeRule<KeywordModifyRule>(std::move(header), fields);
}

}  // namespace

RuleKind KeywordModifyRuleKind() {
  return {"KeywordModifyRule",
          "Renames a keyword argument of a function; a switch can become a value.",
          ParsedArgument::WithFieldsOf(
              {{"func_name", FieldType::kDottedName, true, "The function."},
               {"old_keyword", FieldType::kDottedName, true, "The keyword."},
               {"new_keyword", FieldType::kDottedOrEmpty, true,
                "What takes its place; \"\": the argument becomes positional, which only the first "
                "can."},
               {"value_if_true", FieldType::kString, false,
                "Python text for True; else the value stays."},
               {"value_if_false", FieldType::kString, false, "Python text for False."},
               {"derived", FieldType::kBoolean, false,
                "Also calls of classes of the project that hand the argument on to the constructor "
                "of the "
                "function, a class: they have none of their own, or pass it their **kwargs."},
               {"source", FieldType::kString, false, "Where this is documented."}}),
          MakeKeywordModifyRule};
}

}  // namespace transplt
