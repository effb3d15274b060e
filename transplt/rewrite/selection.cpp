// SPDX-License-Identifier: Apache-2.0
#include "transplt/rewrite/selection.h"

#include <algorithm>
#include <utility>

namespace transplt {
namespace {

constexpr uint32_t kShownLine = 400;  // bytes of a source line that a record keeps
constexpr uint32_t kShownGap = 240;   // bytes between two edits of a fix that a record keeps

/// The text of `whole` without and with the edits of `finding`. What lies between edits that are
/// far from each other, an import and the calls of what it imports, is left out.
std::pair<std::string, std::string> BeforeAndAfter(const Finding& finding, TextRange whole,
                                                   std::string_view bytes) {
  std::vector<Edit> edits = finding.fix.edits;
  std::sort(edits.begin(), edits.end(),
            [](const Edit& a, const Edit& b) { return a.range.start < b.range.start; });
  std::pair<std::string, std::string> texts;
  const auto add_both = [&](std::string_view text) {
    texts.first += text;
    texts.second += text;
  };
  uint32_t copied = whole.start;
  for (const Edit& edit : edits) {
    const TextRange gap{copied, edit.range.start};
    const bool is_far = copied > finding.range.end && gap.end - gap.start > kShownGap;
    add_both(is_far ? "\n...\n" : gap.In(bytes));
    texts.first += edit.range.In(bytes);
    texts.second += edit.text;
    copied = edit.range.end;
  }
  add_both(TextRange{copied, whole.end}.In(bytes));
  return texts;
}

}  // namespace

void Selection::Add(std::vector<Finding> findings) {
  for (Finding& finding : findings) Add(std::move(finding));
}

void Selection::Add(Finding finding) {
  const bool is_free = decisions_ == nullptr && declined_ == nullptr;
  Take(std::move(finding), is_free ? edits_ : with_rejected_);
  chosen_ = accepted_.size();
}

void Selection::AddWhatFollows(std::vector<Finding> findings) {
  for (Finding& finding : findings) Take(std::move(finding), edits_);
}

/// `deciding` holds the edits that a fix must not conflict with.
void Selection::Take(Finding finding, EditList& deciding) {
  if (finding.applicability == Applicability::kDisplayOnly) {
    Leave(std::move(finding));
    return;
  }
  if (finding.fix.empty() && !finding.needs_adapter.empty()) {
    imports_.push_back(std::move(finding));
    return;
  }
  const size_t before = deciding.edits().size();
  const auto conflict = deciding.TryAdd(finding.fix, finding.rule_id);
  if (conflict && deciding_rules_.contains(conflict->rule_id)) return;
  if (conflict) {
    finding.applicability = Applicability::kDisplayOnly;
    finding.operation = Operation::kSuggestion;
    const Text other = Say("conflicts with rule {} at line {}, which came first: ",
                           "与第 {1} 行先执行的规则 {0} 冲突: ", conflict->rule_id,
                           source_.Locate(conflict->range.start).line);
    finding.message = {other.en + finding.message.en, other.zh + finding.message.zh};
    finding.fix = {};
    Leave(std::move(finding));
  } else if (deciding.edits().size() > before) {
    if (finding.takes_over) deciding_rules_.insert(finding.rule_id);
    if (&deciding != &edits_ && DecisionOf(finding) == kReject) {
      rejected_.push_back(std::move(finding));
      return;
    }
    // What fits beside all fixes also fits beside some of them.
    if (&deciding != &edits_) static_cast<void>(edits_.TryAdd(finding.fix, finding.rule_id));
    accepted_.push_back(std::move(finding));
  }  // else another finding has made the same edits already
}

std::string Selection::DecisionOf(const Finding& finding) const {
  if (decisions_ != nullptr) {
    const auto known = decisions_->find({source_.path(), finding.range, finding.rule_id});
    if (known != decisions_->end()) return known->second;
  }
  const bool is_declined = declined_ != nullptr && (*declined_)(RecordOf(finding, source_));
  return std::string(is_declined ? kReject : std::string_view());
}

void Selection::Leave(Finding finding) {
  const auto key = std::make_tuple(finding.range.start, finding.range.end, finding.message.en);
  if (seen_.insert(key).second) open_.push_back(std::move(finding));
}

ChangeRecord RecordOf(const Finding& finding, const SourceFile& source) {
  ChangeRecord record;
  record.file = source.path();
  record.operation = finding.operation;
  record.message = finding.message;
  record.rule_id = finding.rule_id;
  record.range = finding.range;
  record.cause = finding.cause.empty() ? finding.rule_id : finding.cause;
  record.severity = SeverityOf(finding);
  record.applicability = finding.applicability;
  record.unimported = finding.unimported;
  record.needed_by = finding.needed_by;
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
  const auto [before, after] = BeforeAndAfter(finding, whole, source.bytes());
  record.before = source.Decode(before);
  if (!finding.fix.empty()) record.after = source.Decode(after);
  return record;
}

}  // namespace transplt
