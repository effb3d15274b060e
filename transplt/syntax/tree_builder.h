// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tree_sitter/api.h>

#include <string>
#include <string_view>
#include <vector>

#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// Fills a SyntaxTree: lets tree-sitter parse, copies its tree into the flat list, and repairs
/// what it has read wrongly, in the list where that can be done, else in the text for another
/// round.
class SyntaxTree::Builder {
 public:
  Builder(SyntaxTree& tree, TSParser* parser) : tree_(tree), parser_(parser) {}

  void Build();

 private:
  void ParseInto(std::string_view text);
  size_t CountErrors(std::string_view text) const;
  void Copy(TSNode root);
  void AddEntry(const TSTreeCursor& cursor, uint32_t parent);
  std::vector<TextRange> ErrorRanges() const;
  bool MaskTypeCalls(std::string& masked) const;
  bool MaskRefusedParts(std::string& masked) const;
  TextRange DoubtAround(uint32_t error) const;
  void HoistSplat(uint32_t splat);

  SyntaxTree& tree_;
  TSParser* parser_;
  std::vector<uint32_t> splats_;       // ids of nodes that read `*a.b()` as `(*a).b()`
  std::vector<TextRange> type_calls_;  // the words `type` of `type(x).attr = v`
  std::vector<uint32_t> errors_;       // ids of ERROR nodes and missing tokens
};

}  // namespace transplt
