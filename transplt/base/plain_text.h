// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace transplt {

/// What stands for bytes that are no character: U+FFFD.
inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// The character at `position`, which moves behind it. A byte that does not belong to valid UTF-8
/// gives nothing, and `position` moves by that byte.
std::optional<char32_t> NextCharacter(std::string_view text, size_t& position);

/// How many characters `text` has; a byte outside of valid UTF-8 counts as one.
uint32_t CharactersIn(std::string_view text);

/// Appends the character `c` as UTF-8.
void AppendUtf8(std::string& text, uint32_t c);

/// `text` with U+FFFD for every byte that is not valid UTF-8 (file names may hold any byte), and
/// for NUL, which neither XML nor most readers of CSV accept.
std::string ValidUtf8(std::string_view text);

/// `text` for one line of a log or a terminal: blanks for line ends and tabs, U+FFFD for every
/// other character that could move the cursor or turn the direction of writing.
std::string OneLine(std::string_view text);

/// `text` of several lines for a terminal: line ends and tabs stay, everything else that OneLine
/// replaces is spelled out, ESC as "^[" and U+202E as "<U+202E>", bytes outside UTF-8 as "<9B>".
std::string VisibleText(std::string_view text);

/// `text` as it stands between tags, or in an attribute in double quotes, of a page of HTML.
std::string HtmlText(std::string_view text);

/// `text` in a cell of a table of Markdown.
std::string MarkdownCell(std::string_view text);

/// The beginning of `line` (valid UTF-8, no control characters) that a terminal shows in `columns`
/// columns, with "…" at its end if something was cut.
std::string FitColumns(std::string_view line, size_t columns);

}  // namespace transplt
