// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transplt/base/text_range.h"
#include "transplt/syntax/open_ends.h"
#include "transplt/syntax/source_lines.h"

namespace transplt {

/// Cuts what is not valid Python out of the text that the parser sees, so that one broken
/// function does not hide the rest of its file. Works on lines and indentation, which stay
/// trustworthy when brackets or quotes do not close.
class BrokenParts {
 public:
  /// How many bytes of a piece of text are not valid Python.
  using CountErrors = std::function<size_t(std::string_view)>;

  BrokenParts(std::string_view text, CountErrors count_errors)
      : text_(text), count_errors_(std::move(count_errors)) {}

  /// Overwrites in `masked` what `errors` show to be broken by blanks and a `pass`, keeping every
  /// line end: first, all at once, the lines that are not meant for Python (conflict markers,
  /// `%magic`, `{% if %}`); then the function, or outside of functions the statement, in which a
  /// bracket or quote does not close, or that does not parse on its own; if that is hidden
  /// already, the next larger block. False if nothing is left to hide: the errors then stay in
  /// the tree, as those inside one line always do, because the parser recovers well from them.
  bool Hide(std::string& masked, const std::vector<TextRange>& errors);

  /// The parts hidden so far, sorted, without overlap.
  const std::vector<TextRange>& hidden() const { return hidden_; }

  /// The lines of `range` from the first character that is not blank.
  TextRange WholeLines(TextRange range);

 private:
  static constexpr size_t kMaxQuotes = 16;  // each costs a round of the parser

  /// Whole lines, from the first to one past the last.
  struct Part {
    size_t first;
    size_t last;
  };

  const SourceLines& Lines();  // most files have no error, and are not cut into lines
  bool HideForeignLines(std::string& masked, const OpenEnds& open);
  bool HideConflictMarkers(std::string& masked);
  bool HideOpenString(std::string& masked, const OpenEnds& open);
  bool HideCulprits(std::string& masked, TextRange error, const OpenEnds& open);
  bool HideAround(std::string& masked, uint32_t offset, const OpenEnds& open);
  /// The smallest part with `offset` in it that is not hidden yet.
  std::optional<Part> PartAround(uint32_t offset, const OpenEnds& open);
  bool IsHidden(Part part);
  TextRange RangeOf(Part part);
  void Hide(std::string& masked, Part part, bool keep_block);
  void Blank(std::string& masked, Part part, bool keep_block);
  bool SpansLines(TextRange error);

  std::string_view text_;
  CountErrors count_errors_;
  std::optional<SourceLines> lines_;
  std::vector<TextRange> hidden_;
  std::set<uint32_t> quotes_tried_;
  bool foreign_lines_are_hidden_ = false;
};

}  // namespace transplt
