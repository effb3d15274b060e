// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>

#include "transplt/analysis/advice_detectors.h"
#include "transplt/base/word_list.h"
#include "transplt/python/arguments.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

bool IsDouble(std::string_view name) {
  return name == "torch.float64" || name == "torch.double" || name == "torch.complex128" ||
         name == "torch.complex64" || name == "torch.cfloat" || name == "torch.cdouble";
}

/// True if the values of `expression` are float64 or complex, as far as its text says so.
bool IsWide(Node expression, const AdviceFile& file, int steps = 0) {
  if (steps > 4 || !expression) return false;
  if (expression.Is(NodeKind::kIdentifier)) {
    const std::vector<const Binding*> bindings = file.context().names().BindingsOf(expression);
    return !bindings.empty() && std::ranges::all_of(bindings, [&](const Binding* binding) {
      return binding->kind == BindingKind::kAssignment && IsWide(binding->value, file, steps + 1);
    });
  }
  if (!expression.Is(NodeKind::kCall)) return false;
  const std::string name = file.CalledName(expression);
  if (name == "torch.DoubleTensor" || name == "torch.cuda.DoubleTensor") return true;
  for (const Argument& argument : ArgumentsOf(expression)) {
    if (IsDouble(file.types().NameOf(argument.value))) return true;
  }
  if (!name.empty()) return false;
  const std::string_view method = MethodOf(expression);
  if (method == "double") return true;
  const bool keeps = method == "cuda" || method == "to" || method == "clone" || method == "detach";
  return keeps && IsWide(ObjectOf(expression), file, steps + 1);
}

bool SendsWideValues(Node call, const AdviceFile& file) {
  const std::string name = file.CalledName(call);
  if (!Words("reducing-functions").Has(name)) return false;
  const std::vector<Argument> arguments = ArgumentsOf(call);
  return !arguments.empty() && IsWide(arguments[0].value, file);
}

/// float64 is made: `.double()`, dtype=torch.float64, torch.DoubleTensor.
bool MakesDoubles(Node node, const AdviceFile& file) {
  if (node.Is(NodeKind::kCall)) {
    if (file.CalledName(node) == "torch.DoubleTensor" ||
        file.CalledName(node) == "torch.cuda.DoubleTensor") {
      return true;
    }
    return MethodOf(node) == "double" && ArgumentsOf(node).empty() &&
           file.CalledName(node).empty() && file.types().Of(ObjectOf(node)) != ValueType::kOther;
  }
  const std::string_view last = node.Child(Field::kAttribute).text();
  if (last != "float64" && last != "double") return false;
  const std::string name = file.types().NameOf(node);
  if (name != "torch.float64" && name != "torch.double") return false;
  // Only where it is asked for, not where it is compared or a key of a table.
  const Node parent = node.parent();
  if (parent.Is(NodeKind::kKeywordArgument)) {
    const Node call = parent.parent().parent();
    return parent.Child(Field::kName).text() == "dtype" && call.Is(NodeKind::kCall) &&
           !file.types().IsOnHost(call);
  }
  return parent.Is(NodeKind::kArgumentList) &&
         (MethodOf(parent.parent()) == "to" || MethodOf(parent.parent()) == "type" ||
          file.CalledName(parent.parent()) == "torch.set_default_dtype");
}

/// An infinity, or a number that float16 cannot hold.
bool IsBeyondHalf(Node value, const AdviceFile& file) {
  if (value.Is(NodeKind::kUnaryOperator)) value = value.Child(Field::kArgument);
  if (!value) return false;
  if (value.Is(NodeKind::kInteger) || value.Is(NodeKind::kFloat)) {
    constexpr double kMaxHalf = 65504;
    const std::string text(value.text());
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    return *end == '\0' && number > kMaxHalf;
  }
  if (value.Is(NodeKind::kCall)) {
    const std::vector<Argument> arguments = ArgumentsOf(value);
    if (value.Child(Field::kFunction).text() != "float" || arguments.size() != 1) return false;
    const std::string_view text = PlainStringContent(arguments[0].value).text();
    return text == "inf" || text == "-inf" || text == "Inf" || text == "-Inf" ||
           text == "infinity" || text == "-infinity";
  }
  const std::string name = file.types().NameOf(value);
  return name == "math.inf" || name == "numpy.inf" || name == "torch.inf" || name == "numpy.Inf";
}

/// True if the text says that `expression` is float32, whatever mixed precision does.
bool IsSingle(Node expression, const AdviceFile& file, int steps = 0) {
  constexpr int kMaxSteps = 4;
  if (steps > kMaxSteps || !expression) return false;
  if (expression.Is(NodeKind::kIdentifier)) {
    return std::ranges::any_of(file.context().names().BindingsOf(expression),
                               [&](const Binding* binding) {
                                 return binding->kind == BindingKind::kAssignment &&
                                        IsSingle(binding->value, file, steps + 1);
                               });
  }
  for (const Node node : NodesIn(expression)) {
    if (IsMethodCall(node, "float")) return true;
    if (!node.Is(NodeKind::kAttribute)) continue;
    const std::string_view last = node.Child(Field::kAttribute).text();
    if (last != "float32" && last != "float") continue;
    const std::string name = file.types().NameOf(node);
    if (name == "torch.float32" || name == "torch.float") return true;
  }
  return false;
}

bool FillsBeyondHalf(Node call, const AdviceFile& file) {
  const std::string name = file.CalledName(call);
  const std::string_view method = name.empty() ? MethodOf(call) : std::string_view();
  // What a module keeps (`self.low.fill_(-inf)`) is a bound more often than a mask.
  const bool fills_mask = method == "fill_" && !ObjectOf(call).Is(NodeKind::kAttribute);
  const bool fills = fills_mask || method == "masked_fill" || method == "masked_fill_" ||
                     name == "torch.where" || name == "torch.full" || name == "torch.full_like" ||
                     name == "torch.masked_fill";
  if (!fills) return false;
  const std::vector<Argument> arguments = ArgumentsOf(call);
  if (IsSingle(name.empty() ? ObjectOf(call) : call, file)) return false;
  return std::ranges::any_of(arguments, [&](const Argument& argument) {
    return argument.keyword != "size" && IsBeyondHalf(argument.value, file);
  });
}

}  // namespace

std::span<const Detector> PrecisionDetectors() {
  static const std::vector<Detector> detectors = {
      {"sends_wide_values", {NodeKind::kCall}, SendsWideValues},
      {"makes_doubles", {NodeKind::kCall, NodeKind::kAttribute}, MakesDoubles},
      {"fills_beyond_half", {NodeKind::kCall}, FillsBeyondHalf},
  };
  return detectors;
}

}  // namespace transplt
