// SPDX-License-Identifier: Apache-2.0
// The copy of tree-sitter's tree. Through the cursor of its API it took a fifth of a run: the
// cursor looks up for each node, by several functions, what is at hand on the way down. So this
// one file reads the subtrees themselves, as the pinned version of the core lays them out.
#include <language.h>
#include <subtree.h>
#include <tree.h>

#include <utility>

#include "transplt/syntax/tree_builder.h"

extern "C" const TSLanguage* tree_sitter_python(void);

namespace transplt {
namespace {

/// Maps the grammar's symbols, those that it uses inside too, to NodeKind.
class SymbolTable {
 public:
  SymbolTable() {
    const TSLanguage* language = tree_sitter_python();
    kinds_.resize(ts_language_symbol_count(language), NodeKind::kToken);
    for (uint32_t i = 0; i < kinds_.size(); ++i) {
      const TSSymbol symbol = ts_language_public_symbol(language, static_cast<TSSymbol>(i));
      if (ts_language_symbol_type(language, symbol) != TSSymbolTypeRegular) continue;
      kinds_[i] = KindOf(ts_language_symbol_name(language, symbol));
    }
  }

  NodeKind operator[](TSSymbol symbol) const {
    return symbol < kinds_.size() ? kinds_[symbol] : NodeKind::kError;  // ERROR is symbol 65535
  }

 private:
  static NodeKind KindOf(std::string_view name) {
#define X(kind, text) \
  if (name == (text)) return NodeKind::kind;
    TRANSPLT_NODE_KINDS(X)
#undef X
    return NodeKind::kOtherNamed;
  }

  std::vector<NodeKind> kinds_;
};

const SymbolTable& Symbols() {
  static const SymbolTable symbols;
  return symbols;
}

/// The children of one subtree, from the next one on.
class Level {
 public:
  /// `field` is that of a hidden subtree, whose children stand for it.
  Level(const TSLanguage* language, Subtree parent, uint32_t start, uint32_t entry, Field field)
      : entry_(entry), inherited_(field) {
    const uint32_t count = ts_subtree_child_count(parent);
    if (count == 0) return;
    next_ = ts_subtree_children(parent);
    end_ = next_ + count;
    // The blanks before the first child stand before the parent already.
    position_ = start - ts_subtree_padding(*next_).bytes;
    aliases_ = ts_language_alias_sequence(language, parent.ptr->production_id);
    ts_language_field_map(language, parent.ptr->production_id, &fields_, &fields_end_);
  }

  /// Goes to the next child that is a node or holds one. False at the end.
  bool Next() {
    while (next_ != end_) {
      subtree_ = *next_++;
      start_ = position_ + ts_subtree_padding(subtree_).bytes;
      position_ = start_ + ts_subtree_size(subtree_).bytes;
      const bool is_extra = ts_subtree_extra(subtree_);
      const uint32_t index = is_extra ? index_ : index_++;
      const TSSymbol alias = is_extra || aliases_ == nullptr ? TSSymbol{0} : aliases_[index];
      is_visible_ = alias != 0 || ts_subtree_visible(subtree_);
      if (!is_visible_ && ts_subtree_visible_child_count(subtree_) == 0) continue;
      symbol_ = alias != 0 ? alias : ts_subtree_symbol(subtree_);
      field_ = is_extra ? Field::kNone : FieldOf(index);
      return true;
    }
    return false;
  }

  uint32_t entry() const { return entry_; }
  /// Of the child.
  Subtree subtree() const { return subtree_; }
  uint32_t start() const { return start_; }
  uint32_t end() const { return position_; }
  bool is_visible() const { return is_visible_; }
  TSSymbol symbol() const { return symbol_; }
  Field field() const { return field_; }

 private:
  Field FieldOf(uint32_t index) const {
    for (const TSFieldMapEntry* field = fields_; field != fields_end_; ++field) {
      if (!field->inherited && field->child_index == index)
        return static_cast<Field>(field->field_id);
    }
    return inherited_;
  }

  const Subtree* next_ = nullptr;
  const Subtree* end_ = nullptr;
  const TSSymbol* aliases_ = nullptr;
  const TSFieldMapEntry* fields_ = nullptr;
  const TSFieldMapEntry* fields_end_ = nullptr;
  uint32_t index_ = 0;     // of the next child among those that the grammar's rule names
  uint32_t position_ = 0;  // where the child before ends
  uint32_t entry_;         // the entry that the children are below
  Field inherited_;
  Subtree subtree_{};
  uint32_t start_ = 0;
  TSSymbol symbol_ = 0;
  bool is_visible_ = false;
  Field field_ = Field::kNone;
};

}  // namespace

void SyntaxTree::Builder::Copy(const TSTree& parsed, uint32_t offset) {
  std::vector<Entry>& entries = tree_.entries_;
  const Subtree root = parsed.root;
  const uint32_t start = offset + ts_subtree_padding(root).bytes;
  uint32_t top = 0;
  // A text that makes no sense at all has an ERROR in place of the module: that is kept.
  if (ts_subtree_is_error(root)) {
    top = static_cast<uint32_t>(entries.size());
    AddEntry({NodeKind::kError, Field::kNone, start, start + ts_subtree_size(root).bytes, 0, 0},
             false);
  }
  std::vector<Level> levels;
  levels.emplace_back(parsed.language, root, start, top, Field::kNone);
  while (!levels.empty()) {
    Level& level = levels.back();
    if (!level.Next()) {
      // Hidden levels do the same for their entry, which goes on behind them.
      entries[level.entry()].subtree_end = static_cast<uint32_t>(entries.size());
      levels.pop_back();
      continue;
    }
    const Subtree subtree = level.subtree();
    uint32_t below = level.entry();
    Field inherited = level.field();
    if (level.is_visible()) {
      below = static_cast<uint32_t>(entries.size());
      inherited = Field::kNone;
      AddEntry({Symbols()[level.symbol()], level.field(), level.start(), level.end(), level.entry(),
                below + 1},
               ts_subtree_missing(subtree));
    }
    if (ts_subtree_visible_child_count(subtree) != 0) {
      levels.emplace_back(parsed.language, subtree, uint32_t{level.start()}, below, inherited);
    }
  }
}

void SyntaxTree::Builder::AddEntry(const Entry& entry, bool is_missing) {
  const auto id = static_cast<uint32_t>(tree_.entries_.size());
  tree_.entries_.push_back(entry);
  if (entry.kind == NodeKind::kError || (entry.start == entry.end && is_missing)) {
    errors_.push_back(id);
  } else if (entry.kind == NodeKind::kListSplat && IsUnderStar(tree_.entries_[entry.parent].kind) &&
             entry.parent + 1 == id) {
    splats_.push_back(id);
  } else if (entry.kind == NodeKind::kTypeAliasStatement) {
    // `type(x).attr = v`: the statement is an assignment, `type` the builtin.
    const uint32_t behind = entry.start + 4;
    const std::string_view rest = tree_.source_->parse_text().substr(behind, entry.end - behind);
    const size_t next = rest.find_first_not_of(" \t\\\r\n\f");
    if (next != std::string_view::npos && rest[next] == '(') {
      type_calls_.push_back({entry.start, behind});
    }
  }
}

}  // namespace transplt
