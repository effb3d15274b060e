// SPDX-License-Identifier: Apache-2.0
#include "transplt/review/suppression.h"

#include <algorithm>
#include <utility>

#include "transplt/base/text_parts.h"
#include "transplt/report/record_place.h"

namespace transplt {
namespace {

using Entries = std::vector<Policy::DeclinedEdits>;

bool AreCovered(const Entries& entries, const ChangeRecord& record) {
  return std::ranges::any_of(entries, [&](const auto& entry) { return entry.Cover(record); });
}

/// The first edit that `entry` covers and that is not rejected; null if there is none.
const RecordedFix* WantedIn(const Review& review, const Policy::DeclinedEdits& entry) {
  for (const RecordedFix& fix : review.fixes()) {
    if (!review.IsRejected(fix) && entry.Cover(fix.record)) return &fix;
  }
  return nullptr;
}

}  // namespace

Result<Entries> EntriesFor(const Review& review, const std::vector<size_t>& chosen,
                           const Entries& wider, const Entries& known, const std::string& reason) {
  Entries entries;
  for (const Policy::DeclinedEdits& entry : wider) {
    const bool is_new = std::ranges::any_of(chosen, [&](size_t fix) {
      const ChangeRecord& record = review.fixes()[fix].record;
      return entry.Cover(record) && !AreCovered(known, record) && !AreCovered(entries, record);
    });
    if (is_new && WantedIn(review, entry) == nullptr) {
      entries.push_back(entry);
      entries.back().reason = reason;
    }
  }
  for (const size_t fix : chosen) {
    const ChangeRecord& record = review.fixes()[fix].record;
    if (AreCovered(known, record) || AreCovered(entries, record)) continue;
    Policy::DeclinedEdits entry;
    entry.file = record.file;
    entry.rule = record.rule_id;
    entry.line_text = Trimmed(record.source_line);
    entry.reason = reason;
    if (const RecordedFix* wanted = WantedIn(review, entry); wanted != nullptr) {
      return Error{Error::Code::kUsage, PlaceOf("", record),
                   Say("{} tells lines apart by their text, and {} has the same edit in the same "
                       "text, which is not rejected: reject both, or write the comment "
                       "`transplt: ignore[{}]` here",
                       "{} 按文本区分各行, 而 {} 处的文本与修改相同且未被拒绝: 请一并拒绝, "
                       "或在此处写注释 `transplt: ignore[{}]`",
                       kPolicyFile, PlaceOf("", wanted->record), record.rule_id)};
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace transplt
