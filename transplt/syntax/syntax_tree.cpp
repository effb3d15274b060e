// SPDX-License-Identifier: Apache-2.0
#include "transplt/syntax/syntax_tree.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "transplt/syntax/broken_part.h"

extern "C" const TSLanguage* tree_sitter_python(void);

namespace transplt {
namespace {

/// Maps the grammar's symbols to NodeKind.
class SymbolTable {
 public:
  SymbolTable() {
    const TSLanguage* language = tree_sitter_python();
    kinds_.resize(ts_language_symbol_count(language), NodeKind::kToken);
    for (uint32_t i = 0; i < kinds_.size(); ++i) {
      const auto symbol = static_cast<TSSymbol>(i);
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
  if (name == text) return NodeKind::kind;
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

struct TreeDeleter {
  void operator()(TSTree* tree) const { ts_tree_delete(tree); }
};

}  // namespace

struct Parser::Impl {
  struct ParserDeleter {
    void operator()(TSParser* parser) const { ts_parser_delete(parser); }
  };
  std::unique_ptr<TSParser, ParserDeleter> parser{ts_parser_new()};
};

Parser::Parser() : impl_(std::make_unique<Impl>()) {
  const bool loaded = ts_parser_set_language(impl_->parser.get(), tree_sitter_python());
  assert(loaded);  // core and grammar are pinned to each other
  (void)loaded;
}
Parser::~Parser() = default;
Parser::Parser(Parser&&) noexcept = default;
Parser& Parser::operator=(Parser&&) noexcept = default;

/// Copies tree-sitter's tree into the flat list, and collects on the way what needs repair.
class SyntaxTree::Builder {
 public:
  Builder(SyntaxTree& tree, TSParser* parser) : tree_(tree), parser_(parser) {}

  void Build() {
    std::string_view text = tree_.source_->parse_text();
    std::string masked;  // `text` with the repairs, made only when one is needed
    BrokenParts broken(text);
    // Each round hides at least one more place, and a file has few of them; the bound is for
    // files that are not Python at all.
    for (int round = 0;; ++round) {
      ParseInto(masked.empty() ? text : masked);
      for (TextRange error : errors_) AddSplats(masked.empty() ? text : masked, error);
      const bool retry = round < kMaxRounds;
      if (retry && (!misread_.empty() || !errors_.empty()) && masked.empty()) masked = text;
      bool changed = false;
      for (TextRange range : misread_) changed |= Mask(masked, range);
      if (errors_.empty() && misread_.empty()) break;
      if (misread_.empty() && retry) changed = broken.Hide(masked, errors_);
      if (!changed || !retry) break;
    }
    tree_.unparsed_ = broken.hidden();
    for (TextRange error : errors_) tree_.unparsed_.push_back(broken.StatementAround(error));
    Normalize(tree_.unparsed_);
  }

 private:
  static constexpr int kMaxRounds = 24;

  void ParseInto(std::string_view text) {
    misread_.clear();
    errors_.clear();
    std::unique_ptr<TSTree, TreeDeleter> parsed(
        ts_parser_parse_string(parser_, nullptr, text.data(), static_cast<uint32_t>(text.size())));
    tree_.entries_.clear();
    tree_.entries_.reserve(text.size() / 3 + 16);
    Copy(ts_tree_root_node(parsed.get()));
    tree_.entries_.shrink_to_fit();
  }

  void Copy(TSNode root) {
    std::vector<Entry>& entries = tree_.entries_;
    TSTreeCursor cursor = ts_tree_cursor_new(root);
    uint32_t parent = 0;
    for (;;) {
      const uint32_t id = static_cast<uint32_t>(entries.size());
      AddEntry(cursor, parent);
      if (ts_tree_cursor_goto_first_child(&cursor)) {
        parent = id;
        continue;
      }
      entries[id].subtree_end = id + 1;
      while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
        if (!ts_tree_cursor_goto_parent(&cursor)) {
          ts_tree_cursor_delete(&cursor);
          return;
        }
        entries[parent].subtree_end = static_cast<uint32_t>(entries.size());
        parent = entries[parent].parent;
      }
    }
  }

  void AddEntry(const TSTreeCursor& cursor, uint32_t parent) {
    std::vector<Entry>& entries = tree_.entries_;
    const TSNode node = ts_tree_cursor_current_node(&cursor);
    const uint32_t start = ts_node_start_byte(node);
    const uint32_t end = ts_node_end_byte(node);
    const NodeKind kind = Symbols()[ts_node_symbol(node)];
    const auto field = static_cast<Field>(ts_tree_cursor_current_field_id(&cursor));
    entries.push_back({kind, field, start, end, parent, 0});
    if (kind == NodeKind::kError) {
      errors_.push_back({start, std::max(end, start)});
    } else if (start == end && ts_node_is_missing(node)) {
      errors_.push_back({start, end});
    } else if (kind == NodeKind::kListSplat &&
               (field == Field::kObject || field == Field::kFunction || field == Field::kValue)) {
      // `[*a.b()]` read as `(*a).b()`: without the star the chain is read as it should be.
      misread_.push_back({start, start + 1});
    } else if (kind == NodeKind::kTypeAliasStatement && IsCallOfType(end, start)) {
      misread_.push_back({start, start + 4});
    }
  }

  /// `a, *[b]` and `a, *(b,) * n`: the grammar has no splat of a display outside of brackets.
  /// The star is hidden where an error stands on the same line.
  void AddSplats(std::string_view text, TextRange error) {
    size_t begin = text.rfind('\n', error.start == 0 ? 0 : error.start - 1);
    begin = begin == std::string_view::npos ? 0 : begin;
    const size_t end = std::min(text.find('\n', error.start), text.size());
    char before = 0;
    for (size_t i = begin; i < end; ++i) {
      const char after = i + 1 < end ? text[i + 1] : '\0';
      if (text[i] == '*' && (before == ',' || before == '=') && (after == '[' || after == '(')) {
        misread_.push_back({static_cast<uint32_t>(i), static_cast<uint32_t>(i + 1)});
      }
      if (text[i] != ' ' && text[i] != '\t') before = text[i];
    }
  }

  /// `type(x).attr = v`: the statement is an assignment, `type` the builtin.
  bool IsCallOfType(uint32_t end, uint32_t start) const {
    std::string_view rest = tree_.source_->parse_text().substr(start + 4, end - start - 4);
    const size_t next = rest.find_first_not_of(" \t\\\r\n\f");
    return next != std::string_view::npos && rest[next] == '(';
  }

  /// Hides a star or the word `type` from the parser; offsets stay.
  static bool Mask(std::string& text, TextRange range) {
    const char mask = range.size() == 1 ? ' ' : 'x';
    for (uint32_t i = range.start; i < range.end; ++i) text[i] = mask;
    return true;
  }

  static void Normalize(std::vector<TextRange>& ranges) {
    std::sort(ranges.begin(), ranges.end(), [](TextRange a, TextRange b) {
      return a.start != b.start ? a.start < b.start : a.end < b.end;
    });
    std::vector<TextRange> merged;
    for (TextRange range : ranges) {
      if (!merged.empty() && range.start <= merged.back().end) {
        merged.back().end = std::max(merged.back().end, range.end);
      } else {
        merged.push_back(range);
      }
    }
    ranges = std::move(merged);
  }

  SyntaxTree& tree_;
  TSParser* parser_;
  std::vector<TextRange> misread_;
  std::vector<TextRange> errors_;
};

SyntaxTree SyntaxTree::Parse(const SourceFile& source, Parser& parser) {
  SyntaxTree tree(&source);
  Builder(tree, parser.impl_->parser.get()).Build();
  return tree;
}

Node Node::Child(Field field) const {
  for (Node child = first_child(); child; child = child.next_sibling()) {
    if (child.field() == field && !IsSkippable(child.kind())) return child;
  }
  return {};
}

Node SyntaxTree::NodeAt(TextRange range) const {
  Node found = root();
  for (Node child = found.first_child(); child;) {
    if (child.range().Contains(range)) {
      found = child;
      child = child.first_child();
    } else {
      child = child.next_sibling();
    }
  }
  return found;
}

bool SyntaxTree::IsUnparsed(TextRange range) const {
  auto after = std::upper_bound(unparsed_.begin(), unparsed_.end(), range.end,
                                [](uint32_t end, TextRange r) { return end <= r.start; });
  return after != unparsed_.begin() && range.start < std::prev(after)->end;
}

}  // namespace transplt
