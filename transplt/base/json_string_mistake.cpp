// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

#include "transplt/base/json_mistake.h"

namespace transplt {
namespace {

constexpr size_t kEscapeSize = 6;  // of \uXXXX

bool IsHighSurrogate(uint32_t code) { return code >= 0xD800 && code < 0xDC00; }
bool IsLowSurrogate(uint32_t code) { return code >= 0xDC00 && code < 0xE000; }

/// The number of the \uXXXX at `at`, or nothing if there is none.
std::optional<uint32_t> UnicodeEscapeAt(std::string_view text, size_t at) {
  if (!text.substr(at).starts_with("\\u") || at + kEscapeSize > text.size()) return std::nullopt;
  const char* end = text.data() + at + kEscapeSize;
  uint32_t code = 0;
  const auto [stop, error] = std::from_chars(text.data() + at + 2, end, code, 16);
  if (error != std::errc() || stop != end) return std::nullopt;
  return code;
}

/// The last \uXXXX before `stopped`, if it is what the parser has stopped at.
std::optional<size_t> WrongUnicodeEscape(std::string_view text, size_t start, size_t stopped) {
  const size_t at = text.rfind("\\u", stopped - 1);
  if (at == std::string_view::npos || at <= start || stopped > at + kEscapeSize + 2) {
    return std::nullopt;
  }
  const std::optional<uint32_t> code = UnicodeEscapeAt(text.substr(0, stopped), at);
  if (!code) return at;
  const std::optional<uint32_t> before =
      at >= start + kEscapeSize ? UnicodeEscapeAt(text, at - kEscapeSize) : std::nullopt;
  const bool follows_high = before && IsHighSurrogate(*before);
  if (follows_high == IsLowSurrogate(*code) && !IsHighSurrogate(*code)) return std::nullopt;
  return at;
}

/// The character at `at` with all its bytes, as it may be shown after a backslash.
std::string CharacterAt(std::string_view text, size_t at) {
  size_t end = at + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
  const std::string quoted = QuoteForMessage(text.substr(at, end - at));
  return quoted.substr(1, quoted.size() - 2);
}

/// What is wrong with a character of the string on its own.
std::optional<JsonMistake> FindWrongCharacter(std::string_view text, size_t start, size_t stopped) {
  for (size_t i = start + 1; i < stopped; ++i) {
    const char c = text[i];
    if (c == '\n' || c == '\r') {
      return JsonMistake{
          start, Say("the string that starts here is not closed on its line; add the closing \", "
                     "and write a line break inside a string as \\n",
                     "此处开始的字符串在本行未闭合；请补上 \"，字符串内的换行写作 \\n")};
    }
    if (static_cast<unsigned char>(c) < 0x20) {
      return JsonMistake{i, Say("a control character inside a string; write a tab as \\t",
                                "字符串中含有控制字符；制表符请写作 \\t")};
    }
    if (c != '\\') continue;
    ++i;
    if (i < stopped && std::string_view("\"\\/bfnrtu").find(text[i]) == std::string_view::npos) {
      return JsonMistake{i - 1,
                         Say("\\{} is not an escape of JSON; write a backslash as \\\\",
                             "\\{} 不是 JSON 转义；反斜杠请写作 \\\\", CharacterAt(text, i))};
    }
  }
  return std::nullopt;
}

}  // namespace

JsonMistake FindStringMistake(std::string_view text, size_t start, size_t stopped) {
  stopped = std::min(stopped, text.size());
  if (std::optional<JsonMistake> wrong = FindWrongCharacter(text, start, stopped)) return *wrong;
  if (const std::optional<size_t> escape = WrongUnicodeEscape(text, start, stopped)) {
    return {*escape,
            Say("\\u wants four hexadecimal digits, and two such escapes for a character beyond "
                "FFFF; write the character itself",
                "\\u 之后须为四位十六进制数，超过 FFFF 的字符须用两个转义；请直接写该字符")};
  }
  if (stopped < text.size()) {
    const size_t last = stopped - 1;
    const size_t bad = static_cast<unsigned char>(text[last]) >= 0x80 ? last : last - 1;
    return {bad, Say("the file is not valid UTF-8 here; save it as UTF-8",
                     "此处不是有效的 UTF-8；请将文件另存为 UTF-8")};
  }
  return {start, Say("the file ends inside the string that starts here; it is cut off, or a \" is "
                     "missing",
                     "文件在此处开始的字符串中结束；文件不完整，或缺少 \"")};
}

}  // namespace transplt
