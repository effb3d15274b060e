// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "transplt/base/change_record.h"

namespace transplt {

/// Lines and columns from 1, columns in characters; `end` is behind the last character.
struct TextRegion {
  LineColumn start;
  LineColumn end;
};

/// Where `record.before` stands in the file; empty for an insertion. Nothing where the record does
/// not show it: the text begins before the column of the record, or was shortened, or could not
/// be decoded, or the lines of the file are not those of its text (a notebook).
std::optional<TextRegion> ExactRegion(const ChangeRecord& record);

/// The column in the file, or 0 if it is not known: in a notebook, the column of a record is that
/// in the line of the program, and the file has quotes and escapes besides.
uint32_t ColumnInFile(const ChangeRecord& record);

/// "src/a.py:7" on one line; `root` stands before the file, and a whole file has no line.
std::string PlaceOf(std::string_view root, const ChangeRecord& record);

/// A path as the path of a URI (RFC 3986): all bytes but '/' and unreserved characters are
/// spelled %XX.
std::string PercentEncoded(std::string_view path);

}  // namespace transplt
