// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/engine/file_context.h"
#include "transplt/facts/string_place.h"
#include "transplt/python/arguments.h"
#include "transplt/rule_kinds/rule_kind_rows.h"

namespace transplt {
namespace {

/// Lets a program take an option under a second spelling as well, which others pass to it.
class OptionSpellingRule : public Rule {
 public:
  OptionSpellingRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        definer_(fields.String("definer")),
        option_(fields.String("option")),
        spelling_(fields.String("spelling")) {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kCall, definer_}}; }

  WordSets required_words() const override { return {{definer_, NameOf(option_)}}; }

  void Check(Node call, const FileContext& file, Findings& findings) const override {
    const Node option = SpelledIn(call, option_);
    if (!option || IsTakenIn(file)) return;
    const std::string quote(option.first_child().text());
    Finding finding =
        Change(option.range(), Say("take {} for {} as well: {}", "{1} 也以 {0} 的写法接受：{3}",
                                   spelling_, option_, header().why.en, header().why.zh));
    // Behind the old one, which goes on to name the attribute.
    finding.fix.Insert(option.range().end, ", " + quote + spelling_ + quote);
    findings.push_back(std::move(finding));
  }

 private:
  static std::string NameOf(std::string_view option) {
    return std::string(option.substr(option.find_first_not_of('-')));
  }

  /// The string of `call` that is `option`, if it defines an option of this spelling.
  static Node SpelledIn(Node call, std::string_view option) {
    for (const Argument& argument : ArgumentsOf(call)) {
      if (!argument.keyword.empty() || argument.is_splat) continue;
      const Node content = PlainStringContent(argument.value);
      if (content && content.text() == option) return argument.value;
    }
    return {};
  }

  /// A parser takes an option once, and which parsers of a file are joined is not followed.
  bool IsTakenIn(const FileContext& file) const {
    return std::ranges::any_of(file.NodesSaying(definer_), [&](Node name) {
      Node call = name;
      while (call && !call.Is(NodeKind::kCall)) call = call.parent();
      return call && SpelledIn(call, spelling_);
    });
  }

  std::string definer_;
  std::string option_;
  std::string spelling_;
};

}  // namespace

RuleKind OptionSpellingRuleKind() {
  return {"OptionSpellingRule",
          "Lets a program take an option under a second spelling as well, which a launcher passes "
          "to it. A file in which a parser takes that already stays as it is.",
          {{"definer", FieldType::kDottedName, true,
            "The last name of the calls that define options: add_argument."},
           {"option", FieldType::kString, true, "The option as it is: --local_rank."},
           {"spelling", FieldType::kString, true, "What is passed: --local-rank."}},
          MakeRule<OptionSpellingRule>};
}

}  // namespace transplt
