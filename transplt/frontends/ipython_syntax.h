// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/base/text_range.h"

namespace transplt {

/// A part of a cell that only IPython understands, which another text of the same length stands
/// in for.
struct IpythonPart {
  enum class Kind {
    kRest,   ///< up to the end of a line: `!ls`, `%matplotlib inline`
    kPrefix  ///< before a Python statement: `%time `
  };
  TextRange range;
  Kind kind = Kind::kRest;

  friend bool operator==(const IpythonPart&, const IpythonPart&) = default;
};

struct IpythonCell {
  std::vector<IpythonPart> parts;  ///< in the order of the text
  /// The first line is a cell magic (`%%time`): nothing may stand before it.
  bool has_cell_magic = false;
  /// Nothing of the cell is Python of this program: another language, a file to be written, or
  /// code that ends within a bracket or a string and would draw the next cell into it.
  bool is_foreign = false;
};

/// Turns what only IPython understands into Python text of the same length: a comment, or a value
/// where a statement or an expression is needed. Line ends stay where they are.
IpythonCell MaskIpythonSyntax(std::string& text);

}  // namespace transplt
