// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/whole_sums.h"

#include <algorithm>
#include <string>
#include <vector>

#include "transplt/base/word_list.h"
#include "transplt/facts/elementwise.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"

namespace transplt {
namespace {

constexpr int kDeepestSum = 4;

/// `x.view(-1)`, `x.reshape(-1).float()`
bool IsFlat(const ValueSource& value, const ValueSources& sources, int depth) {
  const std::vector<ValueSource> makers = sources.Of(value);
  return depth > 0 && !makers.empty() && std::ranges::all_of(makers, [&](const ValueSource& maker) {
           if (!maker.node.Is(NodeKind::kCall)) return false;
           const std::vector<Argument> given = ArgumentsOf(maker.node);
           const std::string_view method = LastPart(maker.node.Child(Field::kFunction).text());
           const bool is_shaped = method == "view" || method == "reshape";
           if (is_shaped) return given.size() == 1 && given[0].value.text() == "-1";
           if (method == "flatten") return given.empty();
           const Node operand = ElementwiseOperand(maker.node);
           return operand && IsFlat(maker.At(operand), sources, depth - 1);
         });
}

/// `x.sum(0)` of an x that has one dimension.
bool IsFlatSum(const ValueSource& call, const ValueSources& sources) {
  const Node callee = call.node.Child(Field::kFunction);
  if (!callee.Is(NodeKind::kAttribute)) return false;
  const std::string_view method = callee.Child(Field::kAttribute).text();
  if (method != "sum" && method != "mean") return false;
  const std::vector<Argument> given = ArgumentsOf(call.node);
  if (given.size() != 1 || given[0].value.text() != "0") return false;
  return IsFlat(call.At(callee.Child(Field::kObject)), sources, kDeepestSum);
}

/// True for a call that makes an object of a loss, or as a function computes it, without a
/// reduction of its own.
bool NamesLossOfOneNumber(const ValueSource& call, bool is_function) {
  const bool is_loss = std::ranges::any_of(
      call.names->Resolve(call.node.Child(Field::kFunction)), [&](const QualifiedName& name) {
        return !name.local && Words("losses-of-one-number").Has(name.name) &&
               name.name.starts_with("torch.nn.functional.") == is_function;
      });
  return is_loss && std::ranges::none_of(ArgumentsOf(call.node), [](const Argument& argument) {
           const bool is_reduction =
               argument.keyword == "reduction" || argument.keyword == "reduce" || argument.is_splat;
           const std::string_view value = PlainStringContent(argument.value).text();
           return is_reduction && value != "mean" && value != "sum";
         });
}

/// `nn.MSELoss()(x, y)`, `criterion(x, y)`, `F.mse_loss(x, y)`
bool IsLossOfOneNumber(const ValueSource& call, const ValueSources& sources) {
  if (NamesLossOfOneNumber(call, true)) return true;
  const std::vector<ValueSource> makers = sources.Of(call.At(call.node.Child(Field::kFunction)));
  return !makers.empty() && std::ranges::all_of(makers, [&](const ValueSource& maker) {
    const Node made = maker.node.Is(NodeKind::kCall) ? MadeFirst(maker.node) : Node();
    return made.Is(NodeKind::kCall) && NamesLossOfOneNumber(maker.At(made), false);
  });
}

bool IsWholeSum(const ValueSource& value, const ValueSources& sources, bool takes_plain,
                int depth) {
  const std::vector<ValueSource> makers = sources.Of(value);
  return depth > 0 && !makers.empty() && std::ranges::all_of(makers, [&](const ValueSource& maker) {
           if (!maker.node.Is(NodeKind::kCall)) return false;
           if (IsFlatSum(maker, sources) || (takes_plain && IsWholeReduction(maker)) ||
               IsLossOfOneNumber(maker, sources)) {
             return true;
           }
           const Node operand = ElementwiseOperand(maker.node);
           return operand && IsWholeSum(maker.At(operand), sources, takes_plain, depth - 1);
         });
}

}  // namespace

bool IsWholeReduction(const ValueSource& call) {
  const Node callee = call.node.Child(Field::kFunction);
  if (!callee.Is(NodeKind::kAttribute)) return false;
  const std::string_view method = callee.Child(Field::kAttribute).text();
  if (!Words("whole-reductions").Has(method)) return false;
  const std::vector<Argument> given = ArgumentsOf(call.node);
  return call.names->IsNamed(callee, "torch." + std::string(method)) ? given.size() == 1
                                                                     : given.empty();
}

bool IsWholeSum(const ValueSource& value, const ValueSources& sources, bool takes_plain) {
  return IsWholeSum(value, sources, takes_plain, kDeepestSum);
}

}  // namespace transplt
