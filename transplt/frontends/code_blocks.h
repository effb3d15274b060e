// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace transplt {

/// Code that stands in a document.
struct CodeBlock {
  std::string language;  ///< "bash" behind the fence; empty if the document does not say
  std::string text;
  uint32_t line = 1;         ///< of the first line of `text` in the document
  bool in_sentence = false;  ///< `python train.py` between words
};

/// The code of a document in Markdown, in the order of the text. Never fails: any text is Markdown.
std::vector<CodeBlock> CodeBlocksOf(std::string_view markdown);

/// The commands that `block` shows: all of its text if that may be for a shell, else the lines with
/// a prompt of a shell. Other lines are empty.
std::string CommandsIn(const CodeBlock& block);

}  // namespace transplt
