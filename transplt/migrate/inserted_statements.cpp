// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/inserted_statements.h"

#include <fmt/format.h>

#include <algorithm>

#include "transplt/base/one_of.h"
#include "transplt/base/text_parts.h"

namespace transplt {
namespace {

Finding NotGuarded(uint32_t offset) {
  return RowAt({offset, offset}, "guard-imports",
               Say("this import is not tried: it shares its line with other statements",
                   "该导入未加保护: 与其他语句位于同一行"));
}

/// `line` with a tab in place of four blanks, where the code around it is indented by tabs.
std::string Tabbed(const std::string& line, const std::string& indent) {
  if (!line.starts_with("    ") || !HasPart(indent, '\t')) return line;
  return "\t" + line.substr(4);
}

}  // namespace

void InsertedStatements::At(Node statement, const std::string& text, const std::string& rule_id) {
  Insertion& insertion = Find(statement);
  std::vector<std::string>& all = insertion.statements;
  if (IsOneOf(text, all)) return;
  all.push_back(text);
  if (text != import_) insertion.rule_id = rule_id;
}

void InsertedStatements::InTry(Node statement, const std::string& text) {
  Find(statement).tried.push_back(text);
}

std::vector<Finding> InsertedStatements::Findings() const {
  std::vector<Finding> findings;
  for (const auto& [offset, insertion] : places_) {
    findings.push_back(Insert(offset, insertion));
    const auto& statements = insertion.statements;
    if (guard_ && insertion.place && insertion.place->shares_line() &&
        IsOneOf(import_, statements)) {
      findings.push_back(NotGuarded(offset));
    }
  }
  return findings;
}

InsertedStatements::Insertion& InsertedStatements::Named(Insertion& insertion) const {
  if (insertion.rule_id.empty()) {
    insertion.rule_id = "import-" + target_.package;
    std::ranges::replace(insertion.rule_id, '_', '-');
  }
  return insertion;
}

InsertedStatements::Insertion& InsertedStatements::Find(Node statement) {
  if (!statement) return Named(places_[top_]);
  const StatementPlace place(statement, file_.source());
  Insertion& insertion = places_[place.insertion()];
  insertion.place = place;
  return Named(insertion);
}

Finding InsertedStatements::Insert(uint32_t offset, const Insertion& insertion) const {
  Finding finding;
  finding.range = {offset, offset};
  finding.rule_id = insertion.rule_id;
  finding.operation = Operation::kInsert;
  std::string text;
  std::string all;
  for (const std::string& statement : insertion.statements) {
    all += (all.empty() ? "" : "; ") + statement;
    text += Written(statement, offset, insertion);
  }
  finding.message =
      all == import_ ? Say("import {}", "导入 {}", target_.package) : Say("add {}", "添加 {}", all);
  finding.fix.Insert(offset, std::move(text));
  return finding;
}

std::string InsertedStatements::Written(const std::string& statement, uint32_t offset,
                                        const Insertion& insertion) const {
  const bool one_line = insertion.place && insertion.place->shares_line();
  const std::string line_end(file_.source().LineEndAt(offset));
  std::string text;
  for (const std::string& line : guard_&& statement == import_ && !one_line
                                     ? GuardedImport(insertion.tried)
                                     : std::vector<std::string>{statement}) {
    text += insertion.place ? insertion.place->Join(Tabbed(line, insertion.place->indent()))
                            : line + line_end;
  }
  return text;
}

std::vector<std::string> InsertedStatements::GuardedImport(
    const std::vector<std::string>& tried) const {
  const std::string torch = file_.names().LocalNameOf("torch");
  std::vector<std::string> lines = {"try:", "    " + import_};
  for (const std::string& statement : tried) lines.push_back("    " + statement);
  lines.emplace_back("except ImportError:");
  if (torch.empty()) lines.emplace_back("    import torch");
  const std::string name = torch.empty() ? "torch" : torch;
  lines.push_back(fmt::format("    {0}.{1} = {0}.cuda", name, target_.device));
  return lines;
}

}  // namespace transplt
