// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/codec_name.h"

#include <string>

namespace transplt {
namespace {

using enum CharacterLayout;

struct NamedEncoding {
  std::string_view name;
  CharacterLayout layout;
  std::string_view cookies;  // without punctuation, each between blanks
};

// The names of Python's codecs and their aliases. gb2312 is read as GBK and shift_jis as CP932,
// the supersets that editors write under these names (and iconv's SHIFT_JIS has no backslash).
constexpr NamedEncoding kEncodings[] = {
    {"UTF-8", kUtf8, " utf8 utf u8 utf8sig utf8ucs2 utf8ucs4 cp65001 "},
    {"UTF-8", kUtf8,
     " ascii usascii us 646 iso646us cp367 ibm367 csascii ansix341968 ansix341986 "},
    {"GBK", kGbk, " gbk 936 cp936 ms936 gb2312 gb231280 gb23121980 chinese "},
    {"GBK", kGbk, " euccn eucgb2312cn csiso58gb231280 isoir58 "},
    {"GB18030", kGb18030, " gb18030 gb180302000 "},
    {"BIG5", kBig5, " big5 big5tw csbig5 "},
    {"CP950", kBig5, " cp950 950 ms950 "},
    {"BIG5-HKSCS", kBig5, " big5hkscs hkscs "},
    {"CP932", kShiftJis, " shiftjis csshiftjis sjis cp932 932 ms932 mskanji windows31j "},
    {"EUC-JP", kEucJp, " eucjp ujis "},
    {"EUC-KR", kEuc, " euckr korean ksc5601 ksc56011987 ksx1001 "},
    {"CP949", kUhc, " cp949 949 ms949 uhc "},
    {"KOI8-R", kSingleByte, " koi8r cskoi8r "},
    {"KOI8-U", kSingleByte, " koi8u "},
    {"TIS-620", kSingleByte, " tis620 tis6200 tis62025290 tis62025291 isoir166 "},
    {"MACINTOSH", kSingleByte, " macroman macintosh "},
    {"MAC-CYRILLIC", kSingleByte, " maccyrillic "},
    {"PT154", kSingleByte, " ptcp154 csptcp154 pt154 cp154 cyrillicasian "},
    {"ISO-8859-1", kSingleByte,
     " latin1 latin l1 isolatin1 8859 iso8859 cp819 ibm819 csisolatin1 "},
    {"ISO-8859-2", kSingleByte, " latin2 l2 csisolatin2 isoir101 "},
    {"ISO-8859-3", kSingleByte, " latin3 l3 csisolatin3 isoir109 "},
    {"ISO-8859-4", kSingleByte, " latin4 l4 csisolatin4 isoir110 "},
    {"ISO-8859-5", kSingleByte, " cyrillic csisolatincyrillic isoir144 "},
    {"ISO-8859-6", kSingleByte, " arabic csisolatinarabic asmo708 ecma114 isoir127 "},
    {"ISO-8859-7", kSingleByte, " greek greek8 csisolatingreek ecma118 elot928 isoir126 "},
    {"ISO-8859-8", kSingleByte, " hebrew csisolatinhebrew isoir138 "},
    {"ISO-8859-9", kSingleByte, " latin5 l5 csisolatin5 isoir148 "},
    {"ISO-8859-10", kSingleByte, " latin6 l6 csisolatin6 isoir157 "},
    {"ISO-8859-11", kSingleByte, " thai "},
    {"ISO-8859-13", kSingleByte, " latin7 l7 "},
    {"ISO-8859-14", kSingleByte, " latin8 l8 isoceltic isoir199 "},
    {"ISO-8859-15", kSingleByte, " latin9 l9 "},
    {"ISO-8859-16", kSingleByte, " latin10 l10 isoir226 "},
};

// One byte for a character, and ASCII as it is (cp037, say, is not).
constexpr std::string_view kCodePages =
    " 437 737 775 850 852 855 856 857 858 860 861 862 863 864 865 866 869 874 1125 1250 1251 1252 "
    "1253 1254 1255 1256 1257 1258 ";
constexpr std::string_view kIsoParts = " 1 2 3 4 5 6 7 8 9 10 11 13 14 15 16 ";

// The bytes that change the meaning of those after them, by the start of the folded name.
struct ShiftingEncoding {
  std::string_view prefix;
  std::string_view shifts;
};
constexpr ShiftingEncoding kShiftingEncodings[] = {
    {"iso2022", "\x1B\x0E"},   {"hz", "~"},           {"utf7", "+"}, {"u7", "+"},
    {"csiso2022", "\x1B\x0E"}, {"unicode11utf7", "+"}};

/// A codec's name in lower case with '-' for '_', as CPython's tokenizer compares it first.
std::string Normalized(std::string_view cookie) {
  std::string name(cookie);
  for (char& c : name) {
    if ('A' <= c && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '_') c = '-';
  }
  return name;
}

/// The same without punctuation, as the codecs are looked up then.
std::string WithoutPunctuation(std::string_view normalized) {
  std::string name(normalized);
  std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
  return name;
}

/// True if `list`, in which every word stands between blanks, has `word`.
bool Lists(std::string_view list, std::string_view word) {
  return list.find(' ' + std::string(word) + ' ') != std::string_view::npos;
}

}  // namespace

std::optional<Encoding> EncodingOfCodec(std::string_view codec) {
  const std::string normalized = Normalized(codec);
  // The tokenizer accepts what Emacs writes: utf-8-unix, latin-1-dos.
  if (normalized.starts_with("utf-8-")) return Encoding{};
  for (std::string_view latin : {"latin-1-", "iso-8859-1-", "iso-latin-1-"}) {
    if (normalized.starts_with(latin)) return Encoding{"ISO-8859-1", kSingleByte};
  }
  const std::string name = WithoutPunctuation(normalized);
  for (const NamedEncoding& known : kEncodings) {
    if (Lists(known.cookies, name)) return Encoding{std::string(known.name), known.layout};
  }
  constexpr std::string_view kIso = "iso8859";
  if (name.starts_with(kIso)) {
    std::string part = name.substr(kIso.size());
    if (part.size() > 4) part.resize(part.size() - 4);  // the year, as in iso_8859_9_1989
    if (Lists(kIsoParts, part)) return Encoding{"ISO-8859-" + part, kSingleByte};
  }
  for (std::string_view prefix : {"windows", "cp", "ibm", ""}) {
    if (name.starts_with(prefix) && Lists(kCodePages, name.substr(prefix.size()))) {
      return Encoding{"CP" + name.substr(prefix.size()), kSingleByte};
    }
  }
  return std::nullopt;
}

std::string_view ShiftBytesOfCodec(std::string_view codec) {
  const std::string name = WithoutPunctuation(Normalized(codec));
  for (const ShiftingEncoding& shifting : kShiftingEncodings) {
    if (name.starts_with(shifting.prefix)) return shifting.shifts;
  }
  return {};
}

}  // namespace transplt
