// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/base/one_of.h"
#include "transplt/facts/receiver.h"
#include "transplt/facts/tensor_names.h"
#include "transplt/facts/tensor_types.h"
#include "transplt/python/arguments.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"

namespace transplt {
namespace {

const std::string kTorch = "torch";

/// Reports values of an element type that the NPU does not take: where a tensor is turned into
/// one, or where a function gets one.
class DtypeReportRule : public Rule {
 public:
  DtypeReportRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        dtypes_(fields.List("dtypes")),
        methods_(fields.List("methods")),
        conversions_(fields.List("conversions")),
        functions_(fields.List("functions")) {}

  std::vector<Trigger> triggers() const override {
    std::vector<Trigger> triggers;
    if (!functions_.empty()) {
      for (const std::string& function : functions_) {
        triggers.push_back({NodeKind::kCall, function});
      }
      return triggers;
    }
    for (const std::string& method : methods_) triggers.push_back({NodeKind::kCall, method});
    for (const std::string& method : conversions_) triggers.push_back({NodeKind::kCall, method});
    return triggers;
  }

  WordSets required_words() const override {
    WordSets words;
    if (functions_.empty()) {
      for (const std::string& method : methods_) words.push_back({kTorch, method});
    }
    for (const std::string& dtype : dtypes_) {
      for (const std::string& method : conversions_) {
        words.push_back({kTorch, std::string(LastPart(dtype)), method});
      }
    }
    if (functions_.empty()) return words;
    // Both the function and the type have to be there.
    WordSets both;
    for (const std::string& function : functions_) {
      for (std::vector<std::string> all : WordsOfName(function)) {
        for (const std::string& dtype : dtypes_) {
          both.push_back(all);
          both.back().emplace_back(LastPart(dtype));
        }
        for (const std::string& method : methods_) {
          both.push_back(all);
          both.back().push_back(method);
        }
      }
    }
    return both;
  }

  void Check(Node call, const FileContext& file, Findings& findings) const override {
    if (file.IsOtherFramework() || !file.Imports("torch")) return;
    if (!functions_.empty()) {
      const std::vector<Argument> arguments = ArgumentsOf(call);
      if (!arguments.empty() && IsOfDtype(arguments[0].value, file, 0)) {
        Report(arguments[0].value.range(), arguments[0].value.text(), findings);
      }
      return;
    }
    const Node callee = call.Child(Field::kFunction);
    if (!callee.Is(NodeKind::kAttribute) || !IsConversion(call, file)) return;
    const Node receiver = callee.Child(Field::kObject);
    Text ignored;
    const Node name = callee.Child(Field::kAttribute);
    if (IsForeignReceiver(receiver, name.text(), file.code(), &ignored)) return;
    const TensorTypes types(file.names(), file.classes());
    if (types.Of(receiver) == ValueType::kOther || types.IsOnHost(receiver)) return;
    if (IsMovedToHost(call)) return;
    Report(name.range(), LastPart(dtypes_.front()), findings);
  }

 private:
  /// `x.double()`, `x.to(torch.float64)`: without a device, and without other arguments.
  bool IsConversion(Node call, const FileContext& file) const {
    const std::string_view method = call.Child(Field::kFunction).Child(Field::kAttribute).text();
    const std::vector<Argument> arguments = ArgumentsOf(call);
    if (IsOneOf(method, methods_)) return arguments.empty();
    if (!IsOneOf(method, conversions_) || arguments.empty()) return false;
    const Argument& first = arguments[0];
    const bool is_dtype = first.keyword.empty() || first.keyword == "dtype";
    const bool names_device = FindKeyword(arguments, "device") != nullptr;
    return is_dtype && !names_device && !first.is_splat && IsDtype(first.value, file);
  }

  bool IsDtype(Node value, const FileContext& file) const {
    return std::ranges::any_of(
        dtypes_, [&](const std::string& dtype) { return file.names().IsNamed(value, dtype); });
  }

  /// `x.double().cpu()`: converted for the host.
  static bool IsMovedToHost(Node call) {
    for (Node node = call; node.parent().Is(NodeKind::kAttribute); node = node.parent().parent()) {
      // An array of numpy is only made of a tensor that is on the host.
      const std::string_view next = node.parent().Child(Field::kAttribute).text();
      if (next == "cpu" || next == "numpy") return true;
      if (!node.parent().parent().Is(NodeKind::kCall)) return false;
    }
    return false;
  }

  /// True if the value is made with one of the types, as far as this file shows.
  bool IsOfDtype(Node value, const FileContext& file, int steps) const {
    constexpr int kMaxSteps = 6;
    if (steps > kMaxSteps) return false;
    if (value.Is(NodeKind::kIdentifier)) {
      const NameTable::Meanings bindings = file.names().BindingsOf(value);
      return !bindings.empty() && std::ranges::all_of(bindings, [&](const Binding* binding) {
        return binding->kind == BindingKind::kAssignment &&
               IsOfDtype(binding->value, file, steps + 1);
      });
    }
    if (!value.Is(NodeKind::kCall)) return false;
    const std::vector<Argument> arguments = ArgumentsOf(value);
    if (const Argument* dtype = FindKeyword(arguments, "dtype")) {
      return IsDtype(dtype->value, file);
    }
    const Node callee = value.Child(Field::kFunction);
    if (!callee.Is(NodeKind::kAttribute)) return false;
    if (IsConversion(value, file)) return true;
    // What keeps the values keeps the type, unless it is given another one.
    const std::string_view method = callee.Child(Field::kAttribute).text();
    const bool is_move =
        Has(kKeepingMethods, method) && std::ranges::none_of(arguments, [&](const Argument& a) {
          return IsOfTorch(a.value, file);  // torch.float32
        });
    return is_move && IsOfDtype(callee.Child(Field::kObject), file, steps + 1);
  }

  static bool IsOfTorch(Node value, const FileContext& file) {
    return std::ranges::any_of(file.names().Resolve(value), [](const QualifiedName& name) {
      return !name.local && name.name.starts_with("torch.");
    });
  }

  void Report(TextRange range, std::string_view about, Findings& findings) const {
    findings.push_back(Row(range, WhyOf(about)));
  }

  std::vector<std::string> dtypes_;
  std::vector<std::string> methods_;
  std::vector<std::string> conversions_;
  std::vector<std::string> functions_;
};

}  // namespace

RuleKind DtypeReportRuleKind() {
  return {"DtypeReportRule",
          "Reports tensors that are turned into an element type which the NPU does not take; with "
          "functions, only their calls with a tensor that provably is of it. Tensors of the host "
          "and other objects are not meant. The rule's why is the message.",
          {{"dtypes", FieldType::kStringList, true, "The type by its full names: torch.float64."},
           {"methods", FieldType::kStringList, true, "Methods that convert to it: double."},
           {"conversions", FieldType::kStringList, true,
            "Methods that convert to the type that they are given: to."},
           {"functions", FieldType::kStringList, false,
            "Functions that do not take it as their first argument."}},
          MakeRule<DtypeReportRule>};
}

}  // namespace transplt
