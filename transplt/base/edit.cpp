// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/edit.h"

#include <algorithm>
#include <iterator>
#include <variant>

namespace transplt {
namespace {

/// An insertion may touch the border of a replacement, but not lie inside it, and not share
/// its place with another insertion.
bool Conflicting(const Edit& a, const Edit& b) {
  if (a.range.empty() && b.range.empty()) return a.range.start == b.range.start;
  if (a.range.empty()) return b.range.start < a.range.start && a.range.start < b.range.end;
  if (b.range.empty()) return a.range.start < b.range.start && b.range.start < a.range.end;
  return a.range.Overlaps(b.range);
}

/// True if an equal edit, accepted for another reason, does the work of this one too.
bool Merges(const Edit& edit) {
  return !edit.range.empty() || edit.text.ends_with('\n') || edit.text.ends_with('\r');
}

/// The edits of a fix that do something, in the order of the text and each once.
/// Fails with the first edit that is malformed or conflicts with another one of the fix.
std::variant<std::vector<const Edit*>, TextRange> InOrder(const Fix& fix) {
  std::vector<const Edit*> edits;
  for (const Edit& edit : fix.edits) {
    if (edit.range.end < edit.range.start) return edit.range;
    if (!edit.range.empty() || !edit.text.empty()) edits.push_back(&edit);
  }
  std::stable_sort(edits.begin(), edits.end(),
                   [](const Edit* a, const Edit* b) { return EditList::ByPlace()(*a, *b); });
  const auto same = [](const Edit* a, const Edit* b) { return *a == *b && Merges(*a); };
  edits.erase(std::unique(edits.begin(), edits.end(), same), edits.end());
  // In this order, if any two edits conflict, then so do two neighbours.
  const auto clash = std::adjacent_find(
      edits.begin(), edits.end(), [](const Edit* a, const Edit* b) { return Conflicting(*a, *b); });
  if (clash != edits.end()) return (*clash)->range;
  return edits;
}

}  // namespace

const EditList::Accepted* EditList::Counterpart(const Edit& edit) const {
  // Accepted edits are sorted and do not conflict, so that whatever conflicts with `edit` makes
  // one of the two neighbours of its place conflict with it.
  const auto after = edits_.lower_bound(edit);
  if (after != edits_.end() && (after->edit == edit || Conflicting(after->edit, edit))) {
    return &*after;
  }
  if (after != edits_.begin() && Conflicting(std::prev(after)->edit, edit)) {
    return &*std::prev(after);
  }
  return nullptr;
}

std::optional<EditList::Conflict> EditList::TryAdd(const Fix& fix, std::string_view rule_id) {
  const auto ordered = InOrder(fix);
  if (const auto* clash = std::get_if<TextRange>(&ordered)) {
    return Conflict{*clash, std::string(rule_id)};
  }
  std::vector<const Edit*> fresh;
  const Accepted* equal_insertion = nullptr;
  for (const Edit* edit : std::get<0>(ordered)) {
    const Accepted* there = Counterpart(*edit);
    if (there == nullptr) {
      fresh.push_back(edit);
    } else if (there->edit != *edit) {
      return Conflict{there->edit.range, there->rule_id};
    } else if (!Merges(*edit)) {
      equal_insertion = there;
    }
  }
  if (equal_insertion != nullptr && !fresh.empty()) {
    return Conflict{equal_insertion->edit.range, equal_insertion->rule_id};
  }
  for (const Edit* edit : fresh) edits_.insert(Accepted{*edit, std::string(rule_id)});
  return std::nullopt;
}

std::string EditList::ApplyTo(std::string_view original) const {
  size_t size = original.size();
  for (const Accepted& accepted : edits_) {
    size += accepted.edit.text.size();
    size -= accepted.edit.range.size();
  }
  std::string result;
  result.reserve(size);
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
