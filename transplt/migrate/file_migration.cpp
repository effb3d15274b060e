// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/file_migration.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "transplt/migrate/npu_import.h"
#include "transplt/report/unified_diff.h"

namespace transplt {
namespace {

constexpr uint32_t kShownLine = 400;  // bytes of a source line that a record keeps

/// The fixes that are carried out, and everything that is reported.
class Selection {
 public:
  explicit Selection(const SourceFile& source) : source_(source) {}

  void Add(std::vector<Finding> findings) {
    for (Finding& finding : findings) Add(std::move(finding));
  }

  void Add(Finding finding) {
    if (finding.applicability == Applicability::kDisplayOnly) {
      Leave(std::move(finding));
      return;
    }
    const size_t before = edits_.edits().size();
    const auto conflict = edits_.TryAdd(finding.fix, finding.rule_id);
    if (conflict) {
      finding.applicability = Applicability::kDisplayOnly;
      finding.operation = Operation::kSuggestion;
      finding.message = Say("conflicts with rule {} at line {}, which came first: {}",
                            "与第 {1} 行先执行的规则 {0} 冲突: {2}", conflict->rule_id,
                            source_.Locate(conflict->range.start).line, finding.message.en);
      finding.fix = {};
      Leave(std::move(finding));
    } else if (edits_.edits().size() > before) {
      accepted_.push_back(std::move(finding));
    }  // else another finding has made the same edits already
  }

  const EditList& edits() const { return edits_; }
  const std::vector<Finding>& accepted() const { return accepted_; }
  const std::vector<Finding>& open() const { return open_; }

 private:
  void Leave(Finding finding) {
    const auto key = std::make_tuple(finding.range.start, finding.range.end, finding.message.en);
    if (seen_.insert(key).second) open_.push_back(std::move(finding));
  }

  const SourceFile& source_;
  EditList edits_;
  std::vector<Finding> accepted_;
  std::vector<Finding> open_;
  std::set<std::tuple<uint32_t, uint32_t, std::string>> seen_;
};

ChangeRecord RecordOf(const Finding& finding, const SourceFile& source) {
  ChangeRecord record;
  record.file = source.path();
  record.operation = finding.operation;
  record.message = finding.message;
  record.rule_id = finding.rule_id;
  record.applicability = finding.applicability;
  const LineColumn start = source.Locate(finding.range.start);
  // A range that ends with a line end belongs to the line that it ends.
  const uint32_t last = finding.range.empty() ? finding.range.start : finding.range.end - 1;
  record.start_line = start.line;
  record.end_line = source.Locate(last).line;
  record.column = start.column;
  TextRange line = source.LineRange(start.line);
  line.end = std::min(line.end, line.start + kShownLine);  // generated lines can be megabytes long
  record.source_line = source.TextOf(line);
  TextRange whole = finding.range;
  for (const Edit& edit : finding.fix.edits) {
    whole.start = std::min(whole.start, edit.range.start);
    whole.end = std::max(whole.end, edit.range.end);
  }
  record.before = source.TextOf(whole);
  if (!finding.fix.empty()) {
    std::vector<Edit> edits = finding.fix.edits;
    std::sort(edits.begin(), edits.end(),
              [](const Edit& a, const Edit& b) { return a.range.start < b.range.start; });
    std::string after;
    uint32_t copied = whole.start;
    for (const Edit& edit : edits) {
      after += TextRange{copied, edit.range.start}.In(source.bytes());
      after += edit.text;
      copied = edit.range.end;
    }
    after += TextRange{copied, whole.end}.In(source.bytes());
    record.after = source.Decode(after);
  }
  return record;
}

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

FileMigration MigrateFile(const std::string& path, std::string bytes, const Engine& engine,
                          const ProjectIndex* project, Parser& parser,
                          const FileMigrationOptions& options) {
  FileMigration result;
  result.outcome.file = path;
  const WordFilter::FileWords words = engine.Scan(bytes);
  Result<SourceFile> source = SourceFile::FromBytes(path, std::move(bytes));
  if (!source) return SkippedFile(path, source.error().what);
  if (options.prefilter && !words.any_rule()) return result;
  const SyntaxTree tree = SyntaxTree::Parse(*source, parser);
  if (!words.any_rule()) return result;

  const FileContext file(tree, engine.apis(), project);
  Selection selection(*source);
  selection.Add(engine.Check(file, words));
  if (options.insert_npu_import) {
    selection.Add(RequiredNpuImports(file, selection.accepted(), selection.edits()));
  }
  for (TextRange range : tree.unparsed()) selection.Add(Unparsed(range));

  for (const Finding& finding : selection.open()) {
    result.records.push_back(RecordOf(finding, *source));
  }
  result.outcome.left_open = static_cast<uint32_t>(result.records.size());
  if (!selection.edits().empty()) {
    std::string text = selection.edits().ApplyTo(source->bytes());
    if (IsBroken(text, tree, selection.edits(), parser)) {
      result.outcome.status = FileOutcome::Status::kFailed;
      result.outcome.reason =
          Say("the edits would break the file, so it was left as it is; please report this",
              "修改会破坏该文件, 因此保持原样; 请反馈此问题");
      result.outcome.left_open += 1;
      result.records.push_back(WholeFile(path, Operation::kFailed, result.outcome.reason));
      return result;
    }
    result.outcome.status = FileOutcome::Status::kMigrated;
    for (const Finding& finding : selection.accepted()) {
      result.records.push_back(RecordOf(finding, *source));
    }
    result.outcome.edits = static_cast<uint32_t>(selection.accepted().size());
    if (options.with_diff) result.diff = UnifiedDiff(*source, selection.edits());
    result.text = std::move(text);
  }
  return result;
}

}  // namespace transplt
