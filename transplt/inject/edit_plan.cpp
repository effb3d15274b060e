// SPDX-License-Identifier: Apache-2.0
#include "transplt/inject/edit_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "transplt/base/one_of.h"
#include "transplt/base/text_parts.h"
#include "transplt/inject/inject_file.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr std::string_view kBlanks = " \t\f";

/// What the lines of one block have more than those of the block around it.
std::string IndentationUnit(const SyntaxTree& tree) {
  const SourceFile& source = tree.source();
  const auto indent = [&](uint32_t line) {
    const std::string_view text = source.LineRange(line).In(source.bytes());
    const size_t end = text.find_first_not_of(kBlanks);
    return std::string(text.substr(0, end == std::string_view::npos ? 0 : end));
  };
  for (const Node node : NodesIn(tree)) {
    if (!node.Is(NodeKind::kBlock)) continue;
    const uint32_t line = source.Locate(node.range().start).line;
    const uint32_t head = source.Locate(node.parent().range().start).line;
    const std::string inner = indent(line);
    const std::string outer = indent(head);
    if (line != head && inner.size() > outer.size() && inner.starts_with(outer)) {
      return inner.substr(outer.size());
    }
  }
  return "    ";
}

char CommonQuote(const SyntaxTree& tree) {
  int balance = 0;
  for (const Node node : NodesIn(tree)) {
    if (!node.Is(NodeKind::kStringStart)) continue;
    if (node.text().ends_with("\"\"\"") || node.text().ends_with("'''")) continue;
    balance += node.text().ends_with('\'') ? 1 : -1;
  }
  return balance > 0 ? '\'' : '"';
}

Text JoinedMessage(const std::vector<EditReason>& reasons) {
  Text text;
  std::set<std::string> seen;
  for (const EditReason& reason : reasons) {
    if (!seen.insert(reason.message.en).second) continue;
    text.en += (text.en.empty() ? "" : "; ") + reason.message.en;
    text.zh += (text.zh.empty() ? "" : "; ") + reason.message.zh;
  }
  return text;
}

}  // namespace

EditPlan::EditPlan(const SyntaxTree& tree, std::string_view tag)
    : tree_(tree),
      source_(tree.source()),
      injected_(tree),
      tag_(tag.empty() ? "" : " " + std::string(tag)),
      unit_(IndentationUnit(tree)),
      common_quote_(CommonQuote(tree)),
      quote_(common_quote_) {}

void EditPlan::InsertBefore(Node statement, const std::vector<std::string>& lines,
                            const EditReason& reason) {
  uint32_t line = source_.Locate(statement.range().start).line;
  const std::string indent = IndentOf(line);
  const InjectedParts::Part* part = injected_.At(line);
  if (part != nullptr && (part->originals > 0 || IsOfOther(*part))) line = part->first_line;
  // Parts of several tools at one place stand in the order of their tags, whoever comes first.
  for (const InjectedParts::Part* above = injected_.At(line - 1);
       above != nullptr && above->originals == 0 && IsOfOther(*above) && above->tag > OwnTag();
       above = injected_.At(line - 1)) {
    line = above->first_line;
  }
  uint32_t offset = source_.LineRange(line).start;
  if (line == 1 && source_.has_bom()) offset += static_cast<uint32_t>(kUtf8Bom.size());
  Insert(offset, false, indent, lines, reason);
}

void EditPlan::InsertAfter(Node statement, const std::vector<std::string>& lines,
                           const EditReason& reason) {
  const std::string indent = IndentOf(source_.Locate(statement.range().start).line);
  uint32_t line = source_.Locate(statement.range().end).line;
  const InjectedParts::Part* part = injected_.At(line);
  if (part != nullptr && (part->originals > 0 || IsOfOther(*part))) line = part->last_line;
  Insert(LineEndOffset(BehindLesserTags(line)), true, indent, lines, reason);
}

/// True for what another tool has put into the file.
bool EditPlan::IsOfOther(const InjectedParts::Part& part) const { return part.tag != OwnTag(); }

std::string_view EditPlan::OwnTag() const {
  return tag_.empty() ? std::string_view() : std::string_view(tag_).substr(1);
}

/// The last line of what follows `line` and goes in front of this tool.
uint32_t EditPlan::BehindLesserTags(uint32_t line) const {
  for (const InjectedParts::Part* below = injected_.At(line + 1);
       below != nullptr && below->first_line == line + 1 && below->originals == 0 &&
       IsOfOther(*below) && below->tag < OwnTag();
       below = injected_.At(line + 1)) {
    line = below->last_line;
  }
  return line;
}

void EditPlan::Insert(uint32_t offset, bool is_after, std::string indent,
                      const std::vector<std::string>& lines, const EditReason& reason) {
  Place& place = places_[offset];
  std::vector<std::string>& all = is_after ? place.after : place.before;
  all.insert(all.end(), lines.begin(), lines.end());
  (is_after ? place.indent_after : place.indent_before) = std::move(indent);
  place.at_end = IsOpenEnd(offset);
  place.reasons.push_back(reason);
}

void EditPlan::Replace(TextRange range, std::string text, const EditReason& reason) {
  const Node statement = EnclosingStatement(tree_.NodeAt(range));
  const uint32_t first = source_.Locate(statement.range().start).line;
  Region& region = regions_[first];
  region.last_line = std::max(region.last_line, source_.Locate(range.end).line);
  region.edits.push_back({range, std::move(text)});
  region.reasons.push_back(reason);
}

void EditPlan::Import(const std::string& statement) {
  if (!IsOneOf(statement, imports_)) {
    imports_.push_back(statement);
  }
}

void EditPlan::QuoteLike(Node like) {
  quote_ = common_quote_;
  if (like.Is(NodeKind::kString) && !like.text().empty()) {
    const char end = like.text().back();
    if (end == '"' || end == '\'') quote_ = end;
  }
}

std::string EditPlan::Quoted(std::string_view text) const {
  char quote = quote_;
  if (HasPart(text, quote)) {
    const char other = quote == '"' ? '\'' : '"';
    if (!HasPart(text, other)) quote = other;
  }
  const bool utf8 = source_.encoding() == "UTF-8";
  std::string literal(1, quote);
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '\\' || text[i] == quote) {
      literal += '\\';
      literal += text[i];
    } else if (c == '\t') {
      literal += "\\t";
    } else if (c < 0x20) {
      literal += fmt::format("\\x{:02x}", c);
    } else if (c < 0x80 || utf8) {
      literal += text[i];
    } else {  // a file in another encoding: the character as an escape
      uint32_t code = c & (c >= 0xF0 ? 0x07U : c >= 0xE0 ? 0x0FU : 0x1FU);
      const size_t more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : 1;
      for (size_t k = 0; k < more && i + 1 < text.size(); ++k) {
        code = (code << 6U) | (static_cast<unsigned char>(text[++i]) & 0x3FU);
      }
      literal += code > 0xFFFF ? fmt::format("\\U{:08x}", code) : fmt::format("\\u{:04x}", code);
    }
  }
  return literal + quote;
}

std::vector<Finding> EditPlan::Findings() const {
  std::vector<Finding> findings;
  std::map<uint32_t, Place> places = places_;
  if (!imports_.empty() || !definitions_.empty()) AddImports(places);
  std::map<uint32_t, Region> regions = MergedRegions();
  for (auto& [first, region] : regions) {
    Finding finding;
    finding.fix = FixOf(first, region);
    uint32_t offset = source_.LineRange(first).start;
    if (first == 1 && source_.has_bom()) offset += static_cast<uint32_t>(kUtf8Bom.size());
    std::vector<EditReason> reasons;
    if (const auto place = places.find(offset); place != places.end()) {
      finding.fix.edits.front().text.insert(0, TextAt(place->second, offset));
      reasons = place->second.reasons;
      places.erase(place);
    }
    reasons.insert(reasons.end(), region.reasons.begin(), region.reasons.end());
    std::erase_if(finding.fix.edits,
                  [](const Edit& edit) { return edit.range.empty() && edit.text.empty(); });
    finding.range = reasons.front().range;
    finding.rule_id = reasons.front().rule_id;
    finding.message = JoinedMessage(reasons);
    findings.push_back(std::move(finding));
  }
  for (const auto& [offset, place] : places) {
    Finding finding;
    finding.range = place.reasons.front().range;
    finding.rule_id = place.reasons.front().rule_id;
    finding.operation = Operation::kInsert;
    finding.message = JoinedMessage(place.reasons);
    finding.fix.Insert(offset, TextAt(place, offset));
    findings.push_back(std::move(finding));
  }
  return findings;
}

/// What stands at module level, in front of what else goes to its place.
void EditPlan::AddImports(std::map<uint32_t, Place>& places) const {
  const uint32_t offset = ImportOffset();
  Place& place = places[offset];
  place.imports = imports_;
  place.imports.insert(place.imports.end(), definitions_.begin(), definitions_.end());
  if (import_behind_) {
    place.indent_imports = IndentOf(source_.Locate(import_behind_.range().start).line);
  }
  place.at_end = IsOpenEnd(offset);
  place.reasons.push_back(
      {{offset, offset},
       "inject-import",
       Say("imports or defines what the injected lines use", "导入或定义注入内容所需的名称")});
}

/// True behind a last line that has no line end.
bool EditPlan::IsOpenEnd(uint32_t offset) const {
  return offset == source_.bytes().size() && !source_.LineRange(source_.line_count()).empty();
}

std::string EditPlan::TextAt(const Place& place, uint32_t offset) const {
  std::string text;
  if (!place.imports.empty()) {
    text += Block(place.imports, place.indent_imports, offset, kInjectBegin);
  }
  if (!place.after.empty()) text += Block(place.after, place.indent_after, offset, kInjectBegin);
  if (!place.before.empty()) text += Block(place.before, place.indent_before, offset, kInjectBegin);
  if (place.at_end) {  // behind a last line without a line end: the new last line has none either
    const std::string end(source_.LineEndAt(offset));
    text = end + text.substr(0, text.size() - end.size());
  }
  return text;
}

std::string EditPlan::Block(const std::vector<std::string>& lines, const std::string& indent,
                            uint32_t offset, std::string_view begin) const {
  const std::string end(source_.LineEndAt(offset));
  // Lines that go into an injected part are marked by its comments.
  const uint32_t line = source_.Locate(offset).line;
  const InjectedParts::Part* part = injected_.At(line);
  const bool marked =
      part != nullptr && part->originals == 0 && line > part->first_line && !IsOfOther(*part);
  std::string text;
  if (!marked) text += indent + std::string(begin) + tag_ + end;
  for (const std::string& raw : lines) {
    std::string_view rest = raw;
    text += indent;
    while (rest.starts_with("    ")) {
      text += unit_;
      rest.remove_prefix(4);
    }
    text += std::string(rest) + end;
  }
  if (!marked) text += indent + std::string(kInjectEnd) + end;
  return text;
}

std::string EditPlan::IndentOf(uint32_t line) const {
  std::string_view text = source_.LineRange(line).In(source_.bytes());
  if (line == 1 && text.starts_with(kUtf8Bom)) text.remove_prefix(kUtf8Bom.size());
  const size_t end = text.find_first_not_of(kBlanks);
  return std::string(text.substr(0, std::min(end, text.size())));
}

uint32_t EditPlan::LineEndOffset(uint32_t line) const {
  return line < source_.line_count() ? source_.LineRange(line + 1).start
                                     : static_cast<uint32_t>(source_.bytes().size());
}

/// Regions that share a line become one.
std::map<uint32_t, EditPlan::Region> EditPlan::MergedRegions() const {
  std::map<uint32_t, Region> merged;
  for (const auto& [first, region] : regions_) {
    if (!merged.empty() && first <= merged.rbegin()->second.last_line) {
      Region& last = merged.rbegin()->second;
      last.last_line = std::max(last.last_line, region.last_line);
      last.edits.insert(last.edits.end(), region.edits.begin(), region.edits.end());
      last.reasons.insert(last.reasons.end(), region.reasons.begin(), region.reasons.end());
    } else {
      merged.emplace(first, region);
    }
  }
  return merged;
}

/// The edits of a region, with the comments that keep its lines in front: always first, and empty
/// where the lines are injected ones.
Fix EditPlan::FixOf(uint32_t first_line, const Region& region) const {
  uint32_t start = source_.LineRange(first_line).start;
  if (first_line == 1 && source_.has_bom()) start += static_cast<uint32_t>(kUtf8Bom.size());
  Fix fix;
  fix.Insert(start, "");
  int added = 0;  // lines, less those that an edit takes away
  for (Edit edit : region.edits) {
    added -= static_cast<int>(source_.Locate(edit.range.end).line -
                              source_.Locate(edit.range.start).line);
    const std::string end(source_.LineEndAt(edit.range.start));
    std::string text;
    for (char c : edit.text) {
      added += c == '\n' ? 1 : 0;
      text += c == '\n' ? end : std::string(1, c);
    }
    edit.text = std::move(text);
    fix.edits.push_back(std::move(edit));
  }
  const int count = static_cast<int>(region.last_line - first_line + 1);
  const InjectedParts::Part* part = injected_.At(first_line);
  if (part != nullptr) {
    if (part->originals > 0 && added != 0) {
      const TextRange line = source_.LineRange(part->first_line);
      const size_t number = line.In(source_.bytes()).find(kInjectReplaced) + kInjectReplaced.size();
      fix.Replace({line.start + static_cast<uint32_t>(number), line.end},
                  std::to_string(static_cast<int>(part->count) + added) + tag_);
    }
    return fix;
  }
  std::string& header = fix.edits.front().text;
  const std::string indent = IndentOf(first_line);
  const std::string end(source_.LineEndAt(start));
  header = fmt::format("{}{}{}{}{}", indent, kInjectReplaced, count + added, tag_, end);
  for (uint32_t line = first_line; line <= region.last_line; ++line) {
    const uint32_t from = line == first_line ? start : source_.LineRange(line).start;
    const uint32_t next = LineEndOffset(line);
    header += indent + std::string(kInjectOriginal);
    header += TextRange{from, next}.In(source_.bytes());
    if (next == source_.LineRange(line).end) header += end;
  }
  return fix;
}

uint32_t EditPlan::ImportOffset() const {
  if (import_behind_) {
    Node last = import_behind_;
    for (Node next = last; next && IsImport(next); next = next.next_named_sibling()) {
      if (injected_.At(source_.Locate(next.range().start).line) != nullptr) break;
      last = next;
    }
    return LineEndOffset(BehindLesserTags(source_.Locate(last.range().end).line));
  }
  Node last;
  Node first;
  for (const Node statement : NamedChildren(tree_.root())) {
    const bool prose = statement.Is(NodeKind::kExpressionStatement) &&
                       statement.first_named_child().Is(NodeKind::kString);
    if (IsImport(statement) || (statement.Is(NodeKind::kFutureImportStatement) && !last)) {
      last = statement;
    } else if (last && IsImport(last)) {
      break;
    } else if (!prose && !first) {
      first = statement;
    }
    if (first && !last) continue;
  }
  if (last && (IsImport(last) || !first || first.range().start > last.range().start)) {
    uint32_t line = source_.Locate(last.range().end).line;
    const InjectedParts::Part* part = injected_.At(line);
    if (part != nullptr && part->originals > 0) line = part->last_line;
    return LineEndOffset(line);
  }
  return first ? source_.LineRange(source_.Locate(first.range().start).line).start
               : static_cast<uint32_t>(source_.bytes().size());
}

}  // namespace transplt
