// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/file_migration.h"

#include <algorithm>

#include "transplt/migrate/adapter_imports.h"
#include "transplt/migrate/consistency.h"
#include "transplt/migrate/modify_marks.h"
#include "transplt/migrate/moved_imports.h"
#include "transplt/migrate/required_imports.h"
#include "transplt/migrate/served_branch.h"
#include "transplt/migrate/suppressions.h"
#include "transplt/report/unified_diff.h"

namespace transplt {
namespace {

Finding Unparsed(TextRange range) {
  Finding finding;
  finding.range = range;
  finding.rule_id = "syntax";
  finding.operation = Operation::kUnparsed;
  finding.applicability = Applicability::kDisplayOnly;
  finding.message =
      Say("not valid Python: this part was not looked at", "不是合法的 Python: 未处理该部分");
  return finding;
}

ChangeRecord WholeFile(const std::string& path, Operation operation, Text message) {
  ChangeRecord record;
  record.file = path;
  record.operation = operation;
  record.applicability = Applicability::kDisplayOnly;
  record.rule_id = "file";
  record.message = std::move(message);
  return record;
}

/// True if reading `text` back shows something unparsable that the original did not have.
bool IsBroken(std::string text, const SyntaxTree& original, const EditList& edits, Parser& parser) {
  const Result<SourceFile> source =
      SourceFile::FromBytes(original.source().path(), std::move(text));
  if (!source) return true;
  const SyntaxTree edited = original.ParseEdited(*source, edits, parser);
  return edited.unparsed().size() > original.unparsed().size();
}

}  // namespace

FileMigration SkippedFile(const std::string& path, Text reason) {
  FileMigration result;
  result.outcome.file = path;
  result.outcome.status = FileOutcome::Status::kSkipped;
  result.outcome.reason = reason;
  result.outcome.left_open = 1;
  result.records.push_back(WholeFile(path, Operation::kSkipped, std::move(reason)));
  return result;
}

FileMigration ResultOf(const Selection& selection, const EditList& edits, const SourceFile& source,
                       const FileMigrationOptions& options,
                       const std::function<bool(std::string)>& is_broken) {
  FileMigration result;
  result.outcome.file = source.path();
  for (const Finding& finding : selection.open()) {
    result.records.push_back(RecordOf(finding, source));
  }
  result.outcome.left_open = static_cast<uint32_t>(result.records.size());
  if (edits.empty()) return result;
  std::string text = edits.ApplyTo(source.bytes());
  if (is_broken(text)) {
    result.outcome.status = FileOutcome::Status::kFailed;
    result.outcome.reason =
        Say("the edits would break the file, so it was left as it is; please report this",
            "修改会破坏该文件, 因此保持原样; 请反馈此问题");
    result.outcome.left_open += 1;
    result.records.push_back(WholeFile(source.path(), Operation::kFailed, result.outcome.reason));
    return result;
  }
  result.outcome.status = FileOutcome::Status::kMigrated;
  for (const Finding& finding : selection.accepted()) {
    result.records.push_back(RecordOf(finding, source));
  }
  result.outcome.edits = static_cast<uint32_t>(selection.accepted().size());
  if (options.with_diff) result.diff = UnifiedDiff(source, edits);
  if (options.with_edits) {
    for (const EditList::Accepted& accepted : edits.edits()) {
      result.edits.push_back(accepted.edit);
    }
  }
  result.text = std::move(text);
  return result;
}

FileMigration MigrateFile(const std::string& path, std::string bytes, const Engine& engine,
                          const ProjectIndex* project, Parser& parser,
                          const FileMigrationOptions& options) {
  FileMigration result;
  result.outcome.file = path;
  const WordFilter::FileWords words = engine.Scan(bytes);
  const bool is_of_interest = words.any_rule() || Suppressions::MayBeIn(bytes);
  Result<SourceFile> source = SourceFile::FromBytes(path, std::move(bytes));
  if (!source) return SkippedFile(path, source.error().what);
  if (options.prefilter && !is_of_interest) return result;
  const SyntaxTree tree = SyntaxTree::Parse(*source, parser);
  if (!is_of_interest) return result;

  const FileContext file(tree, engine.apis(), project, options.framework, options.tensorflow);
  Selection selection(*source);
  Suppressions suppressions(tree);
  std::vector<Finding> findings = engine.Check(file, words);
  const auto suppressed =
      std::stable_partition(findings.begin(), findings.end(),
                            [&](const Finding& finding) { return !suppressions.Cover(finding); });
  const std::vector<Finding> decided(suppressed, findings.end());
  findings.erase(suppressed, findings.end());
  std::erase_if(findings,
                [&](const Finding& finding) { return RunsWithoutNpu(file, finding.range); });
  LeaveServedBranches(tree, findings);
  if (options.guard_imports) GuardMovedImports(file, findings);
  selection.Add(std::move(findings));
  if (options.insert_npu_import) {
    std::vector<Finding> half = HalfMigrated(file, selection.edits(), selection.open(), decided);
    std::erase_if(half, [&](const Finding& finding) { return suppressions.Cover(finding); });
    selection.Add(std::move(half));
  }
  selection.Add(suppressions.Unused());
  if (options.insert_npu_import) {
    selection.Add(RequiredImports(file, selection.accepted(), selection.edits(),
                                  {engine.preambles(), options.guard_imports}));
  }
  selection.Add(AdapterImports(file, selection.accepted(), selection.imports(), selection.edits()));
  for (TextRange range : tree.unparsed()) selection.Add(Unparsed(range));
  const EditList edits =
      options.mark ? WithModifyMarks(tree, selection.edits()) : selection.edits();
  return ResultOf(selection, edits, *source, options,
                  [&](std::string text) { return IsBroken(std::move(text), tree, edits, parser); });
}

}  // namespace transplt
