// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/encoding.h"

#include <iconv.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "transplt/base/codec_name.h"
#include "transplt/base/plain_text.h"

namespace transplt {
namespace {

using enum CharacterLayout;

struct ByteOrderMark {
  std::string_view bytes;
  std::string_view encoding;
};
constexpr ByteOrderMark kForeignMarks[] = {
    // UTF-32 LE starts like UTF-16 LE
    {std::string_view("\xFF\xFE\0\0", 4), "UTF-32 LE"},
    {std::string_view("\0\0\xFE\xFF", 4), "UTF-32 BE"},
    {"\xFF\xFE", "UTF-16 LE"},
    {"\xFE\xFF", "UTF-16 BE"},
};

/// The bytes of a text as numbers; 0, which no character continues with, behind its end.
class ByteReader {
 public:
  explicit ByteReader(std::string_view text) : text_(text) {}
  /// True if byte `at` lies in [low, high].
  bool In(size_t at, unsigned char low, unsigned char high) const {
    const auto byte = at < text_.size() ? static_cast<unsigned char>(text_[at]) : 0;
    return low <= byte && byte <= high;
  }

 private:
  std::string_view text_;
};

uint32_t Utf8Size(ByteReader b) {
  const bool second = b.In(1, 0x80, 0xBF);
  if (b.In(0, 0xC2, 0xDF)) return second ? 2 : 0;
  if (b.In(0, 0xE0, 0xEF)) {  // neither overlong nor a surrogate
    if (!second || (b.In(0, 0xE0, 0xE0) && b.In(1, 0x80, 0x9F))) return 0;
    return b.In(2, 0x80, 0xBF) && !(b.In(0, 0xED, 0xED) && b.In(1, 0xA0, 0xBF)) ? 3 : 0;
  }
  if (!b.In(0, 0xF0, 0xF4) || !second) return 0;
  if (b.In(0, 0xF0, 0xF0) && b.In(1, 0x80, 0x8F)) return 0;
  if (b.In(0, 0xF4, 0xF4) && b.In(1, 0x90, 0xBF)) return 0;  // above U+10FFFF
  return b.In(2, 0x80, 0xBF) && b.In(3, 0x80, 0xBF) ? 4 : 0;
}

uint32_t PairSize(ByteReader b, CharacterLayout layout) {
  const bool low_second = b.In(1, 0x40, 0x7E);
  switch (layout) {
    case kEuc:
      return b.In(0, 0xA1, 0xFE) && b.In(1, 0xA1, 0xFE) ? 2 : 0;
    case kEucJp:
      if (b.In(0, 0x8E, 0x8E)) return b.In(1, 0xA1, 0xDF) ? 2 : 0;
      if (b.In(0, 0x8F, 0x8F)) return b.In(1, 0xA1, 0xFE) && b.In(2, 0xA1, 0xFE) ? 3 : 0;
      return b.In(0, 0xA1, 0xFE) && b.In(1, 0xA1, 0xFE) ? 2 : 0;
    case kBig5:
      return b.In(0, 0x81, 0xFE) && (low_second || b.In(1, 0xA1, 0xFE)) ? 2 : 0;
    case kShiftJis:
      if (b.In(0, 0xA1, 0xDF)) return 1;  // half-width katakana
      if (!b.In(0, 0x81, 0x9F) && !b.In(0, 0xE0, 0xFC)) return 0;
      return low_second || b.In(1, 0x80, 0xFC) ? 2 : 0;
    case kUhc:
      if (!b.In(0, 0x81, 0xFE)) return 0;
      return b.In(1, 0x41, 0x5A) || b.In(1, 0x61, 0x7A) || b.In(1, 0x81, 0xFE) ? 2 : 0;
    default:  // kGbk and its extension
      if (layout == kGb18030 && b.In(1, 0x30, 0x39)) {
        return b.In(0, 0x81, 0xFE) && b.In(2, 0x81, 0xFE) && b.In(3, 0x30, 0x39) ? 4 : 0;
      }
      return b.In(0, 0x81, 0xFE) && (low_second || b.In(1, 0x80, 0xFE)) ? 2 : 0;
  }
}

/// Calls `visit(offset, size)` for every non-ASCII character, with size 0 for a byte that is none.
template <typename Visit>
void ForEachNonAscii(std::string_view text, CharacterLayout layout, Visit visit) {
  for (size_t at = NextNonAscii(text, 0); at < text.size(); at = NextNonAscii(text, at)) {
    const uint32_t size = CharacterSize(text.substr(at), layout);
    visit(at, size);
    at += std::max(size, 1U);
  }
}

/// A comment without its '#', up to the line end, if `text` starts with one.
std::optional<std::string_view> LeadingComment(std::string_view text) {
  const size_t start = text.find_first_not_of(" \t\f");
  if (start == std::string_view::npos || text[start] != '#') return std::nullopt;
  const size_t end = std::min(text.find_first_of("\r\n", start), text.size());
  return text.substr(start + 1, end - start - 1);
}

/// The name in "coding: NAME" or "coding=NAME", empty if the comment has none.
std::string_view CookieIn(std::string_view comment) {
  constexpr std::string_view kKey = "coding";
  for (size_t at = comment.find(kKey); at != std::string_view::npos; at = comment.find(kKey, at)) {
    at += kKey.size();
    if (at == comment.size() || (comment[at] != ':' && comment[at] != '=')) continue;
    const size_t start = comment.find_first_not_of(" \t", at + 1);
    if (start == std::string_view::npos) return {};
    const auto is_part = [](char c) {
      return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') ||
             c == '-' || c == '_' || c == '.';
    };
    size_t end = start;
    while (end < comment.size() && is_part(comment[end])) ++end;
    if (end > start) return comment.substr(start, end - start);
  }
  return {};
}

/// The PEP 263 cookie of the first line, or of the second if the first is blank or a comment.
std::string_view FindCookie(std::string_view text) {
  const std::optional<std::string_view> first = LeadingComment(text);
  if (first) {
    const std::string_view cookie = CookieIn(*first);
    if (!cookie.empty()) return cookie;
    text.remove_prefix(static_cast<size_t>(first->end() - text.begin()));
  } else {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\f"), text.size()));
  }
  if (text.starts_with("\r\n")) {
    text.remove_prefix(2);
  } else if (text.starts_with('\n') || text.starts_with('\r')) {
    text.remove_prefix(1);
  } else {
    return {};
  }
  return CookieIn(LeadingComment(text).value_or(""));
}

/// True if the bytes, which are not UTF-8, look like GBK rather than like a western encoding.
bool LooksLikeGbk(std::string_view bytes) {
  int64_t votes = 0;
  bool valid = true;
  ForEachNonAscii(bytes, kGbk, [&](size_t at, uint32_t size) {
    if (size == 0) {
      valid = false;
      return;
    }
    const ByteReader pair(bytes.substr(at, size));
    const bool letter = pair.In(1, 'A', 'Z') || pair.In(1, 'a', 'z');
    if (pair.In(0, 0xB0, 0xD7) && pair.In(1, 0xA1, 0xFE)) {
      ++votes;  // one of the 3755 characters that make up nearly all Chinese text
    } else if ((pair.In(0, 0xA1, 0xFF) && letter) ||
               (pair.In(0, 0xDF, 0xFF) && pair.In(1, 0xDF, 0xFF))) {
      --votes;  // in Latin-1 a sign and a letter, or two letters, as in "für" and "20 °C"
    }
  });
  return valid && votes >= 0;
}

/// What bytes that are not valid UTF-8 most likely are.
Encoding GuessEncoding(std::string_view bytes) {
  size_t characters = 0;
  size_t broken = 0;
  ForEachNonAscii(bytes, kUtf8, [&](size_t, uint32_t size) { ++(size > 0 ? characters : broken); });
  // By chance one in seven characters of GBK could be valid, of western text hardly any.
  if (characters > 4 * broken) return {};
  return LooksLikeGbk(bytes) ? Encoding{"GBK", kGbk} : Encoding{"ISO-8859-1", kSingleByte};
}

Error BadInput(Text what) { return {Error::Code::kBadInput, "", std::move(what)}; }

/// Why bytes without regard to a cookie cannot be Python text.
std::optional<Text> WhyNotText(std::string_view bytes) {
  for (const ByteOrderMark& mark : kForeignMarks) {
    if (!bytes.starts_with(mark.bytes)) continue;
    return Say("the byte order mark says {}, which Python does not read; save the file as UTF-8",
               "字节顺序标记（BOM）表明编码为 {}，Python 无法读取；请将文件另存为 UTF-8",
               mark.encoding);
  }
  const size_t nul = bytes.find('\0');
  if (nul == std::string_view::npos) return std::nullopt;
  return Say(
      "there is a NUL byte at offset {}, so this is binary data or UTF-16 without a byte order "
      "mark; exclude the file, or save the file as UTF-8 if it is text",
      "偏移 {} 处有 NUL 字节，说明这是二进制数据或不带 BOM 的 UTF-16；请排除该文件，若是文本请将"
      "文件另存为 UTF-8",
      nul);
}

Result<Encoding> EncodingOfCookie(std::string_view cookie, std::string_view bytes,
                                  bool valid_utf8) {
  if (std::optional<Encoding> known = EncodingOfCodec(cookie)) {
    if (known->layout == kUtf8) return valid_utf8 ? *known : GuessEncoding(bytes);
    // Text that an editor has saved as UTF-8 under an old "gbk" cookie is not valid in gbk.
    return valid_utf8 && !IsValid(bytes, known->layout) ? Encoding{} : *known;
  }
  const std::string_view shifts = ShiftBytesOfCodec(cookie);
  if (bytes.find_first_of(shifts) != std::string_view::npos) {
    return BadInput(Say(
        "in the encoding {} of the coding comment the meaning of a byte depends on those before "
        "it, which is not supported; save the file as UTF-8 and change the comment",
        "coding 注释中的编码 {} 是有状态编码，不受支持；请将文件另存为 UTF-8 并修改该注释",
        cookie));
  }
  if (valid_utf8) return Encoding{};
  return BadInput(Say(
      "the coding comment names \"{}\", an encoding that is not known here, and the bytes are "
      "not valid UTF-8; correct the comment, or save the file as UTF-8",
      "coding 注释中的编码“{}”无法识别，且文件内容不是有效的 UTF-8；请更正该注释，或将文件另存为 "
      "UTF-8",
      cookie));
}

/// `text` with every byte replaced that is not part of valid UTF-8.
std::string RepairUtf8(std::string_view text) {
  std::string result;
  size_t copied = 0;
  ForEachNonAscii(text, kUtf8, [&](size_t at, uint32_t size) {
    if (size > 0) return;
    result.append(text.substr(copied, at - copied)).append(kReplacement);
    copied = at + 1;
  });
  return result.append(text.substr(copied));
}

/// One conversion by iconv, flushing included: some encodings hold a character back in case that
/// an accent follows it.
class Converter {
 public:
  explicit Converter(const Encoding& encoding)
      : descriptor_(iconv_open("UTF-8", encoding.name.c_str())) {}
  ~Converter() {
    if (usable()) iconv_close(descriptor_);
  }
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;

  /// False where the system has no table for the encoding.
  bool usable() const {
    return descriptor_ !=
           reinterpret_cast<iconv_t>(-1);  // NOLINT(performance-no-int-to-ptr): POSIX
  }

  /// Appends to `out` what can be decoded from the start of `text`; returns the rest.
  std::string_view Convert(std::string_view text, std::string& out) const {
    char* in = const_cast<char*>(text.data());  // iconv reads only
    size_t in_left = text.size();
    while (Step(&in, &in_left, out)) continue;
    while (Step(nullptr, nullptr, out)) continue;
    return text.substr(text.size() - in_left);
  }

 private:
  /// Fills one buffer; true if it was too small.
  bool Step(char** in, size_t* in_left, std::string& out) const {
    char buffer[256];
    char* end = buffer;
    size_t room = sizeof buffer;
    const bool full =
        iconv(descriptor_, in, in_left, &end, &room) == static_cast<size_t>(-1) && errno == E2BIG;
    out.append(buffer, end);
    return full;
  }

  iconv_t descriptor_;
};

/// Appends the ASCII that starts `text` to `out`; returns the rest.
std::string_view CopyAscii(std::string_view text, std::string& out) {
  const size_t end = NextNonAscii(text, 0);
  out.append(text.substr(0, end));
  return text.substr(end);
}

}  // namespace

size_t NextNonAscii(std::string_view text, size_t at) {
  constexpr uint64_t kHighBits = 0x8080808080808080;
  for (uint64_t word = 0; text.size() - at >= sizeof word; at += sizeof word) {
    std::memcpy(&word, text.data() + at, sizeof word);
    if ((word & kHighBits) != 0) break;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

uint32_t CharacterSize(std::string_view text, CharacterLayout layout) {
  if (layout == kSingleByte) return 1;
  const ByteReader reader(text);
  return layout == kUtf8 ? Utf8Size(reader) : PairSize(reader, layout);
}

bool IsValid(std::string_view text, CharacterLayout layout) {
  for (size_t at = NextNonAscii(text, 0); at < text.size(); at = NextNonAscii(text, at)) {
    const uint32_t size = CharacterSize(text.substr(at), layout);
    if (size == 0) return false;
    at += size;
  }
  return true;
}

Result<Encoding> DetectEncoding(std::string_view bytes) {
  if (std::optional<Text> reason = WhyNotText(bytes)) return BadInput(*std::move(reason));
  if (bytes.starts_with(kUtf8Bom)) return Encoding{};
  const bool valid_utf8 = IsValid(bytes, kUtf8);
  const std::string_view cookie = FindCookie(bytes);
  if (!cookie.empty()) return EncodingOfCookie(cookie, bytes, valid_utf8);
  return valid_utf8 ? Encoding{} : GuessEncoding(bytes);
}

std::string DecodeToUtf8(std::string_view text, const Encoding& encoding) {
  if (NextNonAscii(text, 0) == text.size()) return std::string(text);
  if (encoding.layout == kUtf8) return RepairUtf8(text);
  const Converter converter(encoding);
  std::string result;
  for (;;) {
    text = converter.usable() ? converter.Convert(text, result) : CopyAscii(text, result);
    if (text.empty()) return result;
    result.append(kReplacement);
    text.remove_prefix(std::max(CharacterSize(text, encoding.layout), 1U));
  }
}

}  // namespace transplt
