// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "transplt/base/source_file.h"

namespace transplt {

/// What the columns of positions count.
enum class PositionEncoding : uint8_t { kUtf8, kUtf16, kUtf32 };

/// "utf-8", "utf-16", "utf-32".
std::string_view Name(PositionEncoding encoding);
std::optional<PositionEncoding> PositionEncodingNamed(std::string_view name);

/// A place as language servers name it: both count from 0, the column in units of the encoding.
struct Position {
  uint32_t line = 0;
  uint32_t character = 0;

  friend bool operator==(const Position&, const Position&) = default;
};

/// How many units the text (UTF-8) takes.
uint32_t UnitsIn(std::string_view text, PositionEncoding encoding);

/// Positions in the text of an open buffer, which is UTF-8. A line ends at LF, CR LF or CR.
class TextPositions {
 public:
  /// `text` must outlive this.
  explicit TextPositions(std::string_view text);

  /// An offset behind the end is located at the end.
  Position PositionOf(size_t offset, PositionEncoding encoding) const;
  /// A column behind the end of its line means that end; a line that is not there, the end of the
  /// text; one inside a character, the start of that.
  size_t OffsetOf(Position position, PositionEncoding encoding) const;
  /// The end of the line, before its line end.
  size_t EndOfLine(uint32_t line) const;

 private:
  std::string_view text_;
  std::vector<size_t> line_starts_;
};

/// The position of an offset in a file on disk as an editor shows it: decoded, and without a byte
/// order mark.
Position PositionIn(const SourceFile& file, uint32_t offset, PositionEncoding encoding);

}  // namespace transplt
