// SPDX-License-Identifier: Apache-2.0
// The part of TensorTypes that says where tensors are.
#include <algorithm>

#include "transplt/base/word_list.h"
#include "transplt/facts/tensor_names.h"
#include "transplt/facts/tensor_types.h"
#include "transplt/python/arguments.h"

namespace transplt {

/// False for `torch.tensor([1, 2])`.
bool TensorTypes::MayBeScalar(Node expression) const {
  if (expression.Is(NodeKind::kIdentifier)) {
    return std::ranges::any_of(names_.BindingsOf(expression), [&](const Binding* binding) {
      return binding->value && !binding->value.Is(NodeKind::kIdentifier) &&
             MayBeScalar(binding->value);
    });
  }
  if (!expression.Is(NodeKind::kCall)) return false;
  const std::vector<Argument> arguments = ArgumentsOf(expression);
  return !arguments.empty() && !arguments[0].value.Is(NodeKind::kList) &&
         Words("scalar-makers").Has(NameOf(expression.Child(Field::kFunction)));
}

bool TensorTypes::IsOnHost(Node expression) const { return IsOnHost(expression, 0); }

bool TensorTypes::IsOnHost(Node expression, int steps) const {
  while (expression.Is(NodeKind::kParenthesizedExpression) || expression.Is(NodeKind::kSubscript)) {
    expression = expression.first_named_child();
  }
  constexpr int kMaxSteps = 6;
  if (!expression || steps > kMaxSteps) return false;
  if (expression.text().find("cpu") != std::string_view::npos) return true;
  if (expression.Is(NodeKind::kIdentifier)) {
    const NameTable::Meanings bindings = names_.BindingsOf(expression);
    return !bindings.empty() &&
           std::all_of(bindings.begin(), bindings.end(), [&](const Binding* binding) {
             return binding->kind == BindingKind::kAssignment &&
                    IsOnHost(binding->value, steps + 1);
           });
  }
  if (expression.Is(NodeKind::kComparisonOperator) || expression.Is(NodeKind::kBinaryOperator)) {
    // Only a tensor without dimensions may be where the other one is not.
    for (Node part = expression.first_named_child(); part; part = part.next_named_sibling()) {
      if (IsOnHost(part, steps + 1) && !MayBeScalar(part)) return true;
    }
    return false;
  }
  if (!expression.Is(NodeKind::kCall)) return false;
  const std::vector<Argument> arguments = ArgumentsOf(expression);
  if (FindKeyword(arguments, "device") != nullptr) return false;
  const std::string name = NameOf(expression.Child(Field::kFunction));
  if (Words("host-makers").Has(name)) return true;
  if (!name.empty()) {
    return name.starts_with("torch.") && !arguments.empty() &&
           IsOnHost(arguments[0].value, steps + 1);
  }
  const Node callee = expression.Child(Field::kFunction);
  if (!callee.Is(NodeKind::kAttribute)) return false;
  const std::string_view method = callee.Child(Field::kAttribute).text();
  return !Words("moving-methods").Has(method) && IsOnHost(callee.Child(Field::kObject), steps + 1);
}

}  // namespace transplt
