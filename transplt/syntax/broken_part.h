// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transplt/base/text_range.h"
#include "transplt/syntax/open_ends.h"
#include "transplt/syntax/source_lines.h"
#include "transplt/syntax/statement_lines.h"
#include "transplt/syntax/syntax_error.h"

namespace transplt {

/// Cuts what is not valid Python out of the text that the parser sees, so that one broken
/// function does not hide the rest of its file. Works on lines and indentation, which stay
/// trustworthy when brackets or quotes do not close.
class BrokenParts {
 public:
  BrokenParts(std::string_view text, CountErrors count_errors)
      : text_(text), count_errors_(std::move(count_errors)) {}

  /// Overwrites in `masked` what `errors` (sorted, disjoint) show to be broken by blanks and a
  /// `pass`, keeping every line end: first the lines that are not meant for Python (conflict
  /// markers, `%magic`, `{% if %}`); then the functions, or outside of functions the statements,
  /// in which a bracket or quote does not close, or that do not parse on their own (where the
  /// head alone is wrong, that); what holds them, if they are hidden already. False if nothing is
  /// left to hide: the errors then stay in the tree, as those inside one line always do, because
  /// the parser recovers well from them.
  bool Hide(std::string& masked, const std::vector<SyntaxError>& errors);

  /// Hides, before anything is parsed, the statements with brackets that do not close, if these are
  /// so many that the parser would take a time that grows with the square of their number.
  bool HideManyOpenBrackets(std::string& masked);

  /// The parts hidden so far, sorted, without overlap.
  const std::vector<TextRange>& hidden() const { return hidden_; }

  /// The lines of `range` from the first character that is not blank.
  TextRange WholeLines(TextRange range);

 private:
  const SourceLines& Lines();  // most files have no error, and are not cut into lines
  bool HideForeignLines(std::string& masked, const OpenEnds& open);
  bool HideConflictMarkers(std::string& masked);
  bool HideOpenString(std::string& masked, const OpenEnds& open, size_t errors);
  bool HideOpenBrackets(std::string& masked, const OpenEnds& open,
                        const std::vector<SyntaxError>& errors);
  bool HideLargeErrors(std::string& masked, const OpenEnds& open,
                       const std::vector<SyntaxError>& errors);
  bool MaskClosingBrackets(std::string& masked, const OpenEnds& open,
                           const std::vector<SyntaxError>& errors);
  bool IsLarge(const SyntaxError& error, const OpenEnds& open);
  /// Puts a head without mistakes in place of that of a class or an `if`; false if there is no
  /// room for it.
  bool ReplaceHead(std::string& masked, size_t line);
  /// The smallest part with `offset` in it that is not hidden yet.
  std::optional<LinePart> PartAround(uint32_t offset, const OpenEnds& open);
  bool IsHidden(TextRange range) const;
  TextRange RangeOf(LinePart part);
  void HideLines(std::string& masked, LinePart part, bool keep_block);
  void AddHidden(TextRange range);
  void Blank(std::string& masked, LinePart part, bool keep_block);

  std::string_view text_;
  CountErrors count_errors_;
  std::optional<SourceLines> lines_;
  std::vector<TextRange> hidden_;
  std::set<uint32_t> quotes_tried_;
  bool foreign_lines_are_hidden_ = false;
};

}  // namespace transplt
