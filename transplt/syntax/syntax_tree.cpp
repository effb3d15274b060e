// SPDX-License-Identifier: Apache-2.0
#include "transplt/syntax/syntax_tree.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <cassert>

#include "transplt/syntax/tree_builder.h"

extern "C" const TSLanguage* tree_sitter_python(void);

namespace transplt {

struct Parser::Impl {
  struct ParserDeleter {
    void operator()(TSParser* parser) const { ts_parser_delete(parser); }
  };
  std::unique_ptr<TSParser, ParserDeleter> parser{ts_parser_new()};
  BudgetMeter* meter = nullptr;
};

Parser::Parser() : impl_(std::make_unique<Impl>()) {
  const bool loaded = ts_parser_set_language(impl_->parser.get(), tree_sitter_python());
  assert(loaded);  // core and grammar are pinned to each other
  (void)loaded;
}
Parser::~Parser() = default;
Parser::Parser(Parser&&) noexcept = default;
Parser& Parser::operator=(Parser&&) noexcept = default;

void Parser::SetMeter(BudgetMeter* meter) { impl_->meter = meter; }
BudgetMeter* Parser::meter() const { return impl_->meter; }

SyntaxTree SyntaxTree::Parse(const SourceFile& source, Parser& parser) {
  SyntaxTree tree(&source);
  Builder(tree, parser.impl_->parser.get(), parser.meter()).Build();
  return tree;
}

SyntaxTree SyntaxTree::ParseEdited(const SourceFile& edited, const EditList& edits,
                                   Parser& parser) const {
  SyntaxTree tree(&edited);
  Builder builder(tree, parser.impl_->parser.get(), parser.meter());
  builder.StartFrom(*this, edits);
  builder.Build();
  return tree;
}

void SyntaxTree::ParsedDeleter::operator()(TSTree* tree) const { ts_tree_delete(tree); }

Node Node::Child(Field field) const {
  for (Node child = first_child(); child; child = child.next_sibling()) {
    if (child.field() == field && !IsSkippable(child.kind())) return child;
  }
  return {};
}

Node SyntaxTree::NodeAt(TextRange range) const {
  if (range.empty()) return FirstNodeAround(range.start);
  // The nodes in their order start one behind the other. The last one that does not start behind
  // the range stands below the smallest node that holds the range.
  const auto behind =
      std::upper_bound(entries_.begin(), entries_.end(), range.start,
                       [](uint32_t offset, const Entry& entry) { return offset < entry.start; });
  if (behind == entries_.begin()) return root();
  Node found = node(static_cast<uint32_t>(behind - entries_.begin()) - 1);
  while (found.id() != 0 && !found.range().Contains(range)) found = found.parent();
  return found;
}

Node SyntaxTree::FirstNodeAround(uint32_t offset) const {
  Node found = root();
  for (Node child = found.first_child(); child;) {
    if (child.range().Contains({offset, offset})) {
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
