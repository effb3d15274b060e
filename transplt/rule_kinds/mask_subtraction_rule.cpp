// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "transplt/engine/file_context.h"
#include "transplt/facts/tensor_types.h"
#include "transplt/facts/value_sources.h"
#include "transplt/rule_kinds/rule_kind_rows.h"

namespace transplt {
namespace {

/// Writes `~mask` for `1 - mask` of a tensor of booleans, and reports other subtractions of one.
class MaskSubtractionRule : public Rule {
 public:
  MaskSubtractionRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)), files_with_(fields.List("files_with")) {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kBinaryOperator, ""}}; }
  WordSets required_words() const override {
    WordSets words;
    for (const std::string& word : files_with_) words.push_back({word});
    return words;
  }

  void Check(Node operation, const FileContext& file, Findings& findings) const override {
    if (SignOf(operation) != "-") return;
    const Node left = operation.Child(Field::kLeft);
    const Node right = operation.Child(Field::kRight);
    if (IsMask(right, file)) {
      if (left.text() != "1") return Report(operation, right, findings);
      Finding finding = Change(operation.range(), WhyOf(operation.text()));
      finding.fix.Replace({operation.range().start, right.range().start}, "~");
      return findings.push_back(std::move(finding));
    }
    if (IsMask(left, file)) Report(operation, left, findings);
  }

 private:
  void Report(Node operation, Node mask, Findings& findings) const {
    Text message = WhyOf(operation.text());
    const Text remedy =
        Say(" Write {0}.long() or {0}.float()", " 请写作 {0}.long() 或 {0}.float()", mask.text());
    message.en += remedy.en;
    message.zh += remedy.zh;
    findings.push_back(Row(operation.range(), std::move(message)));
  }

  static bool IsMask(Node value, const FileContext& file) {
    const bool may_be = value.Is(NodeKind::kIdentifier) || value.Is(NodeKind::kCall) ||
                        value.Is(NodeKind::kParenthesizedExpression) ||
                        value.Is(NodeKind::kAttribute);
    if (!may_be) return false;
    const std::vector<ValueSource> makers = file.sources().Of(value);
    return !makers.empty() && std::ranges::all_of(makers, [&](const ValueSource& maker) {
      // `mask.to(other.dtype)` is a mask or none, by what is not seen here.
      if (IsMethodCall(maker.node, "to") || IsMethodCall(maker.node, "type")) return false;
      const Classes classes(*maker.names, file.project());
      return TensorTypes(*maker.names, classes).Of(maker.node) == ValueType::kMask;
    });
  }

  std::vector<std::string> files_with_;
};

}  // namespace

RuleKind MaskSubtractionRuleKind() {
  return {
      "MaskSubtractionRule",
      "Writes ~mask for 1 - mask of a tensor of booleans, and reports other subtractions of one.",
      {{"files_with", FieldType::kStringList, true,
        "Only files that say one of these words are looked at."},
       {"source", FieldType::kString, false, "Where this is documented."}},
      MakeRule<MaskSubtractionRule>};
}

}  // namespace transplt
