// SPDX-License-Identifier: Apache-2.0
// Any bytes as a Python file: the nodes lie in their parents, in order; and the tree that is made
// from the one before an edit is the tree of the edited text.
#include <cstddef>
#include <cstdint>
#include <string>

#include "require.h"
#include "transplt/syntax/syntax_tree.h"

namespace {

void RequireSound(const transplt::SyntaxTree& tree) {
  for (uint32_t id = 1; id < tree.size(); ++id) {
    const transplt::Node node = tree.node(id);
    REQUIRE(node.parent().IsAncestorOf(node));
    REQUIRE(node.parent().range().Contains(node.range()));
    REQUIRE(node.end_id() > id && node.end_id() <= node.parent().end_id());
  }
  uint32_t end = 0;
  for (const transplt::TextRange range : tree.unparsed()) {
    REQUIRE(range.start >= end && range.end <= tree.source().bytes().size());
    end = range.end;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // The first two bytes choose what is edited.
  if (size < 2) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const auto source = transplt::SourceFile::FromBytes("file.py", text);
  if (!source) return 0;
  transplt::Parser parser;
  const auto tree = transplt::SyntaxTree::Parse(*source, parser);
  RequireSound(tree);

  const auto start = static_cast<uint32_t>(text.size() * data[0] / 256);
  const auto end = std::min(start + data[1] % 8, static_cast<uint32_t>(text.size()));
  transplt::EditList edits;
  REQUIRE(!edits.TryAdd({{{{start, end}, "npu"}}}, "fuzz"));
  const auto edited = transplt::SourceFile::FromBytes("file.py", edits.ApplyTo(text));
  // Another encoding may be seen in the edited bytes: then nothing of the first tree holds.
  if (!edited || edited->encoding() != source->encoding()) return 0;
  const auto again = tree.ParseEdited(*edited, edits, parser);
  RequireSound(again);
  if (!again.unparsed().empty()) return 0;
  const auto anew = transplt::SyntaxTree::Parse(*edited, parser);
  REQUIRE(anew.size() == again.size());
  for (uint32_t id = 0; id < anew.size(); ++id) {
    REQUIRE(anew.node(id).kind() == again.node(id).kind());
    REQUIRE(anew.node(id).range() == again.node(id).range());
  }
  return 0;
}
