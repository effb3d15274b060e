// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "transplt/syntax/open_ends.h"
#include "transplt/syntax/source_lines.h"

namespace transplt {

/// Whole lines, from the first to one past the last.
struct LinePart {
  size_t first;
  size_t last;
};

/// How many bytes of a piece of text are not valid Python; nullopt once too much was parsed.
using CountErrors = std::function<std::optional<size_t>(std::string_view)>;

/// The statements of a file that does not parse, found by indentation alone.
class StatementLines {
 public:
  StatementLines(const SourceLines& lines, const OpenEnds& open) : lines_(lines), open_(open) {}

  /// The statements that hold `line`, from the inside out, with their decorators. Those inside
  /// of a function are left out: a function is read as a whole or not at all.
  std::vector<LinePart> Around(size_t line) const;

  struct BrokenStatement {
    LinePart part;
    bool has_sound_body;  ///< a block that parses, below a head of one line that does not
  };
  /// The smallest statements in `part` of `text` that do not parse on their own.
  std::vector<BrokenStatement> Broken(std::string_view text, LinePart part,
                                      const CountErrors& count_errors) const;

  /// True if a statement begins in this line.
  bool Begins(size_t line) const;

 private:
  size_t EndOf(size_t head, size_t line) const;
  void AddBroken(std::string_view text, LinePart part, int depth, const CountErrors& count_errors,
                 std::vector<BrokenStatement>& broken) const;

  const SourceLines& lines_;
  const OpenEnds& open_;
};

}  // namespace transplt
