// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "transplt/base/one_of.h"
#include "transplt/facts/receiver.h"
#include "transplt/rule_kinds/dtype_trace.h"
#include "transplt/rule_kinds/rule_kind_rows.h"

namespace transplt {
namespace {

/// Converts an argument that provably is a tensor of an element type which the function refuses.
class DtypeArgumentRule : public Rule {
 public:
  DtypeArgumentRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        signs_(fields),
        functions_(fields.List("functions")),
        keyword_(fields.String("arg_keyword")),
        index_(static_cast<size_t>(fields.Integer("arg_idx", 0))),
        conversion_(fields.String("conversion")) {}

  std::vector<Trigger> triggers() const override {
    std::vector<Trigger> triggers;
    for (const std::string& function : functions_) {
      triggers.push_back({NodeKind::kCall, function});
    }
    return triggers;
  }

  // Another file may make the value.
  WordSets required_words() const override {
    WordSets words;
    for (const std::string& function : functions_) words.push_back({"torch", function});
    return words;
  }

  void Check(Node call, const FileContext& file, Findings& findings) const override {
    if (file.IsOtherFramework() || !file.Imports("torch")) return;
    const Node callee = call.Child(Field::kFunction);
    const std::optional<size_t> index = IndexIn(callee, file);
    if (!index) return;
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const Argument* argument = FindKeyword(arguments, keyword_);
    if (argument == nullptr && *index < arguments.size() && arguments[*index].keyword.empty() &&
        std::none_of(arguments.begin(), arguments.end(),
                     [](const Argument& other) { return other.is_splat; })) {
      argument = &arguments[*index];
    }
    if (argument == nullptr) return;
    const Node value = argument->value;
    if (!DtypeTrace(signs_, file).MakerOf({value, &file.names()})) return;
    Finding finding = Change(value.range(), WhyOf(value.text()));
    const bool is_operation =
        value.Is(NodeKind::kBinaryOperator) || value.Is(NodeKind::kUnaryOperator);
    if (is_operation)
      finding.fix.edits.push_back({{value.range().start, value.range().start}, "("});
    finding.fix.edits.push_back(
        {{value.range().end, value.range().end}, (is_operation ? ")." : ".") + conversion_ + "()"});
    findings.push_back(std::move(finding));
  }

 private:
  /// The place of the argument: a function of torch gets the tensor in front of it.
  std::optional<size_t> IndexIn(Node callee, const FileContext& file) const {
    for (const std::string& function : functions_) {
      if (file.names().IsNamed(callee, "torch." + function)) return index_ + 1;
    }
    if (!callee.Is(NodeKind::kAttribute)) return std::nullopt;
    const std::string_view method = callee.Child(Field::kAttribute).text();
    Text ignored;
    const bool is_foreign =
        IsForeignReceiver(callee.Child(Field::kObject), method, file.code(), &ignored);
    return IsOneOf(method, functions_) && !is_foreign ? std::optional(index_) : std::nullopt;
  }

  DtypeSigns signs_;
  std::vector<std::string> functions_;
  std::string keyword_;
  size_t index_;
  std::string conversion_;
};

}  // namespace

RuleKind DtypeArgumentRuleKind() {
  return {"DtypeArgumentRule",
          "Converts an argument of methods of tensors, and of the functions of torch of the same "
          "names, that provably is a tensor of an element type which they refuse.",
          {{"functions", FieldType::kStringList, true, "The methods: masked_fill."},
           {"arg_keyword", FieldType::kString, true, "The keyword of the argument."},
           {"arg_idx", FieldType::kInteger, true, "Its position in a call of the method, from 0."},
           {"conversion", FieldType::kString, true,
            "The method that gives the type which they take: bool."},
           {"dtypes", FieldType::kStringList, true,
            "The type that they refuse by its full names: torch.uint8."},
           {"methods", FieldType::kStringList, true, "Methods that convert to it: byte."},
           {"conversions", FieldType::kStringList, true,
            "Methods that convert to the type that they are given: to."},
           {"made_by", FieldType::kStringList, false,
            "What makes such values where it is given no type: torch.ByteTensor."},
           {"kept_by", FieldType::kStringList, false,
            "What gives a tensor of the type of its first argument."}},
          MakeRule<DtypeArgumentRule>};
}

}  // namespace transplt
