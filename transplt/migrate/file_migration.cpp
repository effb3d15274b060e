// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/file_migration.h"

#include <algorithm>
#include <utility>

#include "transplt/migrate/adapter_imports.h"
#include "transplt/migrate/command_strings.h"
#include "transplt/migrate/consistency.h"
#include "transplt/migrate/cuda_sides.h"
#include "transplt/migrate/modify_marks.h"
#include "transplt/migrate/moved_imports.h"
#include "transplt/migrate/required_imports.h"
#include "transplt/migrate/suppressions.h"

namespace transplt {
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
  for (Finding& finding : CheckCommandStrings(file, engine)) findings.push_back(std::move(finding));
  const auto suppressed =
      std::stable_partition(findings.begin(), findings.end(),
                            [&](const Finding& finding) { return !suppressions.Cover(finding); });
  std::vector<Finding> decided(suppressed, findings.end());
  findings.erase(suppressed, findings.end());
  std::erase_if(findings,
                [&](const Finding& finding) { return RunsWithoutNpu(file, finding.range); });
  if (const GuardSignatures* guards = engine.guards(); guards != nullptr && !findings.empty()) {
    for (TextRange kept : KeepCudaSides(file, *guards, options.code, findings)) {
      decided.emplace_back();
      decided.back().range = kept;
    }
  }
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
  for (TextRange range : tree.unparsed()) selection.Add(UnparsedPart(range));
  const EditList edits =
      options.mark ? WithModifyMarks(tree, selection.edits()) : selection.edits();
  return ResultOf(selection, edits, *source, {options.with_diff, options.with_edits},
                  [&](std::string text) { return IsBroken(std::move(text), tree, edits, parser); });
}

}  // namespace transplt
