// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
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
  /// True if a piece of text is valid Python on its own.
  using Parses = std::function<bool(std::string_view)>;

  BrokenParts(std::string_view text, Parses parses) : text_(text), parses_(std::move(parses)) {}

  /// Overwrites in `masked` what `errors` show to be broken by blanks and a `pass`, keeping every
  /// line end: first, all at once, the lines that are not meant for Python (conflict markers,
  /// `%magic`, `{% if %}`); then the function, or outside of functions the statement, in which a
  /// bracket or quote does not close, or that does not parse on its own; if that is hidden
  /// already, the next larger block. False if nothing is left to hide: the errors then stay in
  /// the tree, as those inside one line always do, because the parser recovers well from them.
  bool Hide(std::string& masked, const std::vector<TextRange>& errors);

  /// The parts hidden so far, sorted, without overlap.
  const std::vector<TextRange>& hidden() const { return hidden_; }

  /// The lines of the error, as the range to report and to leave alone.
  TextRange StatementAround(TextRange error);

 private:
  const SourceLines& Lines();  // most files have no error, and are not cut into lines
  bool HideForeignLines(std::string& masked, const OpenEnds& open);
  bool HideConflictMarkers(std::string& masked);
  bool HideAround(std::string& masked, uint32_t offset, const OpenEnds& open);
  bool HideCulprits(std::string& masked, TextRange error, const OpenEnds& open);
  bool HideStatement(std::string& masked, size_t head, size_t end);
  void HideLines(std::string& masked, size_t first, size_t last, bool keep_block);
  bool SpansLines(TextRange error);

  std::string_view text_;
  Parses parses_;
  std::optional<SourceLines> lines_;
  std::vector<TextRange> hidden_;
  bool foreign_lines_are_hidden_ = false;
};

}  // namespace transplt
