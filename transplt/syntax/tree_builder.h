// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tree_sitter/api.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/syntax/misread.h"
#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// Fills a SyntaxTree: lets tree-sitter parse, copies its tree into the flat list, and repairs
/// what it has read wrongly, in the list where that can be done, else in the text for another
/// round.
class SyntaxTree::Builder {
 public:
  /// `meter` may be null.
  Builder(SyntaxTree& tree, TSParser* parser, BudgetMeter* meter)
      : tree_(tree), parser_(parser), meter_(meter) {}

  /// Lets the first round parse only what `edits` of the source of `before` have changed.
  void StartFrom(const SyntaxTree& before, const EditList& edits);
  void Build();

 private:
  static bool IsShortWayTo(const SyntaxTree& before, const EditList& edits);
  /// Null if the meter is spent before the end.
  ParsedText ParseText(std::string_view text, const TSTree* before = nullptr);
  /// False if the meter is spent before the end.
  bool ParseInto(std::string_view text);
  /// The tree of a text that took too much.
  void LeaveUnparsed(std::string_view text);
  std::optional<size_t> CountErrors(std::string_view text);
  void Copy(const TSTree& parsed, uint32_t offset);
  void AddEntry(const Entry& entry, bool is_missing);
  /// The outermost errors, in the order of the text.
  std::vector<SyntaxError> Errors() const;
  bool MaskTypeCalls(std::string& masked) const;
  bool MaskRefusedParts(std::string& masked) const;
  TextRange DoubtAround(uint32_t error) const;
  /// `(*a).b()` and `(*a) + b`: what may stand between a splat and the star's real extent.
  static bool IsUnderStar(NodeKind kind) {
    return kind == NodeKind::kAttribute || kind == NodeKind::kCall ||
           kind == NodeKind::kSubscript || kind == NodeKind::kBinaryOperator;
  }
  void HoistSplat(uint32_t splat);

  SyntaxTree& tree_;
  TSParser* parser_;
  BudgetMeter* meter_;
  ParsedText before_;  // tells tree-sitter what of an earlier tree still holds; may be null
  size_t parsed_ = 0;  // bytes, over all rounds
  size_t limit_ = 0;   // of these: keeps files that are not Python at all from taking minutes
  std::vector<uint32_t> splats_;       // ids of nodes that read `*a.b()` as `(*a).b()`
  std::vector<TextRange> type_calls_;  // the words `type` of `type(x).attr = v`
  std::vector<uint32_t> errors_;       // ids of ERROR nodes and missing tokens
};

}  // namespace transplt
