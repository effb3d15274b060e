// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/finding.h"
#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// What the comments of a file tell rules to leave alone:
///
///   x.cuda()  # transplt: ignore[.cuda]       this line, or, if the comment stands alone, the next
///   # transplt: ignore-start[.cuda] ... # transplt: ignore-end          the lines between
///   # transplt: ignore-file[.cuda]                                      the whole file
///
/// Several rules are separated by commas; without brackets all rules are meant.
class Suppressions {
 public:
  /// True for a text that can hold such a comment: cheap, and asked before anything is parsed.
  static bool MayBeIn(std::string_view bytes);

  explicit Suppressions(const SyntaxTree& tree);

  /// True if a comment covers the first line of the finding; remembers that the comment was of use.
  bool Cover(const Finding& finding);
  /// A finding for each comment that covered nothing, and for each that is not well-formed.
  Findings Unused() const;

 private:
  struct Comment {
    TextRange range;
    uint32_t first_line;
    uint32_t last_line;
    std::vector<std::string> rules;  // empty: all
    bool is_used = false;
  };
  void Read(Node comment);
  void Refuse(TextRange range, Text why);

  const SourceFile& source_;
  std::vector<Comment> comments_;
  std::vector<size_t> open_;  // those of ignore-start without ignore-end so far
  Findings refused_;
};

}  // namespace transplt
