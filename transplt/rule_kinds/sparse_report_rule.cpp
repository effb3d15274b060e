// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "transplt/base/one_of.h"
#include "transplt/facts/receiver.h"
#include "transplt/facts/tensor_types.h"
#include "transplt/facts/value_sources.h"
#include "transplt/python/arguments.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"

namespace transplt {
namespace {

/// Reports what the NPU does not compute of sparse tensors.
class SparseReportRule : public Rule {
 public:
  SparseReportRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        functions_(fields.List("functions")),
        given_(fields.List("given")),
        operators_(fields.List("operators")),
        made_by_(fields.List("made_by")),
        methods_(fields.List("methods")),
        kept_by_(fields.List("kept_by")) {}

  std::vector<Trigger> triggers() const override {
    std::vector<Trigger> triggers;
    for (const std::vector<std::string>* list : {&functions_, &given_}) {
      for (const std::string& function : *list) triggers.push_back({NodeKind::kCall, function});
    }
    if (!operators_.empty()) triggers.push_back({NodeKind::kBinaryOperator, ""});
    return triggers;
  }

  WordSets required_words() const override {
    WordSets words;
    for (const std::string& function : functions_) {
      for (std::vector<std::string>& all : WordsOfName(function)) words.push_back(std::move(all));
    }
    for (const std::string& maker : made_by_) {
      for (std::vector<std::string>& all : WordsOfName(maker)) words.push_back(std::move(all));
    }
    for (const std::string& method : methods_) words.push_back({"torch", method});
    return words;
  }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    if (file.IsOtherFramework() || !file.Imports("torch")) return;
    if (node.Is(NodeKind::kBinaryOperator)) return CheckOperator(node, file, findings);
    const Node callee = node.Child(Field::kFunction);
    std::vector<Node> operands;
    for (const Argument& argument : ArgumentsOf(node)) {
      if (!argument.is_splat) operands.push_back(argument.value);
    }
    const std::string name = NameIn(functions_, callee, file);
    if (!name.empty()) {
      const bool is_on_host = std::ranges::any_of(operands, [&](Node operand) {
        return IsOnHost({operand, &file.names()}, file);
      });
      if (!is_on_host) findings.push_back(Row(callee.range(), WhyOf(name)));
      return;
    }
    if (NameIn(given_, callee, file).empty() && !IsMethodOfTensor(callee, file)) return;
    if (callee.Is(NodeKind::kAttribute) && NameIn(given_, callee, file).empty()) {
      operands.push_back(callee.Child(Field::kObject));
    }
    if (std::ranges::any_of(operands, [&](Node operand) { return IsSparse(operand, file); })) {
      findings.push_back(Row(callee.range(), WhyOf(callee.text())));
    }
  }

 private:
  enum class Layout { kUnknown, kSparse, kOnHost };

  void CheckOperator(Node operation, const FileContext& file, Findings& findings) const {
    if (!IsOneOf(SignOf(operation), operators_)) return;
    for (const Field side : {Field::kLeft, Field::kRight}) {
      if (!IsSparse(operation.Child(side), file)) continue;
      findings.push_back(Row(operation.range(), WhyOf(operation.text())));
      return;
    }
  }

  static std::string NameIn(const std::vector<std::string>& names, Node callee,
                            const FileContext& file) {
    const auto found = std::ranges::find_if(names, [&](const std::string& name) {
      return name.find('.') != std::string::npos && file.names().IsNamed(callee, name);
    });
    return found == names.end() ? std::string() : *found;
  }

  bool IsMethodOfTensor(Node callee, const FileContext& file) const {
    if (!callee.Is(NodeKind::kAttribute)) return false;
    const std::string_view method = callee.Child(Field::kAttribute).text();
    Text ignored;
    return IsOneOf(method, given_) &&
           !IsForeignReceiver(callee.Child(Field::kObject), method, file.code(), &ignored);
  }

  bool IsSparse(Node operand, const FileContext& file) const {
    return LayoutOf({operand, &file.names()}, file, 0) == Layout::kSparse;
  }

  bool IsOnHost(const ValueSource& value, const FileContext& file) const {
    return LayoutOf(value, file, 0) == Layout::kOnHost;
  }

  /// Whether all that `value` may be, apart from None, is a sparse tensor, or one of the host.
  Layout LayoutOf(const ValueSource& value, const FileContext& file, int depth) const {
    constexpr int kDeepest = 8;
    if (depth > kDeepest) return Layout::kUnknown;
    const ValueSources& sources = file.sources();
    Layout common = Layout::kUnknown;
    bool is_first = true;
    for (const ValueSource& source : sources.Of(value)) {
      if (source.node.Is(NodeKind::kNone)) continue;
      const Layout layout = LayoutOfSource(source, file, depth);
      if (!is_first && layout != common) return Layout::kUnknown;
      common = layout;
      is_first = false;
    }
    return common;
  }

  Layout LayoutOfSource(const ValueSource& source, const FileContext& file, int depth) const {
    if (!source.node.Is(NodeKind::kCall)) return Layout::kUnknown;
    const Node callee = source.node.Child(Field::kFunction);
    const bool is_made = std::ranges::any_of(
        made_by_, [&](const std::string& maker) { return source.names->IsNamed(callee, maker); });
    const std::vector<Argument> arguments = ArgumentsOf(source.node);
    const bool names_host = std::ranges::any_of(arguments, [](const Argument& argument) {
      return argument.value.text().find("cpu") != std::string_view::npos;
    });
    if (is_made) return names_host ? Layout::kOnHost : Layout::kSparse;
    if (!callee.Is(NodeKind::kAttribute)) return Layout::kUnknown;
    const std::string_view method = callee.Child(Field::kAttribute).text();
    if (method == "cpu" || (method == "to" && names_host)) return Layout::kOnHost;
    if (IsOneOf(method, methods_)) return Layout::kSparse;
    if (!IsOneOf(method, kept_by_)) return Layout::kUnknown;
    return LayoutOf(source.At(callee.Child(Field::kObject)), file, depth + 1);
  }

  std::vector<std::string> functions_;
  std::vector<std::string> given_;
  std::vector<std::string> operators_;
  std::vector<std::string> made_by_;
  std::vector<std::string> methods_;
  std::vector<std::string> kept_by_;
};

}  // namespace

RuleKind SparseReportRuleKind() {
  return {"SparseReportRule",
          "Reports what the NPU does not compute of sparse tensors; those of the host are not "
          "meant. The rule's why is the message.",
          {{"functions", FieldType::kStringList, true,
            "Functions of sparse tensors, by their full names: torch.sparse.mm."},
           {"given", FieldType::kStringList, false,
            "Functions by their full names, and methods of tensors: only where one of what they "
            "compute with provably is sparse."},
           {"operators", FieldType::kStringList, false, "The same for operators: @."},
           {"made_by", FieldType::kStringList, true,
            "Functions that make sparse tensors: torch.sparse_coo_tensor."},
           {"methods", FieldType::kStringList, true, "Methods that give one: to_sparse."},
           {"kept_by", FieldType::kStringList, true,
            "Methods that give one where the object is one: coalesce."}},
          MakeRule<SparseReportRule>};
}

}  // namespace transplt
