// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/moved_imports.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "transplt/base/text_parts.h"
#include "transplt/facts/imported_library.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// True if `text` names the package of the target, or that of a built-in one.
bool NamesTarget(std::string_view text, const Target& target) {
  const auto named = [&](const Target& of) {
    return !of.package.empty() && HasPart(text, of.package);
  };
  return named(target) || std::ranges::any_of(BuiltinTargets(), named);
}

bool ImportsPackage(Node block, const Target& target) {
  for (const Node statement : NamedChildren(block)) {
    if (IsImport(statement) && NamesTarget(statement.text(), target)) return true;
  }
  return false;
}

bool WritesPackage(const Finding& finding, const Target& target) {
  return std::ranges::any_of(finding.fix.edits,
                             [&](const Edit& edit) { return NamesTarget(edit.text, target); });
}

/// The text of an insertion of whole lines, one level deeper.
std::string Indented(std::string_view lines, std::string_view level) {
  std::string text;
  while (!lines.empty()) {
    const size_t end = std::min(lines.find_first_of("\r\n"), lines.size());
    const size_t next = std::min(lines.find_first_not_of("\r\n", end), lines.size());
    if (end > 0) text += level;
    text += lines.substr(0, next);
    lines.remove_prefix(next);
  }
  return text;
}

/// Puts `text` in front of the statement, in an edit that replaces what stands there: an insertion
/// would be in the way of statements that are added behind the line before.
void Prefix(TextRange statement, std::string_view bytes, const std::string& text, Fix& fix) {
  for (Edit& edit : fix.edits) {
    if (edit.range.start != statement.start) continue;
    edit.text = text + edit.text;
    return;
  }
  const uint32_t end = statement.start + static_cast<uint32_t>(statement.In(bytes).find(' '));
  const TextRange keyword{statement.start, end};
  fix.Replace(keyword, text + std::string(keyword.In(bytes)));
}

/// Wraps `statement` with the edits of `fix` into a `try`; false where it is not alone on its
/// lines.
bool Wrap(Node statement, const SourceFile& source, Fix& fix) {
  const std::string_view bytes = source.bytes();
  const TextRange range = statement.range();
  const StatementPlace place(statement, source);
  const uint32_t end = source.LineRange(source.Locate(range.end).line).end;
  if (place.shares_line() || !HasPart(range.In(bytes), ' ')) return false;
  const std::string line_end(source.LineEndAt(range.start));
  const std::string margin = line_end + place.indent();
  const std::string level = !HasPart(place.indent(), '\t') ? "    " : "\t";
  std::string tail =
      margin + "except ImportError:" + margin + level + std::string(statement.text());
  for (Edit& edit : fix.edits) {
    if (edit.range.start != place.insertion() || edit.range.start < range.end) continue;
    // Names that move into a statement of their own: it is tried as well.
    std::string lines = Indented(edit.text, level);
    while (lines.ends_with('\n') || lines.ends_with('\r')) lines.pop_back();
    const bool at_end = lines.starts_with('\n') || lines.starts_with('\r');
    tail = fmt::format("{}{}{}", at_end ? "" : line_end, lines, tail);
    edit = {{end, end}, ""};
  }
  std::erase_if(fix.edits, [](const Edit& e) { return e.range.empty() && e.text.empty(); });
  Prefix(range, bytes, "try:" + margin + level, fix);
  fix.Insert(end, tail);
  return true;
}

/// `torch_npu.profiler.profile(...)`: no import of it stands there that could be tried.
Finding NeedsPackage(const Finding& finding, const Target& target) {
  return RowAt(finding.range, "guard-imports",
               Say("where {0} is missing, this line fails: run it only where {0} is there",
                   "缺少 {0} 时此行会出错: 仅在已安装 {0} 时运行该行", target.package));
}

}  // namespace

std::vector<TextRange> PartsWithoutNpu(const SyntaxTree& tree, const Target& target) {
  std::vector<TextRange> parts;
  for (const Node node : NodesIn(tree)) {
    if (!node.Is(NodeKind::kExceptClause) || !node.parent().Is(NodeKind::kTryStatement)) continue;
    const bool is_inside = !parts.empty() && parts.back().Contains(node.range());
    if (!is_inside && ImportsPackage(node.parent().Child(Field::kBody), target))
      parts.push_back(node.range());
  }
  return parts;
}

void GuardMovedImports(const FileContext& file, Findings& findings) {
  std::set<uint32_t> wrapped;  // statements, by their start
  Findings open;
  for (Finding& finding : findings) {
    if (finding.applicability == Applicability::kDisplayOnly ||
        !WritesPackage(finding, file.apis().target())) {
      continue;
    }
    const Node place = file.tree().NodeAt(finding.range);
    const Node statement = EnclosingStatement(place);
    if (!IsImport(statement)) {
      if (!place.Is(NodeKind::kString) && !place.parent().Is(NodeKind::kString)) {
        open.push_back(NeedsPackage(finding, file.apis().target()));
      }
      continue;
    }
    if (!wrapped.insert(statement.range().start).second) continue;
    if (Wrap(statement, file.source(), finding.fix)) continue;
    open.push_back(RowAt(statement.range(), "guard-imports",
                         Say("this import is not tried: it shares its line with other statements",
                             "该导入未加保护: 与其他语句位于同一行")));
  }
  std::move(open.begin(), open.end(), std::back_inserter(findings));
}

}  // namespace transplt
