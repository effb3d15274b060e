// SPDX-License-Identifier: Apache-2.0
// Prints what SyntaxTree sees of the files whose paths come in on standard input, one a line, for
// compare_with_cpython.py: calls, attributes, imports, definitions and keyword arguments with the
// positions that CPython's ast would give them (lines from 1, columns in bytes of UTF-8).
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

#include "transplt/syntax/syntax_tree.h"

namespace transplt {
namespace {

class View {
 public:
  explicit View(const SyntaxTree& tree) : tree_(tree) {}

  void Print() {
    for (TextRange range : tree_.unparsed()) PrintRange("unparsed", range);
    uint32_t id = 0;
    while (id < tree_.size()) {
      const Node node = tree_.node(id);
      // CPython before 3.12 gives the nodes inside an f-string no usable positions.
      id = node.Is(NodeKind::kInterpolation) ? node.end_id() : id + 1;
      PrintNode(node);
    }
  }

 private:
  void PrintNode(Node node) {
    switch (node.kind()) {
      case NodeKind::kCall:
        PrintRange("call", node.range());
        break;
      case NodeKind::kAttribute:
        PrintRange("attribute", node.range());
        break;
      case NodeKind::kDottedName:
        if (IsPattern(node)) PrintPrefixes(node);
        break;
      case NodeKind::kImportStatement:
        PrintRange("import", node.range());
        break;
      case NodeKind::kImportFromStatement:
      case NodeKind::kFutureImportStatement:
        PrintRange("from", node.range());
        break;
      case NodeKind::kFunctionDefinition:
        PrintRange("function", {node.range().start, EndOfCode(node)});
        break;
      case NodeKind::kClassDefinition:
        PrintRange("class", {node.range().start, EndOfCode(node)});
        break;
      case NodeKind::kKeywordArgument:
        PrintRange("keyword", node.range());
        break;
      case NodeKind::kDictionarySplat:
        if (node.parent().Is(NodeKind::kArgumentList)) PrintRange("keyword", node.range());
        break;
      default:
        break;
    }
  }

  /// `case a.b.c:` is an attribute of an attribute for CPython.
  void PrintPrefixes(Node dotted) {
    Node first = dotted.first_named_child();
    for (Node part = first.next_named_sibling(); part; part = part.next_named_sibling()) {
      PrintRange("attribute", {dotted.range().start, part.range().end});
    }
  }

  static bool IsPattern(Node dotted) {
    for (Node node = dotted.parent(); node; node = node.parent()) {
      if (node.Is(NodeKind::kImportStatement) || node.Is(NodeKind::kImportFromStatement) ||
          node.Is(NodeKind::kFutureImportStatement)) {
        return false;
      }
      if (node.Is(NodeKind::kCaseClause)) return true;
    }
    return false;
  }

  /// A block holds the comments behind it; CPython's does not.
  uint32_t EndOfCode(Node definition) const {
    for (uint32_t id = definition.end_id(); --id > definition.id();) {
      const Node node = tree_.node(id);
      const bool is_leaf = node.end_id() == id + 1;
      if (is_leaf && !node.range().empty() && !node.Is(NodeKind::kComment) &&
          !node.Is(NodeKind::kLineContinuation)) {
        return node.range().end;
      }
    }
    return definition.range().end;
  }

  void PrintRange(const char* kind, TextRange range) const {
    const auto [line, column] = Position(range.start);
    const auto [end_line, end_column] = Position(range.end);
    std::printf("%s %u %zu %u %zu\n", kind, line, column, end_line, end_column);
  }

  std::pair<uint32_t, size_t> Position(uint32_t offset) const {
    const SourceFile& source = tree_.source();
    const uint32_t line = source.Locate(offset).line;
    uint32_t start = source.LineRange(line).start;
    if (line == 1 && source.has_bom()) start = std::min<uint32_t>(offset, start + 3);
    std::string_view before = source.bytes().substr(start, offset - start);
    if (source.encoding() == "UTF-8" || IsAscii(before)) return {line, before.size()};
    return {line, source.Decode(before).size()};
  }

  static bool IsAscii(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
  }

  const SyntaxTree& tree_;
};

void PrintFile(const std::string& path, Parser& parser) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::printf("file %s\n", path.c_str());
  if (!file) {
    std::printf("unreadable\n");
    return;
  }
  const Result<SourceFile> source = SourceFile::FromBytes(path, std::move(bytes));
  if (!source) {
    std::printf("refused %s\n", source.error().what.en.c_str());
    return;
  }
  View(SyntaxTree::Parse(*source, parser)).Print();
}

}  // namespace
}  // namespace transplt

int main() {
  transplt::Parser parser;
  std::string path;
  while (std::getline(std::cin, path)) transplt::PrintFile(path, parser);
  return 0;
}
