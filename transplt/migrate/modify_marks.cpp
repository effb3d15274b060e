// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/modify_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "transplt/base/text_parts.h"
#include "transplt/python/statement.h"

namespace transplt {
namespace {

constexpr std::string_view kBegin = "############## npu modify begin #############";
constexpr std::string_view kEnd = "############## npu modify end #############";

/// Whole lines: from the start of one to the start of another. Empty: an insertion of lines.
struct Region {
  uint32_t start;
  uint32_t end;
};

class Marks {
 public:
  Marks(const SyntaxTree& tree, const EditList& edits)
      : tree_(tree), source_(tree.source()), edits_(edits.edits().begin(), edits.edits().end()) {}

  /// Nothing if a mark would not fit between the edits.
  std::optional<EditList> Make() {
    FindRegions();
    for (const Region& region : regions_) {
      if (CountsInFirstLines(region) || IsMarked(region)) continue;
      const std::string line_end(source_.LineEndAt(region.start));
      const std::string margin = MarginOf(region);
      InFrontOf(region.start, fmt::format("{}{}{}", margin, kBegin, line_end));
      Behind(region, fmt::format("{}{}", margin, kEnd), line_end);
    }
    EditList marked;
    std::ranges::sort(edits_, [](const auto& a, const auto& b) {
      return a.edit.range.start != b.edit.range.start ? a.edit.range.start < b.edit.range.start
                                                      : a.edit.range.end < b.edit.range.end;
    });
    for (const EditList::Accepted& accepted : edits_) {
      if (marked.TryAdd({{accepted.edit}}, accepted.rule_id)) return std::nullopt;
    }
    return marked;
  }

 private:
  uint32_t LineStart(uint32_t offset) const {
    return source_.LineRange(source_.Locate(offset).line).start;
  }

  /// The start of the line behind that of `offset`, or the end of the file.
  uint32_t NextLine(uint32_t offset) const {
    const uint32_t line = source_.Locate(offset).line;
    return line < source_.line_count() ? source_.LineRange(line + 1).start
                                       : static_cast<uint32_t>(source_.bytes().size());
  }

  bool IsInsertionOfLines(const Edit& edit) const {
    return edit.range.empty() && LineStart(edit.range.start) == edit.range.start &&
           (edit.text.ends_with('\n') || edit.text.ends_with('\r'));
  }

  void FindRegions() {
    for (const EditList::Accepted& accepted : edits_) {
      const Region region = RegionOf(accepted.edit);
      if (!regions_.empty() && region.start <= regions_.back().end) {
        regions_.back().end = std::max(regions_.back().end, region.end);
        regions_.back().start = std::min(regions_.back().start, region.start);
      } else {
        regions_.push_back(region);
      }
    }
  }

  Region RegionOf(const Edit& edit) const {
    const uint32_t start = edit.range.start;
    if (IsInsertionOfLines(edit)) return {start, start};
    const uint32_t last = edit.range.empty() ? start : edit.range.end - 1;
    const Node statement = EnclosingStatement(tree_.NodeAt(edit.range));
    TextRange whole{start, last};
    if (statement && !statement.Is(NodeKind::kModule)) {
      const TextRange head = HeadOf(statement, start);
      whole.start = std::min(whole.start, head.start);
      whole.end = std::max(whole.end, head.end);
    }
    return {LineStart(whole.start), NextLine(whole.end)};
  }

  /// The part of `statement` in front of its block, or of the clause that holds `offset`.
  static TextRange HeadOf(Node statement, uint32_t offset) {
    Node part = statement;
    TextRange head{statement.range().start, LastOf(statement.range())};
    for (Node child = part.first_child(); child; child = child.next_sibling()) {
      if (child.Is(NodeKind::kBlock)) {
        if (offset < child.range().start) {
          head.end = std::max(head.start, LastOf(BeforeBlock(child)));
          return head;
        }
        head.start = child.range().end;
        continue;
      }
      const bool has_block = HasBlock(child);
      if (has_block && offset >= child.range().start && offset < child.range().end) {
        return HeadOf(child, offset);
      }
      if (has_block) {
        if (offset < child.range().start)
          return {head.start, LastOf({head.start, child.range().start})};
        head.start = child.range().end;
      }
    }
    return head;
  }

  static uint32_t LastOf(TextRange range) {
    return range.end > range.start ? range.end - 1 : range.start;
  }

  static bool HasBlock(Node node) {
    for (Node child = node.first_child(); child; child = child.next_sibling()) {
      if (child.Is(NodeKind::kBlock)) return true;
    }
    return false;
  }

  /// From the start of the head to its `:`.
  static TextRange BeforeBlock(Node block) {
    const uint32_t end = block.range().start;
    const Node statement = block.parent();
    if (!statement) return block.range();
    for (Node token = statement.first_child(); token && token.range().start < end;
         token = token.next_sibling()) {
      if (token.IsToken(":")) return {statement.range().start, token.range().end};
    }
    return {statement.range().start, end};
  }

  /// An encoding is only read in the first two lines, `#!` only in the first.
  bool CountsInFirstLines(const Region& region) const {
    for (uint32_t line = 1; line <= std::min(2U, source_.line_count()); ++line) {
      const TextRange range = source_.LineRange(line);
      if (range.start < region.start) continue;
      std::string_view text = range.In(source_.bytes());
      if (line == 1 && text.starts_with("\xEF\xBB\xBF")) return true;
      const size_t hash = text.find_first_not_of(" \t\f");
      if (hash == std::string_view::npos || text[hash] != '#') continue;
      if (HasPart(text, "coding") || text.starts_with("#!")) return true;
    }
    return false;
  }

  bool IsMarked(const Region& region) const {
    const std::string_view before = source_.bytes().substr(0, region.start);
    const size_t begin = before.rfind(kBegin);
    if (begin == std::string_view::npos) return false;
    const size_t end = before.rfind(kEnd);
    return end == std::string_view::npos || end < begin;
  }

  std::string MarginOf(const Region& region) const {
    std::string_view line = source_.bytes().substr(region.start);
    if (region.start == region.end) {
      for (const EditList::Accepted& accepted : edits_) {
        if (accepted.edit.range.start == region.start) line = accepted.edit.text;
      }
    }
    return std::string(line.substr(0, std::min(line.find_first_not_of(" \t"), line.size())));
  }

  /// Whole lines in front of `offset`, the start of a line.
  void InFrontOf(uint32_t offset, const std::string& lines) {
    for (EditList::Accepted& accepted : edits_) {
      if (accepted.edit.range.start != offset) continue;
      accepted.edit.text = lines + accepted.edit.text;
      return;
    }
    edits_.push_back({{{offset, offset}, lines}, std::string(kRule)});
  }

  /// A line at the end of the region: behind what is inserted there, else in front of the last
  /// line end.
  void Behind(const Region& region, const std::string& line, const std::string& line_end) {
    const auto inserted = std::ranges::find_if(edits_, [&](const EditList::Accepted& accepted) {
      return accepted.edit.range == TextRange{region.end, region.end} &&
             IsInsertionOfLines(accepted.edit);
    });
    if (inserted != edits_.end()) {
      inserted->edit.text += line + line_end;
      return;
    }
    const uint32_t last = region.end > region.start ? region.end - 1 : region.end;
    const uint32_t end = source_.LineRange(source_.Locate(last).line).end;
    for (EditList::Accepted& accepted : edits_) {
      const TextRange range = accepted.edit.range;
      if (range.end == region.end && range.end > end) {  // the last line is taken out
        accepted.edit.text += line + line_end;
        return;
      }
      if (range.end != end || (range.start < end && !range.empty())) continue;
      accepted.edit.text += line_end + line;
      return;
    }
    edits_.push_back({{{end, end}, line_end + line}, std::string(kRule)});
  }

  static constexpr std::string_view kRule = "mark";
  const SyntaxTree& tree_;
  const SourceFile& source_;
  std::vector<EditList::Accepted> edits_;
  std::vector<Region> regions_;
};

}  // namespace

EditList WithModifyMarks(const SyntaxTree& tree, const EditList& edits) {
  std::optional<EditList> marked = Marks(tree, edits).Make();
  return marked ? *std::move(marked) : edits;
}

}  // namespace transplt
