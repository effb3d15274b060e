// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
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
};

/// The accepted edits of one file. All ranges refer to the bytes as read, so the order in which
/// rules run cannot shift an offset.
class EditList {
 public:
  struct Accepted {
    Edit edit;
    std::string rule_id;
  };

  /// What stands in the way of a fix: the edit accepted earlier.
  struct Conflict {
    TextRange range;
    std::string rule_id;
  };

  /// Adds all edits of `fix`, or none and says which accepted edit they would overlap.
  /// An edit equal to an accepted one merges with it. Two different insertions at one place
  /// conflict, because their order would be arbitrary.
  [[nodiscard]] std::optional<Conflict> TryAdd(const Fix& fix, std::string_view rule_id);

  std::string ApplyTo(std::string_view original) const;

  bool empty() const { return edits_.empty(); }
  /// Sorted by place, pairwise disjoint.
  const std::vector<Accepted>& edits() const { return edits_; }

 private:
  std::vector<Accepted> edits_;
};

}  // namespace transplt
