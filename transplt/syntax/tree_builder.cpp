// SPDX-License-Identifier: Apache-2.0
#include "transplt/syntax/tree_builder.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "transplt/base/ascii.h"
#include "transplt/syntax/broken_part.h"
#include "transplt/syntax/indentation.h"
#include "transplt/syntax/misread.h"
#include "transplt/syntax/pieces.h"

namespace transplt {
namespace {

/// Follows the offsets of a text as tree-sitter counts them: rows, and columns in bytes.
class PointAt {
 public:
  explicit PointAt(std::string_view text) : text_(text) {}

  /// Offsets must not decrease from call to call.
  TSPoint operator()(uint32_t offset) {
    while (line_end_ < offset) {
      line_start_ = line_end_ + 1;
      line_end_ = text_.find('\n', line_start_);
      ++row_;
    }
    return {row_, static_cast<uint32_t>(offset - line_start_)};
  }

 private:
  std::string_view text_;
  size_t line_start_ = 0;
  size_t line_end_ = text_.find('\n');
  uint32_t row_ = 0;
};

TSInputEdit InputEdit(const Edit& edit, PointAt& point) {
  TSInputEdit result;
  result.start_byte = edit.range.start;
  result.old_end_byte = edit.range.end;
  result.new_end_byte = edit.range.start + static_cast<uint32_t>(edit.text.size());
  result.start_point = point(edit.range.start);
  result.old_end_point = point(edit.range.end);
  const TSPoint inside = PointAt(edit.text)(static_cast<uint32_t>(edit.text.size()));
  result.new_end_point = {
      result.start_point.row + inside.row,
      inside.row == 0 ? result.start_point.column + inside.column : inside.column};
  return result;
}

/// Sorts the ranges and joins those that touch or have only blanks and line ends between them.
void Merge(std::vector<TextRange>& ranges, std::string_view text) {
  std::sort(ranges.begin(), ranges.end(), [](TextRange a, TextRange b) {
    return a.start != b.start ? a.start < b.start : a.end < b.end;
  });
  std::vector<TextRange> merged;
  for (TextRange range : ranges) {
    if (!merged.empty() &&
        text.substr(0, range.start).find_first_not_of(" \t\r\n\f", merged.back().end) ==
            std::string_view::npos) {
      merged.back().end = std::max(merged.back().end, range.end);
    } else {
      merged.push_back(range);
    }
  }
  ranges = std::move(merged);
}

/// How many nodes the tree of `text` has at least, one for each word and each sign, if none of them
/// stands in a string or a comment. Where they do, it is too many.
uint64_t LeastNodesOf(std::string_view text) {
  uint64_t nodes = 0;
  bool in_word = false;
  for (const char c : text) {
    const bool is_word = IsWordByte(c);
    if (is_word ? !in_word : static_cast<unsigned char>(c) > ' ') ++nodes;
    in_word = is_word;
  }
  return nodes;
}

bool HasBlock(NodeKind kind) {
  switch (kind) {
    case NodeKind::kFunctionDefinition:
    case NodeKind::kClassDefinition:
    case NodeKind::kIfStatement:
    case NodeKind::kElifClause:
    case NodeKind::kElseClause:
    case NodeKind::kForStatement:
    case NodeKind::kWhileStatement:
    case NodeKind::kTryStatement:
    case NodeKind::kExceptClause:
    case NodeKind::kFinallyClause:
    case NodeKind::kWithStatement:
    case NodeKind::kMatchStatement:
    case NodeKind::kCaseClause:
      return true;
    default:
      return false;
  }
}

}  // namespace

/// False if the ways from the root of `before` to all `edits` have more nodes than the tree has: in
/// a chain of thousands of calls it takes less to parse the text anew than to tell tree-sitter what
/// has changed.
bool SyntaxTree::Builder::IsShortWayTo(const SyntaxTree& before, const EditList& edits) {
  const std::vector<Entry>& entries = before.entries_;
  size_t steps = 0;
  auto from = entries.begin();
  for (const EditList::Accepted& accepted : edits.edits()) {
    from =
        std::upper_bound(from, entries.end(), accepted.edit.range.start,
                         [](uint32_t offset, const Entry& entry) { return offset < entry.start; });
    if (from == entries.begin()) continue;
    for (auto id = static_cast<uint32_t>(from - entries.begin()) - 1; id != 0;
         id = entries[id].parent) {
      if (++steps > entries.size()) return false;
    }
  }
  return true;
}

void SyntaxTree::Builder::StartFrom(const SyntaxTree& before, const EditList& edits) {
  if (!before.parsed_ || !IsShortWayTo(before, edits)) return;
  before_.reset(ts_tree_copy(before.parsed_.get()));
  std::vector<TSInputEdit> changes;
  PointAt point(before.source().parse_text());
  for (const EditList::Accepted& accepted : edits.edits()) {
    changes.push_back(InputEdit(accepted.edit, point));
  }
  // From the end, so that the places of the others stay where they are.
  for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
    ts_tree_edit(before_.get(), &*change);
  }
}

void SyntaxTree::Builder::Build() {
  const std::string_view text = tree_.source_->parse_text();
  std::string masked;  // `text` with the repairs, made only when one is needed
  BrokenParts broken(text, [this](std::string_view part) { return CountErrors(part); });
  // Small files may take many rounds, large ones few.
  limit_ = 3 * text.size() + (size_t{4} << 20U);
  bool tabs_are_normal = false;
  if (broken.HideManyOpenBrackets(masked)) before_ = nullptr;
  for (;;) {
    if (!ParseInto(masked.empty() ? text : masked)) return LeaveUnparsed(text);
    tree_.unparsed_ = MisindentedParts(tree_);
    if (errors_.empty() && type_calls_.empty() && tree_.unparsed_.empty()) break;
    // Beside an error the parser may see more of what an edit has left as it was.
    if (std::exchange(before_, nullptr)) continue;
    if (parsed_ + text.size() > limit_) break;
    if (masked.empty()) masked = text;
    if (MaskTypeCalls(masked) || MaskRefusedParts(masked)) continue;
    if (!std::exchange(tabs_are_normal, true) && NormalizeMixedTabs(masked)) continue;
    if (errors_.empty() || !broken.Hide(masked, Errors())) break;
  }
  tree_.unparsed_.insert(tree_.unparsed_.end(), broken.hidden().begin(), broken.hidden().end());
  for (uint32_t error : errors_) {
    tree_.unparsed_.push_back(broken.WholeLines(DoubtAround(error)));
  }
  for (uint32_t splat : splats_) HoistSplat(splat);
  Merge(tree_.unparsed_, text);
}

void SyntaxTree::Builder::LeaveUnparsed(std::string_view text) {
  const auto end = static_cast<uint32_t>(text.size());
  tree_.entries_ = {{NodeKind::kModule, Field::kNone, 0, end, 0, 1}};
  tree_.parsed_ = nullptr;
  tree_.unparsed_ = {{0, end}};
}

SyntaxTree::ParsedText SyntaxTree::Builder::ParseText(std::string_view text, const TSTree* before) {
  parsed_ += text.size();
  if (meter_ == nullptr) {
    return ParsedText(
        ts_parser_parse_string(parser_, before, text.data(), static_cast<uint32_t>(text.size())));
  }
  TSInput input{};
  input.payload = &text;
  input.encoding = TSInputEncodingUTF8;
  input.read = [](void* payload, uint32_t offset, TSPoint, uint32_t* size) {
    const std::string_view whole = *static_cast<std::string_view*>(payload);
    const std::string_view rest = whole.substr(std::min<size_t>(offset, whole.size()));
    *size = static_cast<uint32_t>(rest.size());
    return rest.data();
  };
  TSParseOptions options{};
  options.payload = meter_;
  options.progress_callback = [](TSParseState* state) {
    return static_cast<BudgetMeter*>(state->payload)->IsSpent();
  };
  ParsedText parsed(ts_parser_parse_with_options(parser_, before, input, options));
  if (parsed == nullptr) ts_parser_reset(parser_);
  return parsed;
}

bool SyntaxTree::Builder::ParseInto(std::string_view text) {
  splats_.clear();
  type_calls_.clear();
  errors_.clear();
  constexpr size_t kPieceSize = 256U << 10U;
  std::vector<Entry>& entries = tree_.entries_;
  entries.clear();
  entries.push_back({NodeKind::kModule, Field::kNone, 0, 0, 0, 0});
  for (TextRange piece : CutIntoPieces(text, kPieceSize)) {
    const bool is_whole = piece.size() == text.size();
    // Only what cannot be cut into pieces is that large.
    const bool is_large = meter_ != nullptr && piece.size() > 8 * kPieceSize;
    if (is_large && meter_->IsSpentByNodes(LeastNodesOf(piece.In(text)))) return false;
    ParsedText parsed = ParseText(piece.In(text), is_whole ? before_.get() : nullptr);
    if (parsed == nullptr) return false;
    const TSNode root = ts_tree_root_node(parsed.get());
    const size_t size = entries.size() + ts_node_descendant_count(root);
    if (meter_ != nullptr && meter_->IsSpentByNodes(size)) return false;
    // The pieces are of one kind: the rest will need as much per byte.
    const double share = piece.end == 0 ? 1.0 : static_cast<double>(text.size()) / piece.end;
    if (size > entries.capacity()) {
      entries.reserve(static_cast<size_t>(static_cast<double>(size) * share));
    }
    if (piece.start == 0) entries[0].start = ts_node_start_byte(root);
    entries[0].end = piece.start + ts_node_end_byte(root);
    Copy(*parsed, piece.start);
    const bool is_source = text.data() == tree_.source_->parse_text().data();
    tree_.parsed_ = is_whole && is_source ? std::move(parsed) : nullptr;
  }
  entries[0].subtree_end = static_cast<uint32_t>(entries.size());
  return true;
}

std::optional<size_t> SyntaxTree::Builder::CountErrors(std::string_view text) {
  // The round that follows needs its share as well.
  if (parsed_ + text.size() + tree_.source_->bytes().size() > limit_) return std::nullopt;
  const ParsedText parsed = ParseText(text);
  if (parsed == nullptr) return std::nullopt;
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(parsed.get()));
  size_t bytes = 0;
  for (bool more = true; more;) {
    const TSNode node = ts_tree_cursor_current_node(&cursor);
    const bool is_error = ts_node_is_error(node) || ts_node_is_missing(node);
    if (is_error) bytes += ts_node_end_byte(node) - ts_node_start_byte(node) + 1;
    if (!is_error && ts_node_has_error(node) && ts_tree_cursor_goto_first_child(&cursor)) continue;
    while (more && !ts_tree_cursor_goto_next_sibling(&cursor)) {
      more = ts_tree_cursor_goto_parent(&cursor);
    }
  }
  ts_tree_cursor_delete(&cursor);
  return bytes;
}

std::vector<SyntaxError> SyntaxTree::Builder::Errors() const {
  std::vector<SyntaxError> errors;
  for (uint32_t error : errors_) {
    const TextRange range = tree_.node(error).range();
    const bool is_inner = !errors.empty() && range.end <= errors.back().range.end;
    if (!is_inner) errors.push_back({range, DoubtAround(error)});
  }
  return errors;
}

/// The statement that holds an error, of one with a block of its own only the head: around an
/// error the parser guesses, so an argument beside it may not be what it seems.
TextRange SyntaxTree::Builder::DoubtAround(uint32_t error) const {
  const TextRange range = tree_.node(error).range();
  for (Node node = tree_.node(error);; node = node.parent()) {
    const Node parent = node.parent();
    if (HasBlock(node.kind())) {
      Node head_end;
      for (Node part = node.first_child(); part; part = part.next_sibling()) {
        if (part.Is(NodeKind::kBlock)) {
          // Behind a block nothing but the error itself is in doubt.
          const bool is_in_head = head_end && range.end <= part.range().start;
          return is_in_head ? TextRange{node.range().start, head_end.range().end} : range;
        }
        head_end = part;
      }
    }
    if (!parent || parent.id() == 0 || parent.Is(NodeKind::kBlock)) return node.range();
  }
}

bool SyntaxTree::Builder::MaskTypeCalls(std::string& masked) const {
  for (TextRange word : type_calls_) masked.replace(word.start, word.size(), word.size(), 'x');
  return !type_calls_.empty();
}

bool SyntaxTree::Builder::MaskRefusedParts(std::string& masked) const {
  bool changed = false;
  for (const SyntaxError& error : Errors()) {
    for (TextRange part : RefusedParts(masked, error)) {
      masked.replace(part.start, part.size(), part.size(), ' ');
      changed = true;
    }
  }
  return changed;
}

/// Turns the nodes of `(*a).b()`, which are call, attribute, splat, star, a, ..., into those of
/// `*(a.b())`: splat, star, call, attribute, a, ...; all other nodes keep their places.
void SyntaxTree::Builder::HoistSplat(uint32_t splat) {
  std::vector<Entry>& entries = tree_.entries_;
  const uint32_t star = splat + 1;
  const uint32_t operand = splat + 2;
  if (operand >= entries[splat].subtree_end ||
      entries[operand].subtree_end != entries[splat].subtree_end) {
    return;  // a comment between the star and its operand: left as it is
  }
  uint32_t top = splat;
  while (entries[top].parent + 1 == top && IsUnderStar(entries[entries[top].parent].kind)) --top;
  for (uint32_t id = entries[operand].subtree_end; id < entries[top].subtree_end;
       id = entries[id].subtree_end) {
    entries[id].parent += 2;
  }
  const Entry old_splat = entries[splat];
  Entry old_star = entries[star];
  const Entry old_top = entries[top];
  std::move_backward(entries.begin() + top, entries.begin() + splat, entries.begin() + operand);
  for (uint32_t id = top + 2; id < operand; ++id) {
    entries[id].parent = id - 1;
    entries[id].start = entries[operand].start;
  }
  entries[operand].parent = operand - 1;
  entries[operand].field = old_splat.field;
  entries[top + 2].parent = top;
  entries[top + 2].field = Field::kNone;
  entries[top] = {old_splat.kind, old_top.field,  old_splat.start,
                  old_top.end,    old_top.parent, old_top.subtree_end};
  old_star.parent = top;
  old_star.subtree_end = top + 2;
  entries[top + 1] = old_star;
}

}  // namespace transplt
