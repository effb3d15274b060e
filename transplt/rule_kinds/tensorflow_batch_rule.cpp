// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/base/word_list.h"
#include "transplt/facts/terms.h"
#include "transplt/python/arguments.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/tensorflow_rule.h"

namespace transplt {
namespace {

constexpr std::string_view kKeyword = "drop_remainder";

/// Drops the last incomplete batch of data sets: with fixed shapes a graph is compiled once. Only
/// where the program trains: else it would lose what it is asked about.
class TensorflowBatchRule : public TensorflowRule {
 public:
  TensorflowBatchRule(RuleHeader header, const Fields& fields)
      : TensorflowRule(std::move(header), fields), position_(fields.Integer("position", 1)) {}

  std::vector<Trigger> triggers() const override {
    std::vector<Trigger> triggers = TensorflowRule::triggers();
    if (position_ == 1) triggers.push_back({NodeKind::kCall, "batch"});
    return triggers;
  }
  WordSets required_words() const override {
    WordSets words = TensorflowRule::required_words();
    if (position_ == 1) words.insert(words.end(), {{"tensorflow", "batch"}, {"tf", "batch"}});
    return words;
  }

  void Check(Node call, const FileContext& file, Findings& findings) const override {
    if (!IsFor(file) || !file.TrainsWithTensorflow()) return;
    if (!functions().FindCalled(call, file).empty()) {
      return CheckBatch(call, Applicability::kSafe, file, findings);
    }
    const Node callee = call.Child(Field::kFunction);
    if (position_ != 1 || !callee.Is(NodeKind::kAttribute) ||
        callee.Child(Field::kAttribute).text() != "batch") {
      return;
    }
    const std::vector<std::string> makers = MakersOf(callee.Child(Field::kObject), file);
    const auto is_data = [](const std::string& name) {
      return name.starts_with("tensorflow.data.") || name.starts_with("tensorflow.contrib.data.");
    };
    if (std::ranges::any_of(makers, is_data)) {
      CheckBatch(call, Applicability::kSafe, file, findings);
    } else if (makers.empty() && file.Imports("tensorflow") && LooksLikeDataset(callee)) {
      CheckBatch(call, Applicability::kUnsafe, file, findings);
    }
  }

 private:
  void CheckBatch(Node call, Applicability applicability, const FileContext& file,
                  Findings& findings) const {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    if (arguments.empty() || PassesUnknown(call)) return;
    const Argument* given = FindKeyword(arguments, kKeyword);
    int64_t position = 0;
    for (const Argument& argument : arguments) {
      if (argument.keyword.empty() && position++ == position_) given = &argument;
    }
    const std::string_view evaluation = EvaluationAround(call);
    if (given != nullptr) {
      // A value that the program computes may be what training asks for.
      if (!IsFalsyConstant(ConstantOf(given->value)) || !evaluation.empty()) return;
      findings.push_back(Row(
          given->range, Say("the program keeps the last incomplete batch; for training on the NPU "
                            "drop_remainder should be True",
                            "程序保留最后不足一批的数据; 在 NPU 上训练时建议 drop_remainder 为 "
                            "True")));
      return;
    }
    if (!evaluation.empty()) {
      findings.push_back(Row(
          call.range(), Say("the last incomplete batch stays, because `{}` seems to be for "
                            "evaluation; with it, the graph is compiled for one more shape",
                            "`{}` 似乎用于评估, 故保留最后不足一批的数据; 这会使图多编译一种 shape",
                            evaluation)));
      return;
    }
    Finding finding =
        Change(call.range(), Say("drop the last incomplete batch", "丢弃最后不足一批的数据"));
    finding.applicability = applicability;
    finding.fix.edits.push_back(AppendArguments(call, {std::string(kKeyword) + "=True"}, file));
    findings.push_back(std::move(finding));
  }

  /// `dataset.batch(n)`, or a chain with other methods that only data sets have all of.
  static bool LooksLikeDataset(Node callee) {
    const auto is_method = [&](std::string_view name) {
      return Words("dataset-methods").Has(name);
    };
    Node object = callee.Child(Field::kObject);
    const std::string_view last =
        object.Is(NodeKind::kAttribute) ? object.Child(Field::kAttribute).text() : object.text();
    if (last == "dataset" || last == "ds" || last.ends_with("_dataset") || last.ends_with("_ds")) {
      return true;
    }
    if (object.Is(NodeKind::kCall)) {
      const Node before = object.Child(Field::kFunction);
      return before.Is(NodeKind::kAttribute) && is_method(before.Child(Field::kAttribute).text());
    }
    const Node behind = callee.parent().parent();
    return behind.Is(NodeKind::kAttribute) && callee.parent().field() == Field::kObject &&
           is_method(behind.Child(Field::kAttribute).text());
  }

  /// The nearest name around the call that speaks of evaluation: of what it is assigned to, of
  /// what it is called on, of the functions and classes around it.
  static std::string_view EvaluationAround(Node call) {
    std::vector<std::string_view> names;
    Node object = call.Child(Field::kFunction);
    while (object.Is(NodeKind::kAttribute) || object.Is(NodeKind::kCall)) {
      object = object.Child(object.Is(NodeKind::kCall) ? Field::kFunction : Field::kObject);
    }
    if (object.Is(NodeKind::kIdentifier)) names.push_back(object.text());
    for (Node node = call; node.parent(); node = node.parent()) {
      const Node parent = node.parent();
      if (parent.Is(NodeKind::kAssignment) && node.field() == Field::kRight) {
        names.push_back(parent.Child(Field::kLeft).text());
      }
      if (parent.Is(NodeKind::kFunctionDefinition)) {
        names.push_back(parent.Child(Field::kName).text());
      }
    }
    const auto found = std::ranges::find_if(names, IsForEvaluation);
    return found == names.end() ? std::string_view() : *found;
  }

  int64_t position_;
};

}  // namespace

RuleKind TensorflowBatchRuleKind() {
  return {"TensorflowBatchRule",
          "Passes drop_remainder=True where a program that trains cuts a data set of tf.data into "
          "batches, but not for evaluation, and not where it passes drop_remainder itself.",
          TensorflowFields({{"position", FieldType::kInteger, false,
                             "The position of drop_remainder; at 1 also methods called batch."}}),
          MakeRule<TensorflowBatchRule>};
}

}  // namespace transplt
