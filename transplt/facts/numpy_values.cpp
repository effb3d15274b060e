// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/numpy_values.h"

#include <algorithm>

#include "transplt/base/word_list.h"

namespace transplt {
namespace {

constexpr int kMostSteps = 8;

bool IsFunctionOfNumpy(const ValueSource& callee) {
  return std::ranges::any_of(callee.names->Resolve(callee.node), [](const QualifiedName& name) {
    return !name.local && name.name.starts_with("numpy.");
  });
}

bool MayBe(const ValueSource& value, const ValueSources& sources, int steps) {
  if (steps > kMostSteps) return false;
  return std::ranges::any_of(sources.Of(value), [&](const ValueSource& source) {
    const auto is_one = [&](Node part) { return MayBe(source.At(part), sources, steps + 1); };
    const Node node = source.node;
    if (node.Is(NodeKind::kBinaryOperator)) {
      return is_one(node.Child(Field::kLeft)) || is_one(node.Child(Field::kRight));
    }
    if (node.Is(NodeKind::kSubscript)) return is_one(node.Child(Field::kValue));
    const Node callee = node.Is(NodeKind::kCall) ? node.Child(Field::kFunction) : Node();
    if (!callee) return false;
    if (IsFunctionOfNumpy(source.At(callee))) return true;
    if (!callee.Is(NodeKind::kAttribute)) return false;
    const std::string_view method = callee.Child(Field::kAttribute).text();
    if (method == "numpy") return true;
    return !Words("array-methods-of-python-values").Has(method) &&
           is_one(callee.Child(Field::kObject));
  });
}

}  // namespace

bool MayBeOfNumpy(const ValueSource& value, const ValueSources& sources) {
  return MayBe(value, sources, 0);
}

}  // namespace transplt
