// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <vector>

#include "transplt/base/one_of.h"
#include "transplt/facts/receiver.h"
#include "transplt/facts/tensor_names.h"
#include "transplt/facts/tensor_types.h"
#include "transplt/facts/value_sources.h"
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
        functions_(fields.List("functions")),
        made_by_(fields.List("made_by")),
        kept_by_(fields.List("kept_by")) {}

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
      for (const std::string& dtype : dtypes_) {
        for (const std::string& method : conversions_) {
          words.push_back({kTorch, std::string(LastPart(dtype)), method});
        }
      }
    }
    // Another file may make the value.
    for (const std::string& function : functions_) {
      for (std::vector<std::string>& of_function : WordsOfName(function)) {
        words.push_back(std::move(of_function));
      }
    }
    return words;
  }

  void Check(Node call, const FileContext& file, Findings& findings) const override {
    if (file.IsOtherFramework() || !file.Imports("torch")) return;
    if (!functions_.empty()) {
      CheckArgument(call, file, findings);
      return;
    }
    const Node callee = call.Child(Field::kFunction);
    if (!callee.Is(NodeKind::kAttribute) || !IsConversion({call, &file.names()})) return;
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
  void CheckArgument(Node call, const FileContext& file, Findings& findings) const {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    if (arguments.empty()) return;
    const Node value = arguments[0].value;
    const ValueSources sources(file.names(), file.project());
    std::vector<ValueSource> trail;
    const std::optional<ValueSource> maker = MakerOf({value, &file.names()}, sources, trail);
    if (!maker) return;
    Text message = WhyOf(value.text());
    if (maker->path() != file.source().path()) {
      const uint32_t line = maker->names->tree().source().Locate(maker->node.range().start).line;
      const Text place = Say(" ({}:{} makes it)", "（由 {}:{} 创建）", maker->path(), line);
      message.en += place.en;
      message.zh += place.zh;
    }
    findings.push_back(Row(value.range(), std::move(message)));
  }

  /// `x.double()`, `x.to(torch.float64)`: without a device, and without other arguments.
  bool IsConversion(const ValueSource& call) const {
    const std::string_view method =
        call.node.Child(Field::kFunction).Child(Field::kAttribute).text();
    const std::vector<Argument> arguments = ArgumentsOf(call.node);
    if (IsOneOf(method, methods_)) return arguments.empty();
    if (!IsOneOf(method, conversions_) || arguments.empty()) return false;
    const Argument& first = arguments[0];
    const bool is_dtype = first.keyword.empty() || first.keyword == "dtype";
    const bool names_device = FindKeyword(arguments, "device") != nullptr;
    return is_dtype && !names_device && !first.is_splat && IsDtype(call.At(first.value));
  }

  bool IsDtype(const ValueSource& value) const {
    return std::ranges::any_of(
        dtypes_, [&](const std::string& dtype) { return value.names->IsNamed(value.node, dtype); });
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

  /// The call that makes `value` with one of the types, if all that a variable may hold, and one
  /// thing that a caller hands over, provably is of them. `trail` has the variables on the way.
  std::optional<ValueSource> MakerOf(const ValueSource& value, const ValueSources& sources,
                                     std::vector<ValueSource>& trail) const {
    constexpr size_t kMostSteps = 12;
    if (trail.size() > kMostSteps) return std::nullopt;
    trail.push_back(value);
    std::optional<ValueSource> maker;
    if (value.node.Is(NodeKind::kIdentifier)) {
      maker = MakerOfVariable(value, sources, trail);
    } else if (value.node.Is(NodeKind::kCall)) {
      maker = MakerOfCall(value, sources, trail);
    }
    trail.pop_back();
    return maker;
  }

  std::optional<ValueSource> MakerOfVariable(const ValueSource& use, const ValueSources& sources,
                                             std::vector<ValueSource>& trail) const {
    std::optional<ValueSource> maker;
    for (const Binding* binding : use.names->BindingsOf(use.node)) {
      if (binding->kind == BindingKind::kParameter) return MakerOfParameter(use, sources, trail);
      // `x += y` leaves the type, and `x = f(x)` is judged by what x was.
      const Node statement = binding->node.parent();
      const bool is_on_trail = std::ranges::any_of(
          trail, [&](const ValueSource& step) { return step.node == binding->value; });
      if (statement.Is(NodeKind::kAugmentedAssignment) || is_on_trail) continue;
      if (binding->kind != BindingKind::kAssignment) return std::nullopt;
      maker = MakerOf(use.At(binding->value), sources, trail);
      if (!maker) return std::nullopt;
    }
    return maker;
  }

  std::optional<ValueSource> MakerOfParameter(const ValueSource& use, const ValueSources& sources,
                                              std::vector<ValueSource>& trail) const {
    for (const ValueSource& source : sources.Of(use)) {
      if (source.node == use.node) continue;
      if (auto maker = MakerOf(source, sources, trail)) return maker;
    }
    return std::nullopt;
  }

  std::optional<ValueSource> MakerOfCall(const ValueSource& call, const ValueSources& sources,
                                         std::vector<ValueSource>& trail) const {
    const std::vector<Argument> arguments = ArgumentsOf(call.node);
    if (const Argument* dtype = FindKeyword(arguments, "dtype")) {
      return IsDtype(call.At(dtype->value)) ? std::optional(call) : std::nullopt;
    }
    const Node callee = call.node.Child(Field::kFunction);
    const auto is_one_of = [&](const std::vector<std::string>& functions) {
      return std::ranges::any_of(functions, [&](const std::string& function) {
        return call.names->IsNamed(callee, function);
      });
    };
    if (is_one_of(made_by_)) return TypeIn(arguments, call) ? std::nullopt : std::optional(call);
    if (is_one_of(kept_by_) && !arguments.empty()) {
      return MakerOf(call.At(arguments[0].value), sources, trail);
    }
    if (!callee.Is(NodeKind::kAttribute)) return std::nullopt;
    if (IsConversion(call)) return call;
    // What keeps the values keeps the type, unless it is given another one.
    if (!Has(kKeepingMethods, callee.Child(Field::kAttribute).text()) || TypeIn(arguments, call)) {
      return std::nullopt;
    }
    return MakerOf(call.At(callee.Child(Field::kObject)), sources, trail);
  }

  /// True if one of `arguments` is a name of torch or numpy, as types are: torch.float32.
  static bool TypeIn(const std::vector<Argument>& arguments, const ValueSource& call) {
    return std::ranges::any_of(arguments, [&](const Argument& argument) {
      return std::ranges::any_of(
          call.names->Resolve(argument.value), [](const QualifiedName& name) {
            return !name.local &&
                   (name.name.starts_with("torch.") || name.name.starts_with("numpy."));
          });
    });
  }

  void Report(TextRange range, std::string_view about, Findings& findings) const {
    findings.push_back(Row(range, WhyOf(about)));
  }

  std::vector<std::string> dtypes_;
  std::vector<std::string> methods_;
  std::vector<std::string> conversions_;
  std::vector<std::string> functions_;
  std::vector<std::string> made_by_;
  std::vector<std::string> kept_by_;
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
            "Functions that do not take it as their first argument."},
           {"made_by", FieldType::kStringList, false,
            "For functions: what makes such values where it is given no type: numpy.zeros."},
           {"kept_by", FieldType::kStringList, false,
            "For functions: what gives a tensor of the type of its first argument."}},
          MakeRule<DtypeReportRule>};
}

}  // namespace transplt
