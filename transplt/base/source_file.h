// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/base/text_range.h"

namespace transplt {

/// Where a byte stands: both counted from 1. The column counts characters, as editors show them.
struct LineColumn {
  uint32_t line = 1;
  uint32_t column = 1;
};

/// One input file: its bytes as they are on disk, which every edit range refers to, and what is
/// needed to read them. Never changed after loading.
class SourceFile {
 public:
  /// Takes the content of `path`. Fails with kBadInput, saying why, for what cannot be Python
  /// text: NUL bytes (binary), UTF-16 and UTF-32, an unknown PEP 263 cookie with bytes that are
  /// not UTF-8, more than 4 GiB.
  static Result<SourceFile> FromBytes(std::string path, std::string bytes);

  /// Relative to the project's root, with '/'; what reports and diffs show.
  const std::string& path() const { return path_; }
  /// The content as read, with its BOM, line ends and encoding.
  std::string_view bytes() const { return bytes_; }

  /// The same number of bytes for the parser: a lone CR becomes LF, and every character that is
  /// not valid UTF-8 (latin-1, gbk ...) becomes as many letters 'x', so that a second byte that
  /// looks like a backslash or a brace cannot mislead it. Names must be read from `bytes()`.
  std::string_view parse_text() const { return parse_text_.empty() ? bytes() : parse_text_; }

  /// Canonical name of the encoding, as iconv knows it: "UTF-8", "GBK", "ISO-8859-1" ...
  const std::string& encoding() const { return encoding_; }
  bool has_bom() const { return bytes_.starts_with("\xEF\xBB\xBF"); }

  /// A line ends at LF, CR LF or a lone CR, as CPython reads it.
  LineColumn Locate(uint32_t offset) const;
  uint32_t line_count() const { return static_cast<uint32_t>(line_starts_.size()); }
  /// The bytes of line `line` (from 1), without its line end.
  TextRange LineRange(uint32_t line) const;
  /// The line end that a line inserted at `offset` must carry: that of the line which holds the
  /// offset, or of the nearest line before it that has one, else "\n".
  std::string_view LineEndAt(uint32_t offset) const;

  /// `range` as UTF-8, for reports; bytes that do not decode become U+FFFD.
  std::string TextOf(TextRange range) const;
  /// Any bytes in this file's encoding (an edited line, say) as UTF-8.
  std::string Decode(std::string_view bytes) const;

 private:
  SourceFile() = default;

  std::string path_;
  std::string bytes_;
  std::string parse_text_;  // empty if the bytes can be parsed as they are
  std::string encoding_;
  std::vector<uint32_t> line_starts_;
};

}  // namespace transplt
