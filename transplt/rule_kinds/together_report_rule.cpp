// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "transplt/base/word_list.h"
#include "transplt/engine/file_context.h"
#include "transplt/facts/import_closure.h"
#include "transplt/python/arguments.h"
#include "transplt/rule_kinds/default_argument.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"

namespace transplt {
namespace {

/// Reports calls that fail in a program which also calls another function.
class TogetherReportRule : public Rule {
 public:
  TogetherReportRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        function_(fields.String("func_name")),
        argument_{fields.String("arg_keyword"), fields.Integer("arg_idx", -1)},
        idle_values_(fields.List("idle_values")),
        excluded_(fields.List("excluded")),
        other_names_(fields.List("other_names")),
        other_with_(fields.List("other_with")) {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kCall, function_}}; }
  WordSets required_words() const override { return WordsOfName(function_); }

  void Check(Node call, const FileContext& file, Findings& findings) const override {
    if (!PassesArgumentsTo(call, function_, file) || !IsMeant(ArgumentsPassed(call, file))) return;
    if (!IsCalledTogether(file)) return;
    findings.push_back(Row(call.Child(Field::kFunction).range(), WhyOf(function_)));
  }

 private:
  bool IsMeant(const std::vector<Argument>& arguments) const {
    if (IsExcluded(arguments, excluded_)) return false;
    if (argument_.keyword.empty()) return true;
    const Argument* given = argument_.GivenIn(arguments);
    return given != nullptr && !IsOneOf(given->value.text(), idle_values_);
  }

  /// In this file, in one that it imports, or in one that imports it.
  bool IsCalledTogether(const FileContext& file) const {
    if (CallsOther(file.names())) return true;
    const ProjectIndex* project = file.project();
    if (project == nullptr) return false;
    return std::ranges::any_of(other_names_, [&](const std::string& name) {
      const std::vector<std::string>& paths = project->FilesCalling(LastPart(name));
      return std::ranges::any_of(paths, [&](const std::string& path) {
        const std::shared_ptr<const OpenedFile> other = project->Open(path);
        return other != nullptr && CallsOther(other->names()) &&
               (FilesImportedBy(file.source().path(), *project).contains(path) ||
                FilesImportedBy(path, *project).contains(file.source().path()));
      });
    });
  }

  bool CallsOther(const NameTable& names) const {
    return std::ranges::any_of(other_names_, [&](const std::string& name) {
      return std::ranges::any_of(CallsIn(names, name), [&](Node call) {
        return std::ranges::any_of(ArgumentsOf(call), [&](const Argument& argument) {
          return IsMeantForOther(argument.value, names);
        });
      });
    });
  }

  /// A text or a name, or a choice of which one side is.
  bool IsMeantForOther(Node value, const NameTable& names) const {
    const auto is_it = [&](std::string_view text) {
      return std::ranges::any_of(
          other_with_, [&](const std::string& pattern) { return MatchesPattern(pattern, text); });
    };
    if (const Node content = PlainStringContent(value)) return is_it(content.text());
    if (value.Is(NodeKind::kConditionalExpression)) {
      return IsMeantForOther(value.first_named_child(), names) ||
             IsMeantForOther(LastNamedChild(value), names);
    }
    if (value.Is(NodeKind::kCall)) {
      return std::ranges::any_of(ArgumentsOf(value), [&](const Argument& argument) {
        return IsMeantForOther(argument.value, names);
      });
    }
    return std::ranges::any_of(names.Resolve(value), [&](const QualifiedName& name) {
      return !name.local && is_it(name.name);
    });
  }

  std::string function_;
  DefaultArgument argument_;
  std::vector<std::string> idle_values_;
  std::vector<std::string> excluded_;
  std::vector<std::string> other_names_;
  std::vector<std::string> other_with_;
};

}  // namespace

RuleKind TogetherReportRuleKind() {
  return {
      "TogetherReportRule",
      "Reports calls that fail where code that runs with them calls another function: in the "
      "same file, in one that it imports, or in one that imports it. The rule's why is the "
      "message.",
      {{"func_name", FieldType::kDottedName, true, "The function that fails, by its full name."},
       {"arg_keyword", FieldType::kDottedName, false,
        "Only calls that pass this argument are meant."},
       {"arg_idx", FieldType::kInteger, false, "Its position, from 0."},
       {"idle_values", FieldType::kStringList, false,
        "Values of that argument with which nothing fails, as they are written."},
       {"excluded", FieldType::kStringList, false,
        "Arguments with which nothing fails: keywords, or KEYWORD=VALUE."},
       {"other_names", FieldType::kStringList, true, "The other functions, by full names."},
       {"other_with", FieldType::kStringList, true,
        "Only calls of the others with one of these as an argument, a string or a full name; * "
        "stands for any text."},
       {"source", FieldType::kString, false, "Where this is documented."}},
      MakeRule<TogetherReportRule>};
}

}  // namespace transplt
