// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/moved_imports.h"

#include <algorithm>
#include <set>

#include "transplt/engine/statement.h"

namespace transplt {
namespace {

bool IsImport(Node statement) {
  return statement.Is(NodeKind::kImportStatement) || statement.Is(NodeKind::kImportFromStatement);
}

bool ImportsNpu(Node block) {
  for (Node statement = block.first_named_child(); statement;
       statement = statement.next_named_sibling()) {
    if (IsImport(statement) && statement.text().find("torch_npu") != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

bool WritesNpuImport(const Finding& finding) {
  return std::any_of(finding.fix.edits.begin(), finding.fix.edits.end(), [](const Edit& edit) {
    return edit.text.find("torch_npu") != std::string::npos;
  });
}

/// The text of an insertion of whole lines, one level deeper.
std::string Indented(std::string_view lines) {
  std::string text;
  while (!lines.empty()) {
    const size_t end = std::min(lines.find_first_of("\r\n"), lines.size());
    const size_t next = std::min(lines.find_first_not_of("\r\n", end), lines.size());
    if (end > 0) text += "    ";
    text += lines.substr(0, next);
    lines.remove_prefix(next);
  }
  return text;
}

/// Wraps `statement` with the edits of `fix` into a `try`; false where it is not alone on its
/// lines.
bool Wrap(Node statement, const SourceFile& source, Fix& fix) {
  const std::string_view bytes = source.bytes();
  const TextRange range = statement.range();
  const TextRange first = source.LineRange(source.Locate(range.start).line);
  const uint32_t end = source.LineRange(source.Locate(range.end).line).end;
  const std::string_view before = TextRange{first.start, range.start}.In(bytes);
  const std::string_view after = TextRange{range.end, std::max(range.end, end)}.In(bytes);
  const size_t text = after.find_first_not_of(" \t\f");
  const bool alone = before.find_first_not_of(" \t") == std::string_view::npos &&
                     (text == std::string_view::npos || after[text] == '#');
  if (!alone) return false;
  const std::string line_end(source.LineEndAt(range.start));
  const std::string margin = line_end + std::string(before);
  std::string tail =
      margin + "except ImportError:" + margin + "    " + std::string(statement.text());
  const StatementPlace place(statement, source);
  for (Edit& edit : fix.edits) {
    if (edit.range.start != place.insertion()) continue;
    // Names that move into a statement of their own: it is tried as well.
    std::string lines = Indented(edit.text);
    while (lines.ends_with('\n') || lines.ends_with('\r')) lines.pop_back();
    tail = (lines.starts_with('\n') || lines.starts_with('\r') ? "" : line_end) + lines + tail;
    edit = {{end, end}, ""};
  }
  std::erase_if(fix.edits, [](const Edit& e) { return e.range.empty() && e.text.empty(); });
  fix.edits.push_back({{range.start, range.start}, "try:" + margin + "    "});
  fix.edits.push_back({{end, end}, tail});
  return true;
}

}  // namespace

bool RunsWithoutNpu(const FileContext& file, TextRange range) {
  for (Node node = file.tree().NodeAt(range); node; node = node.parent()) {
    if (node.Is(NodeKind::kExceptClause) && node.parent().Is(NodeKind::kTryStatement) &&
        ImportsNpu(node.parent().Child(Field::kBody))) {
      return true;
    }
  }
  return false;
}

void GuardMovedImports(const FileContext& file, std::vector<Finding>& findings) {
  std::set<uint32_t> wrapped;  // statements, by their start
  std::vector<Finding> open;
  for (Finding& finding : findings) {
    if (finding.applicability == Applicability::kDisplayOnly || !WritesNpuImport(finding)) continue;
    const Node statement = EnclosingStatement(file.tree().NodeAt(finding.range));
    if (!IsImport(statement) || !wrapped.insert(statement.range().start).second) continue;
    if (Wrap(statement, file.source(), finding.fix)) continue;
    Finding left;
    left.range = statement.range();
    left.rule_id = "guard-imports";
    left.operation = Operation::kSuggestion;
    left.applicability = Applicability::kDisplayOnly;
    left.message = Say("this import is not tried: it shares its line with other statements",
                       "该导入未加保护: 与其他语句位于同一行");
    open.push_back(std::move(left));
  }
  std::move(open.begin(), open.end(), std::back_inserter(findings));
}

}  // namespace transplt
