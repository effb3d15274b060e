// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace transplt {

/// The lines of a text with what their first words tell. Indentation and first words are what
/// stays trustworthy in a file whose brackets or quotes do not close.
class SourceLines {
 public:
  struct Line {
    uint32_t start;
    uint32_t end;     ///< without the line end
    uint32_t indent;  ///< bytes before the first character that is not blank
    bool blank;       ///< nothing but blanks or a comment
  };

  explicit SourceLines(std::string_view text);

  size_t size() const { return lines_.size(); }
  const Line& operator[](size_t index) const { return lines_[index]; }
  /// The line that holds the byte `offset`.
  size_t LineOf(uint32_t offset) const;
  /// The line without its indentation.
  std::string_view Code(size_t index) const;

  bool IsFunction(size_t index) const;   ///< `def`, `async def`
  bool IsDecorator(size_t index) const;  ///< `@...`
  /// The head of a block of statements, other than `match` and `case`: `class`, `def`, `if` ...
  bool HoldsStatements(size_t index) const;
  /// Starts with a keyword that cannot stand inside of brackets: `def`, `import`, `return` ...
  bool StartsStatement(size_t index) const;
  /// Cannot begin a statement: a closing bracket, `else`, `except` ...
  bool ContinuesStatement(size_t index) const;
  /// Reads like a line of a program rather than of a docstring: `def f(`, `import x`, `if x:` ...
  bool LooksLikeCode(size_t index) const;
  /// A line for IPython or a template engine, not for Python: `%cd x`, `!ls`, `{% if x %}`.
  bool IsForeign(size_t index) const;

 private:
  std::string_view text_;
  std::vector<Line> lines_;
};

}  // namespace transplt
