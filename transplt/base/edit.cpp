// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/edit.h"

#include <algorithm>

namespace transplt {
namespace {

bool Before(const Edit& a, const Edit& b) {
  if (a.range.start != b.range.start) return a.range.start < b.range.start;
  return a.range.end < b.range.end;
}

/// An insertion may touch the border of a replacement, but not lie inside it, and not share
/// its place with another insertion.
bool Conflicting(const Edit& a, const Edit& b) {
  if (a.range.empty() && b.range.empty()) return a.range.start == b.range.start;
  if (a.range.empty()) return b.range.start < a.range.start && a.range.start < b.range.end;
  if (b.range.empty()) return a.range.start < b.range.start && b.range.start < a.range.end;
  return a.range.Overlaps(b.range);
}

}  // namespace

std::optional<EditList::Conflict> EditList::TryAdd(const Fix& fix, std::string_view rule_id) {
  std::vector<const Edit*> fresh;
  for (const Edit& edit : fix.edits) {
    // Accepted edits are disjoint and sorted, so only the neighbours of the insertion point can
    // conflict; two before it, because an insertion may share a start with a replacement.
    auto after = std::lower_bound(
        edits_.begin(), edits_.end(), edit,
        [](const Accepted& accepted, const Edit& e) { return Before(accepted.edit, e); });
    auto first = after - std::min<std::ptrdiff_t>(2, after - edits_.begin());
    auto last = after + std::min<std::ptrdiff_t>(2, edits_.end() - after);
    bool merged = false;
    for (auto it = first; it != last; ++it) {
      if (it->edit == edit) {
        merged = true;
      } else if (Conflicting(it->edit, edit)) {
        return Conflict{it->edit.range, it->rule_id};
      }
    }
    if (!merged) fresh.push_back(&edit);
  }
  for (const Edit* edit : fresh) {
    auto place = std::upper_bound(
        edits_.begin(), edits_.end(), *edit,
        [](const Edit& e, const Accepted& accepted) { return Before(e, accepted.edit); });
    edits_.insert(place, Accepted{*edit, std::string(rule_id)});
  }
  return std::nullopt;
}

std::string EditList::ApplyTo(std::string_view original) const {
  std::string result;
  result.reserve(original.size() + 64 * edits_.size());
  uint32_t copied = 0;
  for (const Accepted& accepted : edits_) {
    const TextRange range = accepted.edit.range;
    result.append(original.substr(copied, range.start - copied));
    result.append(accepted.edit.text);
    copied = range.end;
  }
  result.append(original.substr(copied));
  return result;
}

}  // namespace transplt
