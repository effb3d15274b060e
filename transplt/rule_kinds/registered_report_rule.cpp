// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "transplt/engine/file_context.h"
#include "transplt/facts/project.h"
#include "transplt/facts/value_sources.h"
#include "transplt/python/arguments.h"
#include "transplt/python/parameters.h"
#include "transplt/rule_kinds/default_argument.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// Reports a function that a decorator registers with a library, or an object of the project that
/// a call gives to one, which then calls the function, or a method of the object, with keywords
/// that it does not take.
class RegisteredReportRule : public Rule {
 public:
  RegisteredReportRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        decorators_(fields.List("decorators")),
        passes_(fields.List("passes")),
        called_by_(fields.List("called_by")),
        given_to_(fields.List("given_to")),
        argument_{fields.String("arg_keyword"), fields.Integer("arg_idx", -1)},
        method_(fields.String("method")) {}

  std::vector<Trigger> triggers() const override {
    std::vector<Trigger> triggers;
    for (const std::string& decorator : decorators_) {
      const std::string last(LastPart(decorator));
      triggers.push_back({NodeKind::kIdentifier, last});
      triggers.push_back({NodeKind::kAttribute, last});
    }
    for (const std::string& function : given_to_) {
      triggers.push_back({NodeKind::kCall, function});
    }
    return triggers;
  }

  WordSets required_words() const override {
    WordSets words;
    for (const std::vector<std::string>* names : {&decorators_, &given_to_}) {
      for (const std::string& name : *names) {
        for (std::vector<std::string>& all : WordsOfName(name)) words.push_back(std::move(all));
      }
    }
    return words;
  }

  void Check(Node name, const FileContext& file, Findings& findings) const override {
    if (name.Is(NodeKind::kCall)) return CheckGiven(name, file, findings);
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
    const Node place = function.Child(Field::kName);
    // `create_model("resnet18")` calls another one.
    const auto may_call = [&](Node call) {
      const Node first = call.Child(Field::kArguments).first_named_child();
      const Node text = first.Is(NodeKind::kString) ? PlainStringContent(first) : Node();
      return !text || text.text() == place.text();
    };
    if (refused.empty() || !ProjectCalls(called_by_, file, may_call)) return;
    Report(place.range(), place.text(), refused, findings);
  }

 private:
  void Report(TextRange range, std::string_view name, const std::vector<std::string>& refused,
              Findings& findings) const {
    Text message = WhyOf(name);
    const Text reason = Say(" (it has neither {} nor **kwargs)", "（它没有 {}，也没有 **kwargs）",
                            fmt::format("{}", fmt::join(refused, ", ")));
    message.en += reason.en;
    message.zh += reason.zh;
    findings.push_back(Row(range, std::move(message)));
  }

  /// `TransformerEncoder(Layer(), 4)`, where the class of the project has such a method itself.
  void CheckGiven(Node call, const FileContext& file, Findings& findings) const {
    const Node callee = call.Child(Field::kFunction);
    if (!NamesOneOf(callee, given_to_, file.names())) return;
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const Argument* given = argument_.GivenIn(arguments);
    if (given == nullptr) return;
    const ValueSources& sources = file.sources();
    for (const ValueSource& made : sources.Of(given->value)) {
      if (!made.node.Is(NodeKind::kCall)) continue;
      const std::optional<ValueSource> found =
          sources.DefinitionOf(made.At(made.node.Child(Field::kFunction)));
      if (!found || !found->node.Is(NodeKind::kClassDefinition)) continue;
      const std::vector<std::string> refused = RefusedBy(OwnMethodOf(found->node));
      if (refused.empty()) continue;
      const std::string name =
          fmt::format("{}.{}", found->node.Child(Field::kName).text(), method_);
      return Report(callee.range(), name, refused, findings);
    }
  }

  Node OwnMethodOf(Node definition) const {
    for (const Node statement : NamedChildren(definition.Child(Field::kBody))) {
      if (statement.Is(NodeKind::kFunctionDefinition) &&
          statement.Child(Field::kName).text() == method_) {
        return statement;
      }
    }
    return {};
  }

  /// The keywords that the library passes and `function` does not take.
  std::vector<std::string> RefusedBy(Node function) const {
    std::vector<std::string> refused;
    if (!function) return refused;
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
  std::vector<std::string> given_to_;
  DefaultArgument argument_;
  std::string method_;
};

Result<std::unique_ptr<Rule>> MakeRegisteredReportRule(RuleHeader header, const Fields& fields) {
  const bool is_registered = !fields.List("decorators").empty();
  const bool is_given = !fields.List("given_to").empty() && fields.Has("method") &&
                        (fields.Has("arg_keyword") || fields.Has("arg_idx"));
  if (!is_registered && !is_given) {
    return BadRule(
        Say("give \"decorators\", or \"given_to\" with \"method\" and \"arg_keyword\" or "
            "\"arg_idx\": what does the library call?",
            "请给出 \"decorators\"，或给出 \"given_to\" 以及 \"method\" 与 \"arg_keyword\" 或 "
            "\"arg_idx\"：三方库调用的是什么？"));
  }
  return MakeRule<RegisteredReportRule>(std::move(header), fields);
}

}  // namespace

RuleKind RegisteredReportRuleKind() {
  return {
      "RegisteredReportRule",
      "Reports a function of the project that a decorator registers with a library, or a class "
      "whose objects are given to one, where the function or a method of the class does not "
      "take what the library passes to it; the rule's why is the message.",
      {{"decorators", FieldType::kStringList, false, "The decorators by their full names."},
       {"passes", FieldType::kStringList, true,
        "The keyword arguments with which the library always calls such a function."},
       {"called_by", FieldType::kStringList, false,
        "Of decorators: functions of the library that call it, by their full names: only "
        "projects that call one are meant."},
       {"given_to", FieldType::kStringList, false,
        "Functions and classes of the library that are given an object, by their full names."},
       {"arg_keyword", FieldType::kDottedName, false, "Of given_to: the keyword of the object."},
       {"arg_idx", FieldType::kInteger, false,
        "Of given_to: its position, if it can be positional."},
       {"method", FieldType::kDottedName, false,
        "Of given_to: the method of the object that the library calls."},
       {"source", FieldType::kString, false, "Where this is documented."}},
      MakeRegisteredReportRule};
}

}  // namespace transplt
