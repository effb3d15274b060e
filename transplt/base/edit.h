// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transplt/base/text_range.h"

namespace transplt {

/// Replaces `range` of the original bytes by `text`. Empty range: insertion. Empty text: deletion.
struct Edit {
  TextRange range;
  std::string text;

  friend bool operator==(const Edit&, const Edit&) = default;
};

/// The edits that belong together: they are accepted as a whole or not at all.
struct Fix {
  std::vector<Edit> edits;

  bool empty() const { return edits.empty(); }
  void Replace(TextRange range, std::string text) { edits.push_back({range, std::move(text)}); }
  void Insert(uint32_t at, std::string text) { Replace({at, at}, std::move(text)); }
};

/// The accepted edits of one file. All ranges refer to the bytes as read, so the order in which
/// rules run cannot shift an offset.
class EditList {
 public:
  struct Accepted {
    Edit edit;
    std::string rule_id;
  };

  /// The order of the text; an insertion stands before a replacement that starts at its place.
  struct ByPlace {
    using is_transparent = void;
    static std::pair<uint32_t, uint32_t> PlaceOf(const Edit& edit) {
      return {edit.range.start, edit.range.end};
    }
    static std::pair<uint32_t, uint32_t> PlaceOf(const Accepted& accepted) {
      return PlaceOf(accepted.edit);
    }
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return PlaceOf(a) < PlaceOf(b);
    }
  };

  /// What stands in the way of a fix: an edit accepted earlier, or, where the fix conflicts with
  /// itself, an edit of its own.
  struct Conflict {
    TextRange range;
    std::string rule_id;

    friend bool operator==(const Conflict&, const Conflict&) = default;
  };

  /// Adds all edits of `fix`, or none and says what they would conflict with. Two edits conflict
  /// if they share a byte, if one inserts inside the range of the other, or if both insert at one
  /// place, because their order would be arbitrary.
  ///
  /// An equal edit is not made twice: a replacement and the insertion of whole lines merge with
  /// the one that is there. A fix of which every edit is there already is accepted as well. But
  /// an equal insertion inside a line conflicts otherwise: two fixes that each wrap a call, `f(`
  /// before and `)` behind it, need two brackets where the calls end at the same place.
  ///
  /// An edit that does nothing (empty range, empty text) is passed over.
  [[nodiscard]] std::optional<Conflict> TryAdd(const Fix& fix, std::string_view rule_id);

  /// The original with all edits made; every range must lie inside it.
  std::string ApplyTo(std::string_view original) const;

  bool empty() const { return edits_.empty(); }
  /// Sorted by place, pairwise disjoint.
  const std::set<Accepted, ByPlace>& edits() const { return edits_; }
  /// The first of them that starts at `offset` or behind it.
  std::set<Accepted, ByPlace>::const_iterator From(uint32_t offset) const {
    return edits_.lower_bound(Edit{{offset, 0}, {}});
  }

 private:
  /// The accepted edit that equals `edit` or else conflicts with it; null if there is none.
  const Accepted* Counterpart(const Edit& edit) const;

  std::set<Accepted, ByPlace> edits_;  // no two have the same place: they would conflict
};

}  // namespace transplt
