// SPDX-License-Identifier: Apache-2.0
#include "transplt/frontends/markdown.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "transplt/frontends/code_blocks.h"
#include "transplt/frontends/shell.h"
#include "transplt/frontends/shell_command.h"
#include "transplt/frontends/shell_runs.h"
#include "transplt/syntax/shell_tree.h"

namespace transplt {
namespace {

/// The script that a code block shows, and where it stands in its document. The document may have
/// more in front of each line (the indentation of a list, the mark of a quotation) and behind it (a
/// CR).
class CommandBlock {
 public:
  /// Nothing for a block without commands, and for one that is not written in the document as it
  /// is read: with broken characters, say.
  static std::optional<CommandBlock> Of(const CodeBlock& block, const SourceFile& document) {
    std::string text = CommandsIn(block);
    std::vector<Line> lines;
    std::string plain;
    for (size_t start = 0; start < text.size();) {
      const size_t end = std::min(text.find('\n', start), text.size());
      std::string_view line = std::string_view(text).substr(start, end - start);
      if (line.ends_with('\r')) line.remove_suffix(1);
      const uint32_t number = block.line + static_cast<uint32_t>(lines.size());
      const TextRange place = document.LineRange(number);
      if (!place.In(document.bytes()).ends_with(line)) return std::nullopt;
      lines.push_back(
          {static_cast<uint32_t>(plain.size()), place.end - static_cast<uint32_t>(line.size())});
      plain.append(line).push_back('\n');
      start = end + 1;
    }
    if (plain.find_first_not_of('\n') == plain.npos) return std::nullopt;
    Result<SourceFile> script = SourceFile::FromBytes(document.path(), ScriptOfExample(plain));
    if (!script) return std::nullopt;
    CommandBlock result(*std::move(script), document, std::move(lines));
    // Such a block may be anything: the output of a program, or Python.
    if (block.language.empty() && !result.IsScript()) return std::nullopt;
    return result;
  }

  std::vector<Setting> Settings() const {
    std::vector<Setting> settings = ShellSettings(script_);
    for (Setting& setting : settings) {
      setting.name = WithPlaceholders(std::move(setting.name));
      setting.value = WithPlaceholders(std::move(setting.value));
      setting.name_range = InDocument(setting.name_range).value_or(TextRange());
      setting.value_range = InDocument(setting.value_range).value_or(TextRange());
    }
    std::erase_if(settings, [](const Setting& setting) { return setting.name_range.empty(); });
    return settings;
  }

  std::vector<TextRange> Python() const {
    std::vector<TextRange> programs;
    for (TextRange range : PythonIn(script_)) {
      if (const auto program = InDocument(range)) programs.push_back(*program);
    }
    return programs;
  }

 private:
  struct Line {
    uint32_t in_script;    ///< where it starts there
    uint32_t in_document;  ///< and there
  };

  CommandBlock(SourceFile script, const SourceFile& document, std::vector<Line> lines)
      : script_(std::move(script)), document_(&document), lines_(std::move(lines)) {}

  /// False for `main(` of Python too, which the grammar takes for a command before a subshell.
  /// Where a part does not parse, another one has to start Python.
  bool IsScript() const {
    const std::vector<ShellNode> nodes = ParseShell(script_);
    const bool is_whole = std::ranges::none_of(nodes, [&](const ShellNode& node) {
      return node.kind == "ERROR" ||
             (node.kind == "subshell" && nodes[node.parent].kind == "command");
    });
    return is_whole || std::ranges::any_of(ShellSettings(script_), [](const Setting& setting) {
             return setting.kind == Setting::Kind::kCommand && IsPython(setting.name);
           });
  }

  uint32_t InDocument(uint32_t offset) const {
    const auto behind = std::ranges::upper_bound(lines_, offset, {}, &Line::in_script);
    const Line& line = *std::prev(behind);
    return line.in_document + (offset - line.in_script);
  }

  /// Nothing for a range that is other bytes in the document: one over lines with marks of it.
  std::optional<TextRange> InDocument(TextRange range) const {
    if (range.empty()) return std::nullopt;
    const TextRange place{InDocument(range.start), InDocument(range.end - 1) + 1};
    const std::string text = WithPlaceholders(std::string(range.In(script_.bytes())));
    if (place.In(document_->bytes()) != text) return std::nullopt;
    return place;
  }

  SourceFile script_;
  const SourceFile* document_;
  std::vector<Line> lines_;
};

std::vector<CommandBlock> CommandBlocksOf(const SourceFile& document) {
  std::vector<CommandBlock> blocks;
  for (const CodeBlock& block : CodeBlocksOf(document.bytes())) {
    if (block.in_sentence) continue;
    if (auto commands = CommandBlock::Of(block, document)) blocks.push_back(*std::move(commands));
  }
  return blocks;
}

}  // namespace

std::vector<Setting> MarkdownSettings(const SourceFile& document) {
  std::vector<Setting> settings;
  for (const CommandBlock& block : CommandBlocksOf(document)) {
    std::ranges::move(block.Settings(), std::back_inserter(settings));
  }
  return settings;
}

std::vector<TextRange> PythonInMarkdown(const SourceFile& document) {
  std::vector<TextRange> programs;
  for (const CommandBlock& block : CommandBlocksOf(document)) {
    std::ranges::copy(block.Python(), std::back_inserter(programs));
  }
  return programs;
}

}  // namespace transplt
