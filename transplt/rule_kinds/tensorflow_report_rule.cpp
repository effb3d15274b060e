// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/facts/handed_code.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/rule_kinds/tensorflow_rule.h"

namespace transplt {
namespace {

/// Reports calls of TensorFlow that stay, and settings of its messages.
class TensorflowReportRule : public TensorflowRule {
 public:
  TensorflowReportRule(RuleHeader header, const Fields& fields)
      : TensorflowRule(std::move(header), fields),
        fields_(fields.List("fields")),
        modules_(fields.List("modules")),
        left_inside_(fields.List("left_inside")),
        unsupported_(fields.String("status") == "unsupported") {}

  std::vector<Trigger> triggers() const override {
    std::vector<Trigger> triggers = TensorflowRule::triggers();
    for (const std::string& field : fields_) triggers.push_back({NodeKind::kAttribute, field});
    if (!modules_.empty()) triggers.push_back({NodeKind::kModule, ""});
    return triggers;
  }
  WordSets required_words() const override {
    WordSets words = TensorflowRule::required_words();
    for (const std::string& field : fields_) {
      words.insert(words.end(), {{"tensorflow", field}, {"tf", field}});
    }
    for (const std::string& module : modules_) {
      words.insert(words.end(), {{"tensorflow", std::string(LastPart(module))},
                                 {"tf", std::string(LastPart(module))}});
    }
    return words;
  }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    if (node.Is(NodeKind::kCall)) return TensorflowRule::Check(node, file, findings);
    if (node.Is(NodeKind::kModule)) return CheckModules(file, findings);
    if (node.field() == Field::kLeft && IsFor(file) && file.Imports("tensorflow")) {
      Report(node.parent().range(), node.Child(Field::kAttribute).text(), findings);
    }
  }

 private:
  void CheckCall(Node call, const std::string& function, const FileContext& file,
                 Findings& findings) const override {
    if (RunsOnlyInsideOf(left_inside_, call, file.code())) return;
    Report(call.Child(Field::kFunction).range(), function, findings);
  }

  /// The first use of each module in the file.
  void CheckModules(const FileContext& file, Findings& findings) const {
    for (const std::string& module : modules_) {
      for (Node word : file.NodesSaying(LastPart(module))) {
        const Node holder = word.parent();
        const std::vector<std::string> names =
            holder.Is(NodeKind::kAttribute) ? TensorflowNamesOf(holder, file)
                                            : std::vector<std::string>{std::string(holder.text())};
        const bool is_it = std::ranges::any_of(names, [&](const std::string& name) {
          return name == module || name.starts_with(module + ".");
        });
        if (!is_it || !IsFor(file)) continue;
        Report(holder.range(), module, findings);
        break;
      }
    }
  }

  void Report(TextRange range, std::string_view about, Findings& findings) const {
    Finding finding = Row(range, WhyOf(about));
    if (unsupported_) finding.operation = Operation::kUnsupported;
    findings.push_back(std::move(finding));
  }

  std::vector<std::string> fields_;
  std::vector<std::string> modules_;
  std::vector<std::string> left_inside_;
  bool unsupported_;
};

}  // namespace

RuleKind TensorflowReportRuleKind() {
  return {
      "TensorflowReportRule",
      "Reports calls of TensorFlow that stay, and assignments to fields of its messages; the "
      "rule's why is the message.",
      TensorflowFields(
          {{"status",
            FieldType::kChoice,
            true,
            "unsupported: there is no counterpart; advice: it may stay, with something to know.",
            {"unsupported", "advice"}},
           {"modules", FieldType::kStringList, false,
            "Modules whose first use in a file is meant."},
           {"left_inside", FieldType::kStringList, false,
            "Methods whose arguments may hold the call: nothing is said where it runs only inside "
            "of "
            "a function or lambda that is handed to one of them, for example map of a Dataset."},
           {"fields", FieldType::kStringList, false,
            "Fields of messages whose assignment is meant, for example global_jit_level."}}),
      MakeRule<TensorflowReportRule>};
}

}  // namespace transplt
