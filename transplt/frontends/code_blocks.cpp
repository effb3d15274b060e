// SPDX-License-Identifier: Apache-2.0
#include "transplt/frontends/code_blocks.h"

#include <cmark.h>

#include <algorithm>
#include <memory>

#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"

namespace transplt {
namespace {

struct Deleter {
  void operator()(cmark_node* node) const { cmark_node_free(node); }
  void operator()(cmark_iter* iterator) const { cmark_iter_free(iterator); }
};

std::string TextOrNothing(const char* text) { return text == nullptr ? "" : text; }

/// The first word behind a fence: "bash" of "```bash title=x", "```{.bash}" and "```.bash".
std::string LanguageOf(cmark_node* block) {
  std::string language = TextOrNothing(cmark_node_get_fence_info(block));
  const size_t start = std::min(language.find_first_not_of("{."), language.size());
  return language.substr(start, language.find_first_of(" {},", start) - start);
}

/// The lines of a document, asked for in their order: a document may have thousands of blocks.
class FenceFinder {
 public:
  explicit FenceFinder(std::string_view document) : document_(document) {}

  /// True if line `line`, in which a block begins, is a fence, and no code yet.
  bool IsFence(uint32_t line) {
    for (; line_ < line && start_ < document_.size(); ++line_) {
      start_ = std::min(document_.find('\n', start_), document_.size() - 1) + 1;
    }
    const std::string_view rest = document_.substr(start_, document_.find('\n', start_) - start_);
    return rest.find("```") != rest.npos || rest.find("~~~") != rest.npos;
  }

 private:
  std::string_view document_;
  size_t start_ = 0;
  uint32_t line_ = 1;
};

/// The lines with a prompt of a shell; all others become empty.
std::string PromptedLines(std::string_view text) {
  std::string lines;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, end - start);
    if (line.starts_with("$ ") || line.starts_with('!')) lines += line;
    lines.push_back('\n');
    start = end + 1;
  }
  return lines;
}

}  // namespace

std::vector<CodeBlock> CodeBlocksOf(std::string_view markdown) {
  std::vector<CodeBlock> blocks;
  FenceFinder fences(markdown);
  const std::unique_ptr<cmark_node, Deleter> document(
      cmark_parse_document(markdown.data(), markdown.size(), CMARK_OPT_DEFAULT));
  const std::unique_ptr<cmark_iter, Deleter> iterator(cmark_iter_new(document.get()));
  while (cmark_iter_next(iterator.get()) != CMARK_EVENT_DONE) {
    cmark_node* node = cmark_iter_get_node(iterator.get());
    const cmark_node_type type = cmark_node_get_type(node);
    if (type != CMARK_NODE_CODE_BLOCK && type != CMARK_NODE_CODE) continue;
    CodeBlock block;
    block.text = TextOrNothing(cmark_node_get_literal(node));
    block.line = static_cast<uint32_t>(cmark_node_get_start_line(node));
    if (type == CMARK_NODE_CODE) {
      block.in_sentence = true;
    } else {
      block.language = LanguageOf(node);
      if (fences.IsFence(block.line)) ++block.line;
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

std::string CommandsIn(const CodeBlock& block) {
  const bool may_be_shell =
      block.language.empty() || Words("command-languages").Has(Lower(block.language));
  return may_be_shell ? block.text : PromptedLines(block.text);
}

}  // namespace transplt
