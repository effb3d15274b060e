// SPDX-License-Identifier: Apache-2.0
#include "transplt/rewrite/file_result.h"

#include "transplt/report/unified_diff.h"

namespace transplt {
namespace {

ChangeRecord WholeFile(const std::string& path, Operation operation, Text message) {
  ChangeRecord record;
  record.file = path;
  record.operation = operation;
  record.applicability = Applicability::kDisplayOnly;
  record.rule_id = record.cause = "file";
  record.severity = Severity::kMayGoWrong;
  record.message = std::move(message);
  return record;
}

}  // namespace

Finding UnparsedPart(TextRange range) {
  return RowAt(
      range, "syntax",
      Say("not valid Python: this part was not looked at", "不是合法的 Python: 未处理该部分"),
      Operation::kUnparsed, Severity::kStopsImport);
}

bool IsBroken(std::string text, const SyntaxTree& original, const EditList& edits, Parser& parser) {
  const Result<SourceFile> source =
      SourceFile::FromBytes(original.source().path(), std::move(text));
  if (!source) return true;
  const SyntaxTree edited = original.ParseEdited(*source, edits, parser);
  return edited.unparsed().size() > original.unparsed().size();
}

FileResult SkippedFile(const std::string& path, Text reason) {
  FileResult result;
  result.outcome.file = path;
  result.outcome.status = FileOutcome::Status::kSkipped;
  result.outcome.reason = reason;
  result.outcome.left_open = 1;
  result.records.push_back(WholeFile(path, Operation::kSkipped, std::move(reason)));
  return result;
}

FileResult ResultOf(const Selection& selection, const EditList& edits, const SourceFile& source,
                    ResultParts parts, const std::function<bool(std::string)>& is_broken) {
  FileResult result;
  result.outcome.file = source.path();
  for (const Finding& finding : selection.open()) {
    result.records.push_back(RecordOf(finding, source));
  }
  result.outcome.left_open = static_cast<uint32_t>(result.records.size());
  for (const Finding& finding : selection.rejected()) {
    result.records.push_back(RecordOf(finding, source));
    result.records.back().decision = kReject;
  }
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
  for (size_t i = 0; i < selection.accepted().size(); ++i) {
    const Finding& finding = selection.accepted()[i];
    ChangeRecord& record = result.records.emplace_back(RecordOf(finding, source));
    record.follows = i >= selection.chosen();
    if (!record.follows) record.decision = selection.DecisionOf(finding);
  }
  result.outcome.edits = static_cast<uint32_t>(selection.accepted().size());
  if (parts.diff) result.diff = UnifiedDiff(source, edits);
  if (parts.edits) {
    for (const EditList::Accepted& accepted : edits.edits()) {
      result.edits.push_back(accepted.edit);
    }
  }
  result.text = std::move(text);
  return result;
}

}  // namespace transplt
