// SPDX-License-Identifier: Apache-2.0
// The part of TensorTypes that says where tensors are.
#include <algorithm>

#include "transplt/base/word_list.h"
#include "transplt/facts/tensor_names.h"
#include "transplt/facts/tensor_types.h"
#include "transplt/python/arguments.h"

namespace transplt {

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
    for (Node part = expression.first_named_child(); part; part = part.next_named_sibling()) {
      if (IsOnHost(part, steps + 1)) return true;
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
