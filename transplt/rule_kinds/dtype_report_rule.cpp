// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <vector>

#include "transplt/base/one_of.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/default_device.h"
#include "transplt/facts/receiver.h"
#include "transplt/facts/result_uses.h"
#include "transplt/facts/tensor_types.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/places_of_file.h"
#include "transplt/rule_kinds/call_around.h"
#include "transplt/rule_kinds/dtype_trace.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"

namespace transplt {
namespace {

const std::string kTorch = "torch";
constexpr std::string_view kDtype = "dtype";

/// True for the equation of an einsum that sums nothing over an index of two operands, such as
/// "bhl,chl->bchl": PyTorch multiplies these element by element, without a product of matrices.
bool IsElementwiseEquation(std::string_view equation) {
  const size_t arrow = equation.find("->");
  if (arrow == std::string_view::npos) return false;
  const std::string_view result = equation.substr(arrow);
  const std::string_view operands = equation.substr(0, arrow);
  return std::ranges::none_of(operands, [&](char index) {
    const bool is_index = (index >= 'a' && index <= 'z') || (index >= 'A' && index <= 'Z');
    if (!is_index || result.find(index) != std::string_view::npos) return false;
    const size_t first = operands.find(index);
    return operands.substr(first, operands.rfind(index) - first).find(',') !=
           std::string_view::npos;
  });
}

/// Reports values of an element type that the NPU does not take: where a tensor is turned into
/// one, or where a function gets one.
class DtypeReportRule : public Rule {
 public:
  DtypeReportRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        signs_(fields),
        functions_(fields.List("functions")),
        any_argument_(fields.Boolean("any_argument", false)),
        moved_by_(fields.List("moved_by")),
        converted_by_(fields.List("converted_by")),
        carried_by_(fields.List("carried_by")),
        read_by_(fields.List("read_by")),
        not_inside_(fields.List("not_inside")) {}

  std::vector<Trigger> triggers() const override {
    std::vector<Trigger> triggers;
    if (!moved_by_.empty()) {
      for (const std::string& method : moved_by_) triggers.push_back({NodeKind::kCall, method});
      return triggers;
    }
    if (!functions_.empty()) {
      for (const std::string& function : functions_) {
        triggers.push_back({NodeKind::kCall, function});
      }
      return triggers;
    }
    for (const std::string& method : signs_.methods) triggers.push_back({NodeKind::kCall, method});
    for (const std::string& method : signs_.conversions)
      triggers.push_back({NodeKind::kCall, method});
    return triggers;
  }

  WordSets required_words() const override {
    WordSets words;
    if (!moved_by_.empty()) {
      for (const std::vector<std::string>* makers : {&signs_.made_by, &signs_.dtypes}) {
        for (const std::string& maker : *makers) {
          for (const std::string& method : moved_by_) {
            words.push_back({kTorch, method, std::string(LastPart(maker))});
          }
        }
      }
      return words;
    }
    if (functions_.empty()) {
      for (const std::string& method : signs_.methods) words.push_back({kTorch, method});
      for (const std::string& dtype : signs_.dtypes) {
        for (const std::string& method : signs_.conversions) {
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
    if (IsInCallOf(call, not_inside_, file)) return;
    if (!moved_by_.empty()) return CheckMoved(call, file, findings);
    if (!functions_.empty()) {
      CheckArguments(call, file, findings);
      return;
    }
    const Node callee = call.Child(Field::kFunction);
    if (!callee.Is(NodeKind::kAttribute) || !signs_.IsConversion({call, &file.names()})) return;
    const Node receiver = callee.Child(Field::kObject);
    Text ignored;
    const Node name = callee.Child(Field::kAttribute);
    if (IsForeignReceiver(receiver, name.text(), file.code(), &ignored)) return;
    const TensorTypes types(file.names(), file.classes());
    const ValueType type = types.Of(receiver);
    // Of booleans nothing is lost: float32 counts them exactly up to 16,777,216.
    if (type == ValueType::kOther || type == ValueType::kMask) return;
    if (types.IsOnHost(receiver) || IsMovedToHost(call) || IsOneNumber(receiver)) return;
    Report(name.range(), LastPart(signs_.dtypes.front()), findings);
  }

 private:
  /// `torch.from_numpy(np.zeros(3)).to(device)`, unless it gets another type there or right behind.
  void CheckMoved(Node call, const FileContext& file, Findings& findings) const {
    const Node callee = call.Child(Field::kFunction);
    if (!callee.Is(NodeKind::kAttribute) || IsMovedToHost(call)) return;
    const Node behind = call.parent().Child(Field::kAttribute);
    if (call.parent().Is(NodeKind::kAttribute) && IsOneOf(behind.text(), converted_by_)) return;
    for (const Argument& argument : ArgumentsOf(call)) {
      if (argument.keyword == kDtype || argument.is_splat) return;
      const ValueSources& sources = file.sources();
      if (std::ranges::any_of(sources.Of(argument.value), IsType)) return;
    }
    const Node receiver = callee.Child(Field::kObject);
    const TensorTypes types(file.names(), file.classes());
    if (types.IsOnHost(call)) return;
    // Of an array of NumPy there is no such method: torch has made a tensor of it.
    if (!DtypeTrace(signs_, file).MakerOf({receiver, &file.names()})) return;
    if (!IsOnlyCarried(call, file)) {
      Report(callee.Child(Field::kAttribute).range(), receiver.text(), findings);
    }
  }

  /// True if nothing computes with the tensor: processes send it to each other, and read it.
  bool IsOnlyCarried(Node call, const FileContext& file) const {
    const std::vector<ResultUse> uses = file.results().OfValue(call);
    return !uses.empty() && std::ranges::all_of(uses, [&](const ResultUse& use) {
      if (use.kind == ResultUse::Kind::kMember) return IsOneOf(use.member, read_by_);
      return use.kind == ResultUse::Kind::kPassed &&
             NamesOneOf(use.node.Child(Field::kFunction), carried_by_, file.names());
    });
  }

  /// `torch.float32`, `other.dtype`, and a parameter that is called so.
  static bool IsType(const ValueSource& value) {
    if (value.node.text().ends_with(kDtype)) return true;
    return std::ranges::any_of(value.names->Resolve(value.node), [](const QualifiedName& name) {
      return !name.local && FirstPart(name.name) == kTorch;
    });
  }

  void CheckArguments(Node call, const FileContext& file, Findings& findings) const {
    if (any_argument_ && HasOperandOnHost(call, file)) return;
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const Node equation = arguments.empty() ? Node() : PlainStringContent(arguments[0].value);
    if (equation && IsElementwiseEquation(equation.text())) return;
    for (const Argument& argument : arguments) {
      if (CheckArgument(argument.value, file, findings) || !any_argument_) return;
    }
  }

  /// True if the call computes on the host: its operands are all in one place.
  static bool HasOperandOnHost(Node call, const FileContext& file) {
    const TensorTypes types(file.names(), file.classes());
    return !ChoosesDefaultDevice(file.names(), file.project()) &&
           std::ranges::any_of(ArgumentsOf(call), [&](const Argument& argument) {
             return types.IsOnHost(argument.value);
           });
  }

  /// True if it has a row.
  bool CheckArgument(Node value, const FileContext& file, Findings& findings) const {
    const std::optional<ValueSource> maker =
        DtypeTrace(signs_, file).MakerOf({value, &file.names()});
    if (!maker) return false;
    Text message = WhyOf(value.text());
    if (maker->path() != file.source().path()) {
      const uint32_t line = maker->names->tree().source().Locate(maker->node.range().start).line;
      const Text place = Say(" ({}:{} makes it)", "（由 {}:{} 创建）", maker->path(), line);
      message.en += place.en;
      message.zh += place.zh;
    }
    findings.push_back(Row(value.range(), std::move(message)));
    return true;
  }

  /// `x.mean().double()`: one number, whose digits were lost before.
  static bool IsOneNumber(Node value) {
    if (!value.Is(NodeKind::kCall) || !ArgumentsOf(value).empty()) return false;
    const Node callee = value.Child(Field::kFunction);
    return callee.Is(NodeKind::kAttribute) &&
           Words("whole-reductions").Has(callee.Child(Field::kAttribute).text());
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

  void Report(TextRange range, std::string_view about, Findings& findings) const {
    findings.push_back(Row(range, WhyOf(about)));
  }

  DtypeSigns signs_;
  std::vector<std::string> functions_;
  bool any_argument_;
  std::vector<std::string> moved_by_;
  std::vector<std::string> converted_by_;
  std::vector<std::string> carried_by_;
  std::vector<std::string> read_by_;
  std::vector<std::string> not_inside_;
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
           {"any_argument", FieldType::kBoolean, false,
            "Nor as another argument, none being on the host."},
           {"moved_by", FieldType::kStringList, false,
            "Methods that move a tensor to the device: only their calls are meant, of one that "
            "provably is of it, as functions has it."},
           {"converted_by", FieldType::kStringList, false,
            "For moved_by: methods that give it another type right behind: float."},
           {"carried_by", FieldType::kStringList, false,
            "For moved_by: functions that take the type, and compute nothing with it."},
           {"read_by", FieldType::kStringList, false,
            "For moved_by: members that read it; a tensor of which nothing but these and "
            "carried_by is asked is not meant."},
           {"made_by", FieldType::kStringList, false,
            "For functions: what makes such values where it is given no type: numpy.zeros."},
           {"number_by", FieldType::kStringList, false,
            "For functions: what gives a number of the type, of a list of numbers of Python: "
            "numpy.mean."},
           {"kept_by", FieldType::kStringList, false,
            "For functions: what gives a tensor of the type of its first argument."},
           {"wins", FieldType::kBoolean, false,
            "For functions: of a value of the type and one of another, the sum, the product and "
            "the quotient are of it, as with complex numbers."},
           {"not_inside", FieldType::kStringList, false,
            "Functions by their full names: not what stands in a call of one of them."}},
          MakeRule<DtypeReportRule>};
}

}  // namespace transplt
