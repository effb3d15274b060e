// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <string>

#include "transplt/native/tokens.h"

namespace transplt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Texts(const std::string& source) {
  std::vector<std::string> texts;
  for (const NativeToken& token : TokensOf(source)) texts.emplace_back(token.range.In(source));
  return texts;
}

std::vector<std::string> Names(const std::string& source) {
  std::vector<std::string> names;
  for (const NativeToken& token : TokensOf(source)) {
    if (token.kind == NativeToken::Kind::kName) names.emplace_back(token.range.In(source));
  }
  return names;
}

TEST(NativeTokens, LeaveCommentsOut) {
  EXPECT_THAT(Names("a // cudaFree\n/* cudaFree\n cudaFree */ b"), ElementsAre("a", "b"));
  EXPECT_THAT(Names("// cudaFree \\\n cudaFree\nb"), ElementsAre("b"));
  EXPECT_THAT(Names("a /* never closed cudaFree"), ElementsAre("a"));
}

TEST(NativeTokens, TakeTextsWhole) {
  EXPECT_THAT(Names(R"(f("cudaFree", 'c', L"cudaFree\"cudaFree");)"), ElementsAre("f"));
  EXPECT_THAT(Names("R\"x(cudaFree )\" cudaFree)x\" b"), ElementsAre("b"));
  EXPECT_THAT(Names("\"never closed cudaFree\nb"), ElementsAre("b"));
  EXPECT_THAT(Names("'"), IsEmpty());
}

TEST(NativeTokens, KeepNumbersTogether) {
  EXPECT_THAT(Texts("1'000 0x1F 1.5e-3f .5 1e+9"),
              ElementsAre("1'000", "0x1F", "1.5e-3f", ".5", "1e+9"));
}

TEST(NativeTokens, KnowLaunches) {
  EXPECT_THAT(Texts("k<<<1, 2>>>(x);"),
              ElementsAre("k", "<<<", "1", ",", "2", ">>>", "(", "x", ")", ";"));
}

TEST(NativeTokens, ReadHeadersAndDirectives) {
  const std::string source = "#include <a/b.h>\n#  define F(x) \\\n  x <y>\nz";
  const std::vector<NativeToken> tokens = TokensOf(source);
  EXPECT_EQ(tokens[2].kind, NativeToken::Kind::kHeader);
  EXPECT_EQ(tokens[2].range.In(source), "<a/b.h>");
  for (const NativeToken& token : tokens) {
    EXPECT_EQ(token.in_directive, token.range.In(source) != "z") << token.range.In(source);
  }
  EXPECT_TRUE(tokens.back().starts_line);
}

TEST(NativeTokens, TakeAnyBytes) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  for (size_t start = 0; start < bytes.size(); ++start) {
    const std::string source = bytes.substr(start) + bytes.substr(0, start);
    uint32_t end = 0;
    for (const NativeToken& token : TokensOf(source)) {
      EXPECT_LE(end, token.range.start);
      EXPECT_LT(token.range.start, token.range.end);
      end = token.range.end;
    }
    EXPECT_LE(end, source.size());
  }
}

}  // namespace
}  // namespace transplt
