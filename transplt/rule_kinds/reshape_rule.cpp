// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "transplt/base/word_list.h"
#include "transplt/engine/file_context.h"
#include "transplt/facts/elementwise.h"
#include "transplt/facts/value_sources.h"
#include "transplt/python/arguments.h"
#include "transplt/python/callee.h"
#include "transplt/rule_kinds/rule_kind_rows.h"

namespace transplt {
namespace {

/// Writes `x.reshape(-1)` for `x.view(-1)` of what is computed of a transposed tensor: it has the
/// order of that in memory, which view() cannot make one dimension of. reshape() gives the same
/// wherever view() gives something.
class ReshapeRule : public Rule {
 public:
  ReshapeRule(RuleHeader header, const Fields& /*fields*/) : Rule(std::move(header)) {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kAttribute, "view"}}; }
  WordSets required_words() const override { return {{"view"}}; }

  void Check(Node view, const FileContext& file, Findings& findings) const override {
    if (!IsCalled(view)) return;
    const std::vector<Argument> shape = ArgumentsOf(view.parent());
    if (shape.size() != 1 || shape[0].value.text() != "-1") return;
    const Node tensor = view.Child(Field::kObject);
    const ValueSources& sources = file.sources();
    if (!IsComputedOfTransposed({tensor, &file.names()}, sources, false, kDeepest)) return;
    Finding finding = Change(view.range(), WhyOf(view.text()));
    finding.fix.Replace(view.Child(Field::kAttribute).range(), "reshape");
    findings.push_back(std::move(finding));
  }

 private:
  static constexpr int kDeepest = 8;

  /// `is_computed`: something has been computed of the value.
  static bool IsComputedOfTransposed(const ValueSource& value, const ValueSources& sources,
                                     bool is_computed, int depth) {
    if (depth == 0) return false;
    return std::ranges::any_of(sources.Of(value), [&](const ValueSource& source) {
      const Node node = source.node;
      if (is_computed && IsTransposed(node)) return true;
      const bool is_part = node.Is(NodeKind::kSubscript);
      const Node inner = is_part ? node.Child(Field::kValue) : ElementwiseOperand(node);
      return inner &&
             IsComputedOfTransposed(source.At(inner), sources, is_computed || !is_part, depth - 1);
    });
  }

  static bool IsTransposed(Node node) {
    const Node member = node.Is(NodeKind::kCall) ? node.Child(Field::kFunction) : node;
    if (!member.Is(NodeKind::kAttribute)) return false;
    const std::string_view name = member.Child(Field::kAttribute).text();
    return node.Is(NodeKind::kCall) ? Words("transposing-methods").Has(name)
                                    : Words("transposed-attributes").Has(name);
  }
};

}  // namespace

RuleKind ReshapeRuleKind() {
  return {"ReshapeRule",
          "Writes x.reshape(-1) for x.view(-1) where x is computed of a transposed tensor, whose "
          "order in memory it has.",
          {{"source", FieldType::kString, false, "Where this is documented."}},
          MakeRule<ReshapeRule>};
}

}  // namespace transplt
