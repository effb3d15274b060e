// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "transplt/engine/file_context.h"
#include "transplt/facts/project.h"
#include "transplt/python/parameters.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// Reports a function that a decorator registers with a library, which then calls it with keywords
/// that it does not take.
class RegisteredReportRule : public Rule {
 public:
  RegisteredReportRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        decorators_(fields.List("decorators")),
        passes_(fields.List("passes")),
        called_by_(fields.List("called_by")) {}

  std::vector<Trigger> triggers() const override {
    std::vector<Trigger> triggers;
    for (const std::string& decorator : decorators_) {
      const std::string last(LastPart(decorator));
      triggers.push_back({NodeKind::kIdentifier, last});
      triggers.push_back({NodeKind::kAttribute, last});
    }
    return triggers;
  }

  WordSets required_words() const override {
    WordSets words;
    for (const std::string& decorator : decorators_) {
      for (std::vector<std::string>& all : WordsOfName(decorator)) words.push_back(std::move(all));
    }
    return words;
  }

  void Check(Node name, const FileContext& file, Findings& findings) const override {
    const Node decorator = name.parent();
    // Another decorator in between may give the function other parameters.
    if (!decorator.Is(NodeKind::kDecorator) ||
        decorator.next_named_sibling().Is(NodeKind::kDecorator)) {
      return;
    }
    const Node function = decorator.parent().Child(Field::kDefinition);
    if (!function.Is(NodeKind::kFunctionDefinition) || !NamesOneOf(name, decorators_, file.names()))
      return;
    const std::vector<std::string> refused = RefusedBy(function);
    if (refused.empty() || !ProjectCalls(called_by_, file)) return;
    const Node place = function.Child(Field::kName);
    Text message = WhyOf(place.text());
    const Text reason = Say(" (it has neither {} nor **kwargs)", "（它没有 {}，也没有 **kwargs）",
                            fmt::format("{}", fmt::join(refused, ", ")));
    message.en += reason.en;
    message.zh += reason.zh;
    findings.push_back(Row(place.range(), std::move(message)));
  }

 private:
  /// The keywords that the library passes and `function` does not take.
  std::vector<std::string> RefusedBy(Node function) const {
    std::vector<std::string> refused;
    for (const Node parameter : NamedChildren(function.Child(Field::kParameters))) {
      if (parameter.text().starts_with("**")) return refused;
    }
    std::ranges::copy_if(passes_, std::back_inserter(refused), [&](const std::string& keyword) {
      return !ParameterOf(function, 0, keyword);
    });
    return refused;
  }

  std::vector<std::string> decorators_;
  std::vector<std::string> passes_;
  std::vector<std::string> called_by_;
};

}  // namespace

RuleKind RegisteredReportRuleKind() {
  return {"RegisteredReportRule",
          "Reports a function of the project that a decorator registers with a library, and that "
          "does not take what the library passes to it; the rule's why is the message.",
          {{"decorators", FieldType::kStringList, true, "The decorators by their full names."},
           {"passes", FieldType::kStringList, true,
            "The keyword arguments with which the library always calls such a function."},
           {"called_by", FieldType::kStringList, true,
            "Functions of the library that call it, by their full names: only projects that call "
            "one are meant."},
           {"source", FieldType::kString, false, "Where this is documented."}},
          MakeRule<RegisteredReportRule>};
}

}  // namespace transplt
