// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transplt/base/text_range.h"

namespace transplt {

/// Cuts what is not valid Python out of the text that the parser sees, so that one broken
/// function does not hide the rest of its file. Works on indentation alone, which is what stays
/// trustworthy when brackets or quotes do not close.
class BrokenParts {
 public:
  explicit BrokenParts(std::string_view text);

  /// Overwrites in `masked` the smallest definition or block around the first of `errors` by
  /// blanks and a `pass`, keeping every line end; on a second error in a part already hidden the
  /// next larger part. False if nothing is left to hide: the error then stays in the tree.
  /// Errors that stay inside one line are left to the parser, which recovers well from them.
  bool Hide(std::string& masked, const std::vector<TextRange>& errors);

  /// The parts hidden so far, sorted, without overlap.
  const std::vector<TextRange>& hidden() const { return hidden_; }

  /// The lines of the error, as the range to report and to leave alone.
  TextRange StatementAround(TextRange error);

 private:
  struct Line {
    uint32_t start;
    uint32_t end;     // without the line end
    uint32_t indent;  // column of the first character that is not blank
    bool blank;       // nothing but blanks or a comment
  };

  void ReadLines();  // on the first error: most files have none
  size_t LineOf(uint32_t offset) const;
  std::string_view Code(const Line& line) const;
  /// First and one-past-last line of the part that starts at the definition or statement above
  /// `line` whose indentation is at most `limit`.
  std::pair<size_t, size_t> PartAround(size_t line, uint32_t limit) const;
  bool IsDefinition(const Line& line) const;
  /// A line that cannot begin a part: a closing bracket, `else`, `except` ...
  bool IsContinuation(const Line& line) const;
  bool StartsStatement(const Line& line) const;
  std::optional<uint32_t> UnclosedBefore(std::string_view text, TextRange error) const;
  void HideLines(std::string& masked, size_t first, size_t last);

  std::string_view text_;
  std::vector<Line> lines_;
  std::vector<TextRange> hidden_;
};

}  // namespace transplt
