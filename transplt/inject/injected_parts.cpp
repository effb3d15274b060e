// SPDX-License-Identifier: Apache-2.0
#include "transplt/inject/injected_parts.h"

#include <charconv>

#include "transplt/base/text_parts.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {

InjectedParts::InjectedParts(const SyntaxTree& tree) : tree_(tree), source_(tree.source()) {
  if (!HasPart(source_.bytes(), "# transplt-inject: ")) return;
  for (const Node node : NodesIn(tree)) {
    if (node.Is(NodeKind::kComment)) comments_.insert(node.range().start);
  }
  for (uint32_t line = 1; line <= source_.line_count(); ++line) {
    const std::string_view text = Comment(line);
    if (!text.starts_with("# transplt-inject: ")) continue;
    std::optional<Part> part = AddedAt(line);
    if (!part) part = ReplacedAt(line);
    if (part) {
      parts_.push_back(*part);
      line = part->last_line;
    } else {
      broken_.push_back(line);
    }
  }
}

const InjectedParts::Part* InjectedParts::At(uint32_t line) const {
  for (const Part& part : parts_) {
    if (part.first_line <= line && line <= part.last_line) return &part;
  }
  return nullptr;
}

Findings InjectedParts::Removals(std::optional<std::string_view> tag) const {
  Findings findings;
  std::vector<const Part*> removed;
  for (const Part& part : parts_) {
    if (!tag || part.tag == *tag) removed.push_back(&part);
  }
  const std::set<uint32_t> needing_pass = LastLinesOfBlocks(removed);
  for (const Part* part : removed) {
    findings.push_back(Removal(*part, needing_pass.contains(part->last_line)));
  }
  if (tag) return findings;
  for (uint32_t line : broken_) {
    findings.push_back(RowAt(source_.LineRange(line), "inject-remove",
                             Say("this comment was edited or moved, so what it marks stays",
                                 "该注释已被改动, 其标记的内容保留不动")));
  }
  return findings;
}

std::string_view InjectedParts::Line(uint32_t line) const {
  return Trimmed(TextRange{StartOf(line), source_.LineRange(line).end}.In(source_.bytes()));
}

/// The line if a comment stands alone on it, else nothing.
std::string_view InjectedParts::Comment(uint32_t line) const {
  const std::string_view text = Line(line);
  const auto start = static_cast<uint32_t>(text.data() - source_.bytes().data());
  return !text.empty() && comments_.contains(start) ? text : std::string_view();
}

/// The last lines of added parts behind which a block would be left without a statement.
std::set<uint32_t> InjectedParts::LastLinesOfBlocks(const std::vector<const Part*>& removed) const {
  const auto part_at = [&](uint32_t offset) -> const Part* {
    const uint32_t line = source_.Locate(offset).line;
    for (const Part* part : removed) {
      const bool holds = part->first_line <= line && line <= part->last_line;
      if (holds && part->originals == 0) return part;
    }
    return nullptr;
  };
  std::set<uint32_t> lines;
  for (uint32_t id = 0; id < (removed.empty() ? 0 : tree_.size()); ++id) {
    const Node block = tree_.node(id);
    if (!block.Is(NodeKind::kBlock) || part_at(block.parent().range().start)) continue;
    const Part* last = nullptr;
    for (const Node child : NamedChildren(block)) {
      last = part_at(child.range().start);
      if (last == nullptr) break;
    }
    if (last != nullptr) lines.insert(last->last_line);
  }
  return lines;
}

uint32_t InjectedParts::StartOf(uint32_t line) const {
  const uint32_t start = source_.LineRange(line).start;
  return line == 1 && source_.has_bom() ? start + static_cast<uint32_t>(kUtf8Bom.size()) : start;
}

TextRange InjectedParts::WholeLines(uint32_t first, uint32_t last) const {
  const uint32_t end = last < source_.line_count() ? source_.LineRange(last + 1).start
                                                   : static_cast<uint32_t>(source_.bytes().size());
  return {StartOf(first), end};
}

std::optional<InjectedParts::Part> InjectedParts::AddedAt(uint32_t line) const {
  if (!Comment(line).starts_with(kInjectBegin)) return std::nullopt;
  for (uint32_t last = line + 1; last <= source_.line_count(); ++last) {
    if (Comment(last).starts_with(kInjectBegin)) break;
    if (Comment(last) == kInjectEnd) {
      return Part{line, last, 0, 0, Trimmed(Line(line).substr(kInjectBegin.size()))};
    }
  }
  return std::nullopt;
}

std::optional<InjectedParts::Part> InjectedParts::ReplacedAt(uint32_t line) const {
  std::string_view text = Comment(line);
  if (!text.starts_with(kInjectReplaced)) return std::nullopt;
  text.remove_prefix(kInjectReplaced.size());
  Part part{line, 0, 0, 0, {}};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), part.count);
  if (error != std::errc() || part.count == 0) return std::nullopt;
  part.tag = Trimmed(text.substr(static_cast<size_t>(end - text.data())));
  uint32_t next = line + 1;
  while (next <= source_.line_count() && Comment(next).starts_with(kInjectOriginal)) ++next;
  part.originals = next - line - 1;
  part.last_line = next + part.count - 1;
  if (part.originals == 0 || part.last_line > source_.line_count()) return std::nullopt;
  return part;
}

Finding InjectedParts::Removal(const Part& part, bool needs_pass) const {
  Finding finding;
  finding.range = WholeLines(part.first_line, part.last_line);
  finding.rule_id = "inject-remove";
  finding.operation = Operation::kDelete;
  finding.message = Say("takes out what was injected", "移除注入的内容");
  std::string text;
  for (uint32_t i = 1; i <= part.originals; ++i) {
    const TextRange whole = WholeLines(part.first_line + i, part.first_line + i);
    const std::string_view kept = whole.In(source_.bytes());
    text += kept.substr(kept.find(kInjectOriginal) + kInjectOriginal.size());
  }
  if (needs_pass) {
    // In place of the last line, with its indentation and its line end.
    text = WholeLines(part.last_line, part.last_line).In(source_.bytes());
    text.replace(text.find(kInjectEnd), kInjectEnd.size(), "pass");
    finding.message =
        Say("takes out what was injected; the block holds nothing else, so it gets a "
            "`pass`",
            "移除注入的内容；该代码块不含其他语句，因此写入 `pass`");
  }
  const bool open_end = part.last_line == source_.line_count();
  if (part.originals > 0 && open_end) {
    while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  }
  if (text.empty() && open_end && part.first_line > 1) {
    // Added behind a last line without a line end: the one before it was added, too.
    finding.range.start = source_.LineRange(part.first_line - 1).end;
  }
  finding.fix.Replace(finding.range, std::move(text));
  return finding;
}

}  // namespace transplt
