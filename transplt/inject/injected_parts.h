// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/finding.h"
#include "transplt/syntax/syntax_tree.h"

namespace transplt {

inline constexpr std::string_view kInjectBegin = "# transplt-inject: begin";
inline constexpr std::string_view kInjectEnd = "# transplt-inject: end";
/// Followed by the number of lines; then the original lines, each behind kInjectOriginal; then the
/// lines that stand for them.
inline constexpr std::string_view kInjectReplaced = "# transplt-inject: replaced ";
inline constexpr std::string_view kInjectOriginal = "#|";

/// What an earlier run has put into a file, known by its comments alone (text in a string literal
/// is none):
///
///     # transplt-inject: begin            lines that were added; may end with a word, the tag
///     # transplt-inject: end
///
///     # transplt-inject: replaced 1       one line, with what stood there before
///     #|sess = tf.Session()
///     sess = tf.Session(config=session_config)
class InjectedParts {
 public:
  explicit InjectedParts(const SyntaxTree& tree);

  struct Part {
    uint32_t first_line = 0;  ///< of the comment
    uint32_t last_line = 0;   ///< last of what was injected, or `end`
    uint32_t originals = 0;   ///< lines that were kept; 0: everything was added
    uint32_t count = 0;       ///< lines that replace them
    std::string_view tag;     ///< the word behind `begin` or the number: what has put it there
  };
  const std::vector<Part>& parts() const { return parts_; }
  /// Comments that do not belong to a whole part: somebody has edited them.
  const std::vector<uint32_t>& broken() const { return broken_; }
  /// The part that holds `line`, or null.
  const Part* At(uint32_t line) const;

  /// What takes the parts out again, one finding each; display-only for what cannot be. With
  /// `tag` only those that bear it. A block that would hold no statement any more gets a `pass`.
  Findings Removals(std::optional<std::string_view> tag = std::nullopt) const;

 private:
  std::string_view Line(uint32_t line) const;  // without indentation
  std::string_view Comment(uint32_t line) const;
  std::set<uint32_t> LastLinesOfBlocks(const std::vector<const Part*>& removed) const;
  uint32_t StartOf(uint32_t line) const;  // behind the byte order mark
  TextRange WholeLines(uint32_t first, uint32_t last) const;
  std::optional<Part> ReplacedAt(uint32_t line) const;
  std::optional<Part> AddedAt(uint32_t line) const;
  Finding Removal(const Part& part, bool needs_pass) const;

  const SyntaxTree& tree_;
  const SourceFile& source_;
  std::set<uint32_t> comments_;  // where they start
  std::vector<Part> parts_;
  std::vector<uint32_t> broken_;
};

}  // namespace transplt
