// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/encoding.h"
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
  /// not UTF-8, a cookie that names an encoding with shift states (ISO-2022, HZ, UTF-7) whose
  /// shifts the bytes use, more than 4 GiB.
  ///
  /// The encoding is that of the BOM, else that of the cookie, else UTF-8. Bytes that are not
  /// valid in it are no error: they are kept, and the encoding is then what serves the parser and
  /// the reports best: UTF-8 if they are valid in that (or nearly so), else that of a cookie other
  /// than utf-8, else GBK or ISO-8859-1 by the look of the bytes.
  static Result<SourceFile> FromBytes(std::string path, std::string bytes);

  /// Relative to the project's root, with '/'; what reports and diffs show.
  const std::string& path() const { return path_; }
  /// The content as read, with its BOM, line ends and encoding.
  std::string_view bytes() const { return bytes_; }

  /// The same number of bytes for the parser: a lone CR becomes LF, and every non-ASCII character
  /// becomes as many letters 'x' where the parser would read it wrongly (all of gbk and its like,
  /// a single-byte encoding unless its bytes happen to be valid UTF-8, broken bytes of UTF-8), so
  /// that a second byte that looks like a backslash or a brace cannot mislead it. Hundreds of
  /// comment lines become one long line: tree-sitter-python looks through all that follow at each
  /// of them. Names must be read from `bytes()`.
  std::string_view parse_text() const { return parse_text_.empty() ? bytes() : parse_text_; }

  /// Canonical name of the encoding, as iconv knows it: "UTF-8", "GBK", "ISO-8859-1" ...
  const std::string& encoding() const { return encoding_.name; }
  bool has_bom() const { return bytes_.starts_with(kUtf8Bom); }

  /// A line ends at LF, CR LF or a lone CR, as CPython reads it. A BOM has no column. An offset
  /// inside a character is located at that character, one behind the end at the end.
  LineColumn Locate(uint32_t offset) const;
  /// What follows the last line end counts as a line, also when it is empty, so that every offset
  /// has one: an empty file has one line, "a\n" has two.
  uint32_t line_count() const { return static_cast<uint32_t>(line_starts_.size()); }
  /// The bytes of line `line` (from 1), without its line end, in line 1 with the BOM. Empty, at
  /// the end of the file, for a line that does not exist.
  TextRange LineRange(uint32_t line) const;
  /// The line end that a line inserted at `offset` must carry: that of the line which holds the
  /// offset, or of the nearest line before it that has one, else "\n".
  std::string_view LineEndAt(uint32_t offset) const;

  /// `range` as UTF-8 and without the BOM, for reports; bytes that do not decode become U+FFFD.
  std::string TextOf(TextRange range) const;
  /// Any bytes in this file's encoding (an edited line, say) as UTF-8.
  std::string Decode(std::string_view bytes) const;

 private:
  /// The number of characters before an offset that is the border of a character.
  struct Checkpoint {
    uint32_t offset;
    uint32_t characters;
  };

  SourceFile() = default;

  void FindLines();
  void MakeCheckpoints();
  void MakeParseText();
  /// From the first line to the last of many comment lines with the same indentation, which have
  /// nothing but blank lines between them.
  std::vector<TextRange> LongComments() const;
  /// Before each comment that stands behind a decorator, and less deep than it: what lies between
  /// them. The grammar takes such a comment for the end of the class around it.
  std::vector<TextRange> ShallowCommentsOfDecorators() const;
  /// The last border of a character that is not behind `limit`, counted on from `from`.
  Checkpoint Advance(Checkpoint from, uint32_t limit) const;
  uint32_t CharactersBefore(uint32_t offset) const;
  size_t LineIndexOf(uint32_t offset) const;
  std::string_view LineEndOf(size_t index) const;

  std::string path_;
  std::string bytes_;
  std::string parse_text_;  // empty if the bytes can be parsed as they are
  Encoding encoding_;
  bool has_lone_cr_ = false;
  std::vector<uint32_t> line_starts_;
  // Keeps Locate fast in lines of many megabytes; empty if every byte is ASCII.
  std::vector<Checkpoint> checkpoints_;
};

}  // namespace transplt
