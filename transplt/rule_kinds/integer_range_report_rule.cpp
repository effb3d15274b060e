// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "transplt/base/one_of.h"
#include "transplt/engine/file_context.h"
#include "transplt/facts/value_sources.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"
#include "transplt/rule_kinds/dtype_trace.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"

namespace transplt {
namespace {

/// Reports numbers of a program that the element type of an array cannot hold, where an array of
/// the type is given one: `mask[:] = -1` of unsigned numbers.
class IntegerRangeReportRule : public Rule {
 public:
  IntegerRangeReportRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        signs_(fields),
        low_(fields.Integer("low", 0)),
        high_(fields.Integer("high", 0)),
        functions_(fields.List("functions")),
        operators_(fields.List("operators")) {}

  std::vector<Trigger> triggers() const override {
    std::vector<Trigger> triggers = {{NodeKind::kAssignment, ""}, {NodeKind::kBinaryOperator, ""}};
    for (const std::string& function : functions_) triggers.push_back({NodeKind::kCall, function});
    return triggers;
  }

  WordSets required_words() const override {
    WordSets words;
    for (const std::string& dtype : signs_.dtypes) {
      words.push_back({std::string(FirstPart(dtype)), std::string(LastPart(dtype))});
    }
    return words;
  }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    if (node.Is(NodeKind::kCall)) return CheckMade(node, file, findings);
    if (node.Is(NodeKind::kBinaryOperator)) return CheckComputed(node, file, findings);
    const Node target = node.Child(Field::kLeft);
    if (!target.Is(NodeKind::kSubscript)) return;
    CheckPair(target.Child(Field::kValue), node.Child(Field::kRight), file, findings);
  }

 private:
  /// `np.uint8(-1)`
  void CheckMade(Node call, const FileContext& file, Findings& findings) const {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    if (arguments.size() == 1 && NamesOneOf(call.Child(Field::kFunction), functions_, file.names()))
      Tell(arguments[0].value, file, findings);
  }

  /// `image + 256`
  void CheckComputed(Node operation, const FileContext& file, Findings& findings) const {
    const Node left = operation.Child(Field::kLeft);
    const Node right = operation.Child(Field::kRight);
    const std::string_view sign = left.next_sibling().text();
    if (!IsOneOf(sign, operators_)) return;
    if (NumberIn(right)) CheckPair(left, right, file, findings);
    if (NumberIn(left)) CheckPair(right, left, file, findings);
  }

  void CheckPair(Node array, Node value, const FileContext& file, Findings& findings) const {
    if (!value ||
        !(NumberIn(value) || value.Is(NodeKind::kIdentifier) || value.Is(NodeKind::kAttribute))) {
      return;
    }
    if (NumberIn(value) && !IsOutside(value)) return;
    if (DtypeTrace(signs_, file).MakerOf({array, &file.names()})) Tell(value, file, findings);
  }

  void Tell(Node value, const FileContext& file, Findings& findings) const {
    const ValueSources& sources = file.sources();
    const bool is_outside =
        IsOutside(value) || std::ranges::any_of(sources.Of(value), [&](const ValueSource& source) {
          return IsOutside(source.node);
        });
    if (is_outside) findings.push_back(Row(value.range(), WhyOf(value.text())));
  }

  /// The number that is written out, `-1` too.
  static std::optional<int64_t> NumberIn(Node value) {
    const bool is_negative = value.Is(NodeKind::kUnaryOperator) && value.text().starts_with('-');
    const Node digits = is_negative ? value.Child(Field::kArgument) : value;
    if (!digits.Is(NodeKind::kInteger)) return std::nullopt;
    const std::string_view text = digits.text();
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return is_negative ? -number : number;
  }

  bool IsOutside(Node value) const {
    const std::optional<int64_t> number = NumberIn(value);
    return number && (*number < low_ || *number > high_);
  }

  DtypeSigns signs_;
  int64_t low_;
  int64_t high_;
  std::vector<std::string> functions_;
  std::vector<std::string> operators_;
};

}  // namespace

RuleKind IntegerRangeReportRuleKind() {
  return {"IntegerRangeReportRule",
          "Reports integers of a program that the element type of an array cannot hold, where one "
          "is assigned to items of an array that provably is of the type, computed with it, or "
          "made a number of it; the rule's why is the message.",
          {{"dtypes", FieldType::kStringList, true, "The type by its full names: numpy.uint8."},
           {"low", FieldType::kInteger, false, "The smallest number that it holds; 0."},
           {"high", FieldType::kInteger, true, "The largest."},
           {"functions", FieldType::kStringList, false,
            "Functions that make a number of it: numpy.uint8."},
           {"operators", FieldType::kStringList, false,
            "Signs of operators that take no other number: +."},
           {"methods", FieldType::kStringList, false, "Methods that convert to it."},
           {"conversions", FieldType::kStringList, false,
            "Methods that convert to the type that they are given: astype."},
           {"made_by", FieldType::kStringList, false,
            "What makes such arrays where it is given no type."},
           {"kept_by", FieldType::kStringList, false,
            "What gives an array of the type of its first argument."},
           {"source", FieldType::kString, false, "Where this is documented."}},
          MakeRule<IntegerRangeReportRule>};
}

}  // namespace transplt
