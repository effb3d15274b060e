// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transplt/base/encoding.h"
#include "transplt/base/source_file.h"

namespace transplt {
namespace {

using testing::HasSubstr;

// "模型" in GBK; the second byte of kBackslashGbk looks like a backslash.
const std::string kModelGbk = "\xC4\xA3\xD0\xCD";
const std::string kModelUtf8 = "模型";
const std::string kBackslashGbk = "\x95\x5C";

SourceFile Decoded(std::string bytes) {
  Result<SourceFile> file = SourceFile::FromBytes("pkg/train.py", std::move(bytes));
  if (!file) throw std::runtime_error(file.error().what.en);
  return *std::move(file);
}

std::string EncodingOf(std::string bytes) { return Decoded(std::move(bytes)).encoding(); }

/// The message for bytes that must be refused.
Text Refusal(std::string bytes) {
  Result<SourceFile> file = SourceFile::FromBytes("pkg/train.py", std::move(bytes));
  EXPECT_FALSE(file);
  if (file) return {};
  EXPECT_EQ(file.error().code, Error::Code::kBadInput);
  EXPECT_EQ(file.error().where, "pkg/train.py");
  return file.error().what;
}

std::string Whole(const SourceFile& file) {
  return file.TextOf({0, static_cast<uint32_t>(file.bytes().size())});
}

struct CookieCase {
  std::string name;
  std::string bytes;
  std::string encoding;
};
void PrintTo(const CookieCase& c, std::ostream* out) { *out << c.name; }

class Cookie : public testing::TestWithParam<CookieCase> {};

TEST_P(Cookie, GivesTheEncoding) { EXPECT_EQ(EncodingOf(GetParam().bytes), GetParam().encoding); }

// Every file ends with the byte E9, which is not UTF-8: where no cookie is found, the guess is
// ISO-8859-1.
INSTANTIATE_TEST_SUITE_P(
    SourceFile, Cookie,
    testing::Values(
        CookieCase{"FirstLine", "# coding: koi8-r\n#\xE9 ", "KOI8-R"},
        CookieCase{"EqualsSign", "# vim: set fileencoding=koi8-r :\n#\xE9 ", "KOI8-R"},
        CookieCase{"Emacs", "#!/usr/bin/python\n# -*- coding: koi8-r -*-\n#\xE9 ", "KOI8-R"},
        CookieCase{"SecondLineAfterBlank", " \t\f\n#coding:koi8-r\n#\xE9 ", "KOI8-R"},
        CookieCase{"AfterCrLf", "# a\r\n# coding: koi8-r\r\n#\xE9 ", "KOI8-R"},
        CookieCase{"AfterLoneCr", "# a\r# coding: koi8-r\r#\xE9 ", "KOI8-R"},
        CookieCase{"Indented", "\f \t# coding: koi8-r\n#\xE9 ", "KOI8-R"},
        CookieCase{"SecondMention", "# coding of coding: koi8-r\n#\xE9 ", "KOI8-R"},
        CookieCase{"EmptyMention", "# coding: !, coding=koi8-r\n#\xE9 ", "KOI8-R"},
        CookieCase{"NoLineEnd", "# coding: koi8-r \xE9 ", "KOI8-R"},
        CookieCase{"SpaceBeforeColon", "# coding : koi8-r\n#\xE9 ", "ISO-8859-1"},
        CookieCase{"ThirdLine", "#\n#\n# coding: koi8-r\n#\xE9 ", "ISO-8859-1"},
        CookieCase{"SecondLineAfterCode", "x = 1\n# coding: koi8-r\n#\xE9 ", "ISO-8859-1"},
        CookieCase{"BehindCode", "x = 1  # coding: koi8-r\n#\xE9 ", "ISO-8859-1"},
        CookieCase{"InDocstring", "\"\"\"\n# coding: koi8-r\n\"\"\"#\xE9 ", "ISO-8859-1"},
        CookieCase{"BehindFormFeedLine", "\n\n# coding: koi8-r\n#\xE9 ", "ISO-8859-1"}),
    [](const auto& instance) { return instance.param.name; });

struct CodecCase {
  std::string cookie;
  std::string encoding;
};
void PrintTo(const CodecCase& c, std::ostream* out) { *out << c.cookie; }

class Codec : public testing::TestWithParam<CodecCase> {};

TEST_P(Codec, IsKnownUnderItsPythonName) {
  // "й" of koi8-r, "é" of latin-1, and as the start of a pair valid in the others.
  EXPECT_EQ(EncodingOf("# coding: " + GetParam().cookie + "\n#\xCA\xE9\n"), GetParam().encoding);
}

INSTANTIATE_TEST_SUITE_P(
    SourceFile, Codec,
    testing::Values(CodecCase{"latin-1", "ISO-8859-1"}, CodecCase{"Latin_1", "ISO-8859-1"},
                    CodecCase{"iso-latin-1-unix", "ISO-8859-1"}, CodecCase{"L1", "ISO-8859-1"},
                    CodecCase{"iso8859-1", "ISO-8859-1"}, CodecCase{"ISO_8859_15", "ISO-8859-15"},
                    CodecCase{"iso-8859-9", "ISO-8859-9"}, CodecCase{"latin9", "ISO-8859-15"},
                    CodecCase{"iso_8859_2_1987", "ISO-8859-2"}, CodecCase{"cp1252", "CP1252"},
                    CodecCase{"windows-1251", "CP1251"}, CodecCase{"IBM850", "CP850"},
                    CodecCase{"437", "CP437"}, CodecCase{"gbk", "GBK"}, CodecCase{"GB2312", "GBK"},
                    CodecCase{"cp936", "GBK"}, CodecCase{"gb18030", "GB18030"},
                    CodecCase{"big5", "BIG5"}, CodecCase{"cp950", "CP950"},
                    CodecCase{"big5hkscs", "BIG5-HKSCS"}, CodecCase{"shift_jis", "CP932"},
                    CodecCase{"sjis", "CP932"}, CodecCase{"euc-jp", "EUC-JP"},
                    CodecCase{"euc_kr", "EUC-KR"}, CodecCase{"cp949", "CP949"},
                    CodecCase{"koi8-r", "KOI8-R"}, CodecCase{"KOI8_U", "KOI8-U"},
                    CodecCase{"mac-roman", "MACINTOSH"}, CodecCase{"tis-620", "TIS-620"}));

TEST(SourceFile, TakesBytesWithoutCookieForUtf8) {
  EXPECT_EQ(EncodingOf(""), "UTF-8");
  EXPECT_EQ(EncodingOf("x = 1\n"), "UTF-8");
  EXPECT_EQ(EncodingOf("s = 'é模😀'\n"), "UTF-8");
}

/// `code_point` in the scheme of UTF-8 for `size` bytes, whether that is allowed or not.
std::string Scheme(uint32_t code_point, int size) {
  std::string bytes;
  for (int i = 1; i < size; ++i, code_point >>= 6U) {
    bytes.insert(bytes.begin(), static_cast<char>(0x80U | (code_point & 0x3FU)));
  }
  constexpr unsigned char kLead[] = {0, 0, 0xC0, 0xE0, 0xF0};
  bytes.insert(bytes.begin(), static_cast<char>(kLead[size] | code_point));
  return bytes;
}

TEST(Encoding, TakesExactlyTheScalarValuesOfUnicodeForUtf8) {
  constexpr uint32_t kFirstOfSize[] = {0, 0, 0x80, 0x800, 0x10000};
  constexpr uint32_t kEndOfSize[] = {0, 0, 0x800, 0x10000, 0x200000};
  for (int size = 2; size <= 4; ++size) {
    for (uint32_t point = 0; point < kEndOfSize[size]; ++point) {
      const bool surrogate = point >= 0xD800 && point < 0xE000;
      const bool valid = point >= kFirstOfSize[size] && point < 0x110000 && !surrogate;
      const std::string bytes = Scheme(point, size);
      ASSERT_EQ(IsValid(bytes, CharacterLayout::kUtf8), valid) << point << " in " << size;
      if (!valid || point % 97 != 0) continue;
      ASSERT_FALSE(IsValid(bytes.substr(0, bytes.size() - 1), CharacterLayout::kUtf8)) << point;
      ASSERT_FALSE(IsValid(bytes.substr(0, bytes.size() - 1) + "a", CharacterLayout::kUtf8))
          << point;
      ASSERT_FALSE(IsValid(bytes.substr(1), CharacterLayout::kUtf8)) << point;
    }
  }
}

TEST(SourceFile, BelievesAGbkCookieAlsoWhereTheBytesAreValidUtf8) {
  // 联通 in GBK is valid UTF-8 by accident.
  const SourceFile file = Decoded("# coding: gbk\ns = '\xC1\xAA\xCD\xA8'\n");
  EXPECT_EQ(file.encoding(), "GBK");
  EXPECT_EQ(Whole(file), "# coding: gbk\ns = '联通'\n");
  EXPECT_EQ(file.parse_text(), "# coding: gbk\ns = 'xxxx'\n");
}

TEST(SourceFile, TakesUtf8BytesThatTheirGbkCookieCannotMeanForUtf8) {
  const SourceFile file = Decoded("# coding: gbk\ns = '模 '\n");  // three bytes and a blank
  EXPECT_EQ(file.encoding(), "UTF-8");
  EXPECT_EQ(file.parse_text(), file.bytes());
}

TEST(SourceFile, BelievesTheBomBeforeTheCookie) {
  EXPECT_EQ(EncodingOf("\xEF\xBB\xBF# coding: gbk\ns = '模型'\n"), "UTF-8");
  EXPECT_EQ(EncodingOf("\xEF\xBB\xBFs = '" + kModelGbk + "'\n"), "UTF-8") << "also if broken";
}

TEST(SourceFile, GuessesGbkForChineseTextWithoutCookie) {
  const SourceFile file = Decoded("s = '" + kModelGbk + "'  # x\n");
  EXPECT_EQ(file.encoding(), "GBK");
  EXPECT_EQ(Whole(file), "s = '" + kModelUtf8 + "'  # x\n");
}

TEST(SourceFile, GuessesGbkUnderAUtf8CookieThatIsWrong) {
  EXPECT_EQ(EncodingOf("# -*- coding: utf-8 -*-\ns = '" + kModelGbk + "'\n"), "GBK");
  EXPECT_EQ(EncodingOf("# coding: ascii\ns = '" + kModelGbk + "'\n"), "GBK");
}

TEST(SourceFile, GuessesLatin1ForWesternTextWithoutCookie) {
  EXPECT_EQ(EncodingOf("# Fran\xE7ois\n"), "ISO-8859-1");
  EXPECT_EQ(EncodingOf("# f\xFCr M\xFCller\n"), "ISO-8859-1");
  EXPECT_EQ(EncodingOf("# caf\xE9\n"), "ISO-8859-1");
  EXPECT_EQ(EncodingOf("# 20 \xB0"
                       "C\n"),
            "ISO-8859-1")
      << "a degree sign is no hanzi";
}

TEST(SourceFile, KeepsUtf8ForAFileWithAFewBrokenBytes) {
  const SourceFile file = Decoded("s = '模型训练'\nt = '\xE9'\nu = '脚\\'本'\n");
  EXPECT_EQ(file.encoding(), "UTF-8");
  EXPECT_EQ(file.parse_text(), "s = '模型训练'\nt = 'x'\nu = '脚\\'本'\n");
  EXPECT_EQ(Whole(file), "s = '模型训练'\nt = '\uFFFD'\nu = '脚\\'本'\n");
}

TEST(SourceFile, AcceptsAnUnknownCookieOverUtf8Bytes) {
  EXPECT_EQ(EncodingOf("# coding: future_fstrings\ns = f'模{x}'\n"), "UTF-8");
}

TEST(SourceFile, RefusesAnUnknownCookieOverOtherBytes) {
  const Text reason = Refusal("# coding: klingon\ns = '\xE9 '\n");
  EXPECT_EQ(reason.en,
            "the coding comment names \"klingon\", an encoding that is not known here, and the "
            "bytes are not valid UTF-8; correct the comment, or save the file as UTF-8");
  EXPECT_THAT(reason.zh, HasSubstr("“klingon”"));
}

TEST(SourceFile, RefusesACookieWithAnEncodingThatIsNotAscii) {
  EXPECT_THAT(Refusal("# coding: cp037\ns = '\xE9 '\n").en, HasSubstr("\"cp037\""));
}

TEST(SourceFile, RefusesTheShiftsOfAStatefulEncoding) {
  EXPECT_THAT(Refusal("# coding: iso-2022-jp\ns = '\x1B$B'\n").en,
              HasSubstr("iso-2022-jp of the coding comment"));
  EXPECT_THAT(Refusal("# coding: utf-7\ns = '+AGE-'\n").en, HasSubstr("save the file as UTF-8"));
  EXPECT_THAT(Refusal("# coding: hz\ns = '~{VP~}'\n").zh, HasSubstr("另存为 UTF-8"));
}

TEST(SourceFile, AcceptsAStatefulEncodingThatIsNotUsed) {
  EXPECT_EQ(EncodingOf("# coding: iso-2022-jp\ns = 'abc'\n"), "UTF-8");
}

TEST(SourceFile, RefusesBinaryData) {
  const Text reason = Refusal(std::string("x = 1\n\0\x01", 8));
  EXPECT_THAT(reason.en, HasSubstr("NUL byte at offset 6"));
  EXPECT_THAT(reason.en, HasSubstr("save the file as UTF-8"));
  EXPECT_THAT(reason.zh, HasSubstr("偏移 6"));
}

TEST(SourceFile, NamesTheEncodingOfAForeignByteOrderMark) {
  using std::string_literals::operator""s;
  EXPECT_THAT(Refusal("\xFF\xFEx\0"s).en, HasSubstr("UTF-16 LE"));
  EXPECT_THAT(Refusal("\xFE\xFF\0x"s).en, HasSubstr("UTF-16 BE"));
  EXPECT_THAT(Refusal("\xFF\xFE\0\0x\0\0\0"s).en, HasSubstr("UTF-32 LE"));
  EXPECT_THAT(Refusal("\0\0\xFE\xFF\0\0\0x"s).en, HasSubstr("UTF-32 BE"));
  EXPECT_THAT(Refusal("\xFF\xFEx\0"s).en, HasSubstr("save the file as UTF-8"));
  EXPECT_THAT(Refusal("\xFF\xFEx\0"s).zh, HasSubstr("另存为 UTF-8"));
}

TEST(SourceFile, GivesTheParserTheBytesThemselvesWhereItCanReadThem) {
  for (const char* bytes : {"", "x = 1\r\n\f\ny\n", "s = '模型é'", "\xEF\xBB\xBFs = 'é'\n",
                            "# coding: gbk\nx = 1\n", "# coding: latin-1\ns = 'é'\n"}) {
    const SourceFile file = Decoded(bytes);
    EXPECT_EQ(file.parse_text().data(), file.bytes().data()) << bytes;
    EXPECT_EQ(file.bytes(), bytes);
  }
}

TEST(SourceFile, HidesABackslashInsideAGbkCharacterFromTheParser) {
  const std::string code =
      "# coding: gbk\ns = '" + kBackslashGbk + "'\nt = 'a\\'" + kModelGbk + "'";
  const SourceFile file = Decoded(code);
  EXPECT_EQ(file.bytes(), code);
  EXPECT_EQ(file.parse_text(), "# coding: gbk\ns = 'xx'\nt = 'a\\'xxxx'");
  EXPECT_EQ(Whole(file), "# coding: gbk\ns = '昞'\nt = 'a\\'模型'");
}

TEST(SourceFile, HidesABackslashInsideAGbkCharacterAlsoWithoutCookie) {
  const SourceFile file = Decoded("s = '" + kModelGbk + kBackslashGbk + "'\n");
  EXPECT_EQ(file.encoding(), "GBK");
  EXPECT_EQ(file.parse_text(), "s = 'xxxxxx'\n");
}

TEST(SourceFile, HidesABackslashInsideCharactersOfOtherEncodings) {
  // 表 in Shift JIS and 功 in Big5 end with 5C; the katakana ｱ is one byte.
  const SourceFile japanese = Decoded("# coding: shift_jis\ns = '\x95\x5C\xB1\\'\n");
  EXPECT_EQ(japanese.parse_text(), "# coding: shift_jis\ns = 'xxx\\'\n");
  EXPECT_EQ(Whole(japanese), "# coding: shift_jis\ns = '表ｱ\\'\n");
  const SourceFile taiwan = Decoded("# coding: big5\ns = '\xA5\x5C'\n");
  EXPECT_EQ(taiwan.parse_text(), "# coding: big5\ns = 'xx'\n");
  EXPECT_EQ(Whole(taiwan), "# coding: big5\ns = '功'\n");
}

TEST(SourceFile, ReadsTheHalfWidthKatakanaOfShiftJisAsSingleBytes) {
  const SourceFile file = Decoded("# coding: shift_jis\n#\xC2\xB1\n");  // "±", were it UTF-8
  EXPECT_EQ(Whole(file), "# coding: shift_jis\n#ﾂｱ\n");
  EXPECT_EQ(file.Locate(22).column, 3U);
}

TEST(SourceFile, HidesASecondByteThatLooksLikeALetterOfKorean) {
  const SourceFile file = Decoded("# coding: cp949\ns = '\x81\x41\x81\x7A'\n");
  EXPECT_EQ(file.parse_text(), "# coding: cp949\ns = 'xxxx'\n");
  EXPECT_EQ(Whole(file), "# coding: cp949\ns = '갂걕'\n");
}

TEST(SourceFile, CountsThePrefixesOfEucJpAsPartsOfOneCharacter) {
  const std::string code = "# coding: euc-jp\n#\x8E\xB1\x8F\xB0\xA1\xC9\xBD.";  // ｱ丂表.
  const SourceFile file = Decoded(code);
  EXPECT_EQ(Whole(file), "# coding: euc-jp\n#ｱ丂表.");
  EXPECT_EQ(file.Locate(static_cast<uint32_t>(code.size() - 1)).column, 5U);
}

TEST(SourceFile, HidesFourByteCharactersOfGb18030) {
  const SourceFile file = Decoded("# coding: gb18030\ns = '\x81\x30\x84\x36'\n");
  EXPECT_EQ(file.parse_text(), "# coding: gb18030\ns = 'xxxx'\n");
  EXPECT_EQ(Whole(file), "# coding: gb18030\ns = '¥'\n");
}

TEST(SourceFile, HidesSingleByteCharactersFromTheParser) {
  const SourceFile file = Decoded("# coding: cp1252\ns = '\x80\xE9\\'\f\n");
  EXPECT_EQ(file.parse_text(), "# coding: cp1252\ns = 'xx\\'\f\n");
  EXPECT_EQ(Whole(file), "# coding: cp1252\ns = '€é\\'\f\n");
}

TEST(SourceFile, EndsLinesForTheParserAtALoneCr) {
  const SourceFile file = Decoded("a\rb\r\nc\r\r\nd\re\r");
  EXPECT_EQ(file.bytes(), "a\rb\r\nc\r\r\nd\re\r");
  EXPECT_EQ(file.parse_text(), "a\nb\r\nc\n\r\nd\ne\n");
}

TEST(SourceFile, JoinsHundredsOfCommentLinesForTheParser) {
  std::string comments;
  for (int i = 0; i < 100; ++i) comments += "  # a\r\n\r\n";
  const SourceFile file = Decoded("if x:\r\n" + comments + "  y\r\n");
  const std::string_view text = file.parse_text();
  ASSERT_EQ(text.size(), file.bytes().size());
  EXPECT_EQ(text.substr(0, 20), "if x:\r\n  # a      # ");
  EXPECT_EQ(text.substr(text.size() - 13), " # a\r\n\r\n  y\r\n");
}

TEST(SourceFile, LeavesCommentsOfUsualLengthAndOtherIndentationToTheParser) {
  std::string comments;
  for (int i = 0; i < 90; ++i) comments += "# a\n";
  const SourceFile usual = Decoded(comments + "x\n" + comments);
  EXPECT_EQ(usual.parse_text(), usual.bytes());
  std::string stairs;
  for (int i = 0; i < 200; ++i) stairs += i % 2 == 0 ? "# a\n" : "  # a\n";
  const SourceFile other = Decoded(stairs);
  EXPECT_EQ(other.parse_text(), other.bytes());
}

TEST(SourceFile, EndsLinesAtALoneCrBesideGbk) {
  const SourceFile file = Decoded("# coding: gbk\rs = '" + kBackslashGbk + "'\r");
  EXPECT_EQ(file.parse_text(), "# coding: gbk\ns = 'xx'\n");
}

TEST(SourceFile, ReplacesWhatDoesNotDecode) {
  const SourceFile file = Decoded("# coding: gbk\ns = '" + kModelGbk + "\xFF\x81'\n");
  EXPECT_EQ(Whole(file), "# coding: gbk\ns = '模型\uFFFD\uFFFD'\n");
  EXPECT_EQ(file.parse_text(), "# coding: gbk\ns = 'xxxxxx'\n");
  EXPECT_EQ(file.TextOf({19, 20}), "\uFFFD") << "half of a character";
  const SourceFile windows = Decoded("# coding: cp1252\n#\x81\xE9\n");
  EXPECT_EQ(Whole(windows), "# coding: cp1252\n#\uFFFDé\n") << "81 means nothing in cp1252";
}

TEST(SourceFile, DecodesTextLongerThanABuffer) {
  std::string gbk;
  std::string utf8;
  for (int i = 0; i < 1000; ++i) {
    gbk += kModelGbk + "a";
    utf8 += kModelUtf8 + "a";
  }
  EXPECT_EQ(Decoded("# coding: gbk\n").Decode(gbk), utf8);
}

TEST(SourceFile, DecodesTheAccentThatFollowsItsLetter) {
  // In cp1258 EC is a combining acute accent; iconv holds the letter back until it knows.
  EXPECT_EQ(Decoded("# coding: cp1258\n")
                .Decode("a\xEC"
                        "e\xE9o"),
            "áeéo");
}

TEST(SourceFile, LeavesTheBomOutOfTexts) {
  const SourceFile file = Decoded("\xEF\xBB\xBFs = 'é'\n");
  EXPECT_EQ(Whole(file), "s = 'é'\n");
  EXPECT_EQ(file.TextOf(file.LineRange(1)), "s = 'é'");
  EXPECT_EQ(Decoded("a\uFEFFb").TextOf({1, 5}), "\uFEFFb") << "only at the start is it a BOM";
  EXPECT_TRUE(file.has_bom());
  EXPECT_FALSE(Decoded("s").has_bom());
}

}  // namespace
}  // namespace transplt
