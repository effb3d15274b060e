// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <pthread.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// A text as a file and its tree.
class ParsedFile {
 public:
  explicit ParsedFile(std::string text, std::string path = "file.py")
      : source_(std::make_unique<SourceFile>(Load(std::move(path), std::move(text)))),
        tree_(std::make_unique<SyntaxTree>(SyntaxTree::Parse(*source_, parser_))) {}

  const SourceFile& source() const { return *source_; }
  const SyntaxTree& tree() const { return *tree_; }

  /// The texts of all nodes of `kind` outside of the parts that did not parse.
  std::vector<std::string> Texts(NodeKind kind) const {
    std::vector<std::string> texts;
    for (uint32_t id = 0; id < tree().size(); ++id) {
      const Node node = tree().node(id);
      if (node.Is(kind) && !tree().IsUnparsed(node.range())) texts.emplace_back(node.text());
    }
    return texts;
  }

  /// "4-6, 9": the lines that did not parse.
  std::string UnparsedLines() const {
    std::string lines;
    for (TextRange range : tree().unparsed()) {
      const uint32_t first = source().Locate(range.start).line;
      const uint32_t last = source().Locate(range.end).line;
      if (!lines.empty()) lines += ", ";
      lines += std::to_string(first);
      if (last != first) lines += "-" + std::to_string(last);
    }
    return lines;
  }

  /// The `nth` node of this kind and text, from 0.
  Node Find(NodeKind kind, std::string_view text, int nth = 0) const {
    for (uint32_t id = 0; id < tree().size(); ++id) {
      const Node node = tree().node(id);
      if (node.Is(kind) && node.text() == text && nth-- == 0) return node;
    }
    ADD_FAILURE() << "no such node: " << text;
    return tree().root();
  }

 private:
  static SourceFile Load(std::string path, std::string text) {
    Result<SourceFile> source = SourceFile::FromBytes(std::move(path), std::move(text));
    if (!source) {
      ADD_FAILURE() << source.error().what.en;
      source = SourceFile::FromBytes("empty.py", "");
    }
    return *std::move(source);
  }

  Parser parser_;
  std::unique_ptr<SourceFile> source_;
  std::unique_ptr<SyntaxTree> tree_;
};

/// Runs `work` in a thread with the small stack that a worker may have (musl: 128 KiB, macOS:
/// 512 KiB): what recurses once per nesting level does not survive it.
inline void RunOnSmallStack(std::function<void()> work) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 512U << 10U), 0);
  pthread_t thread;
  const auto run = [](void* work_to_do) -> void* {
    (*static_cast<std::function<void()>*>(work_to_do))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &work), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

}  // namespace transplt
