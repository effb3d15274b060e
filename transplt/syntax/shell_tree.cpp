// SPDX-License-Identifier: Apache-2.0
#include "transplt/syntax/shell_tree.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <cassert>
#include <memory>

extern "C" const TSLanguage* tree_sitter_bash(void);

namespace transplt {
namespace {

struct Deleter {
  void operator()(TSParser* parser) const { ts_parser_delete(parser); }
  void operator()(TSTree* tree) const { ts_tree_delete(tree); }
};

/// Hands the text to the parser in chunks and counts them. In some texts that are no scripts (many
/// unclosed brackets) the grammar looks ahead to the end of the file at each word, which would take
/// hours: there the text ends early.
struct Chunks {
  static constexpr size_t kSize = 1024;

  static const char* Read(void* chunks, uint32_t at, TSPoint /*point*/, uint32_t* size) {
    auto& self = *static_cast<Chunks*>(chunks);
    const bool is_over = self.left == 0 || at >= self.text.size();
    if (self.left > 0) --self.left;
    *size = is_over ? 0 : static_cast<uint32_t>(std::min(kSize, self.text.size() - at));
    return self.text.data() + std::min<size_t>(at, self.text.size());
  }

  std::string_view text;
  size_t left = 10'000 + 20 * (text.size() / kSize);  // scripts take two of them per KiB, or fewer
};

/// A backslash that ends the last line joins it with nothing. The grammar takes the command before
/// it for unfinished; a shell runs it.
std::string_view WithoutLastBackslash(std::string_view text) {
  const size_t last = text.find_last_not_of(" \t\r\n");
  const bool joins =
      last != std::string_view::npos && text[last] == '\\' && (last == 0 || text[last - 1] != '\\');
  return joins ? text.substr(0, last) : text;
}

ShellNode NodeAt(const TSTreeCursor& cursor, uint32_t parent) {
  const TSNode node = ts_tree_cursor_current_node(&cursor);
  return {ts_node_is_missing(node) ? "ERROR" : ts_node_type(node),
          {ts_node_start_byte(node), ts_node_end_byte(node)},
          parent,
          0};
}

}  // namespace

std::vector<ShellNode> ParseShell(const SourceFile& source) {
  const std::unique_ptr<TSParser, Deleter> parser(ts_parser_new());
  const bool loaded = ts_parser_set_language(parser.get(), tree_sitter_bash());
  assert(loaded);  // core and grammar are pinned to each other
  (void)loaded;
  Chunks chunks{WithoutLastBackslash(source.parse_text())};
  const TSInput input{&chunks, Chunks::Read, TSInputEncodingUTF8, nullptr};
  const std::unique_ptr<TSTree, Deleter> tree(ts_parser_parse(parser.get(), nullptr, input));
  if (chunks.left == 0) {
    return {{"ERROR", {0, static_cast<uint32_t>(source.bytes().size())}, 0, 1}};
  }

  // A loop, because the nesting of a script has no limit and the stack has.
  std::vector<ShellNode> nodes;
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree.get()));
  uint32_t parent = 0;
  for (bool more = true; more;) {
    const auto id = static_cast<uint32_t>(nodes.size());
    nodes.push_back(NodeAt(cursor, parent));
    if (ts_tree_cursor_goto_first_child(&cursor)) {
      parent = id;
      continue;
    }
    nodes[id].end_id = id + 1;
    while (more && !ts_tree_cursor_goto_next_sibling(&cursor)) {
      more = ts_tree_cursor_goto_parent(&cursor);
      if (!more) break;
      nodes[parent].end_id = static_cast<uint32_t>(nodes.size());
      parent = nodes[parent].parent;
    }
  }
  ts_tree_cursor_delete(&cursor);
  return nodes;
}

}  // namespace transplt
