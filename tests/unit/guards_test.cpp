// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/guards.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/guard_signatures.h"
#include "tests/unit/parsed_file.h"

namespace transplt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// "2-3": the lines of a range, without the line end that may end it.
std::string Lines(TextRange range, const SourceFile& source) {
  const uint32_t first = source.Locate(range.start).line;
  const std::string_view text = range.In(source.bytes());
  const size_t last_sign = text.find_last_not_of(" \n");
  const uint32_t last =
      source.Locate(range.start + static_cast<uint32_t>(std::max<size_t>(last_sign, 0))).line;
  return first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
}

/// Of each guard: "condition: with the device | by call / without it > where the program goes on
/// then".
std::vector<std::string> Guards(const std::string& code) {
  const ParsedFile file("import sys, torch, pytest, unittest\n" + code);
  const NameTable names(file.tree(), "pkg.mod", false);
  std::vector<std::string> all;
  for (const Guard& guard : GuardsOf(names, SignaturesForTests())) {
    std::string text = std::string(guard.condition.text()) + ":";
    for (TextRange part : guard.with) text += " " + Lines(part, file.source());
    for (const std::vector<TextRange>& call : guard.by_call) {
      text += " |";
      for (TextRange part : call) text += " " + Lines(part, file.source());
    }
    text += " /";
    for (TextRange part : guard.without) text += " " + Lines(part, file.source());
    if (!guard.otherwise.empty()) text += " > " + Lines(guard.otherwise, file.source());
    all.push_back(std::move(text));
  }
  return all;
}

TEST(Guards, ABranchRunsWithTheDeviceAndTheOtherWithout) {
  EXPECT_THAT(Guards("if torch.cuda.is_available():\n    a()\nelse:\n    b()\nc()\n"),
              ElementsAre("torch.cuda.is_available(): 3 / 4-5 > 4-5"));
}

TEST(Guards, ANegatedConditionProtectsTheElseBranch) {
  EXPECT_THAT(Guards("if not x.is_cuda:\n    a()\nelse:\n    b()\n"),
              ElementsAre("x.is_cuda: 4-5 / 3 > 3"));
}

TEST(Guards, AnEarlyReturnProtectsTheRestOfTheBlock) {
  EXPECT_THAT(Guards("def f(x):\n    if x.device.type != 'cuda':\n        return None\n    k(x)\n"
                     "    return x\n"),
              ElementsAre("x.device.type != 'cuda': 5-6 / 4 > 4"));
}

TEST(Guards, ABranchThatReturnsLeavesTheRestToOthers) {
  EXPECT_THAT(Guards("def f(x):\n    if x.is_cuda:\n        return k(x)\n    return p(x)\n"),
              ElementsAre("x.is_cuda: 4 / 5 > 5"));
}

TEST(Guards, ACallThatDoesNotReturnLeavesTheBlock) {
  EXPECT_THAT(Guards("if not torch.cuda.is_available():\n    sys.exit(1)\nrun()\n"),
              ElementsAre("torch.cuda.is_available(): 4 / 3 > 3"));
}

TEST(Guards, AnAssertionProtectsWhatFollows) {
  EXPECT_THAT(Guards("def f(x):\n    assert x.is_cuda\n    k(x)\n"), ElementsAre("x.is_cuda: 4 /"));
}

TEST(Guards, TwoTensorsThatAreComparedTellOfNoDevice) {
  EXPECT_THAT(Guards("assert x.is_cuda == y.is_cuda\na()\n"),
              ElementsAre("x.is_cuda: /", "y.is_cuda: /"));
}

TEST(Guards, AnAndIsTrueOnlyWithTheDevice) {
  EXPECT_THAT(Guards("if fast and x.is_cuda:\n    a()\nelse:\n    b()\n"),
              ElementsAre("x.is_cuda: 3 / > 4-5"));
}

TEST(Guards, AnOrSaysNothingWhereItIsTrue) {
  EXPECT_THAT(Guards("if torch.cuda.is_available() or force:\n    a()\nelse:\n    b()\n"),
              ElementsAre("torch.cuda.is_available(): / 2 4-5 > 4-5"));
}

TEST(Guards, AnOrIsReachedWithTheDeviceAndForOtherReasons) {
  const ParsedFile file("import torch\nif torch.cuda.is_available() or force:\n    a()\n");
  const NameTable names(file.tree(), "pkg.mod", false);
  const std::vector<Guard> guards = GuardsOf(names, SignaturesForTests());
  ASSERT_EQ(guards.size(), 1U);
  EXPECT_THAT(guards[0].with, IsEmpty());
  ASSERT_EQ(guards[0].reached.size(), 1U);
  EXPECT_EQ(guards[0].reached[0].In(file.source().bytes()), "a()");
}

TEST(Guards, TheRightSideOfAnAndIsProtected) {
  EXPECT_THAT(Guards("ok = torch.cuda.is_available() and probe()\n"),
              ElementsAre("torch.cuda.is_available(): 2 /"));
}

TEST(Guards, AConditionalExpressionHasTwoSides) {
  EXPECT_THAT(Guards("y = (k(x)\n     if x.is_cuda else\n     p(x))\n"),
              ElementsAre("x.is_cuda: 2 / 4 > 4"));
}

TEST(Guards, ACountOfDevicesIsComparedWithNone) {
  EXPECT_THAT(Guards("if torch.cuda.device_count() == 0:\n    a()\nelse:\n    b()\n"),
              ElementsAre("torch.cuda.device_count(): 4-5 / 3 > 3"));
}

TEST(Guards, ACountOfSeveralDevicesSaysNothingWhereThereAreFewer) {
  EXPECT_THAT(Guards("if torch.cuda.device_count() > 1:\n    a()\nelse:\n    b()\n"),
              ElementsAre("torch.cuda.device_count(): 3 / > 4-5"));
}

TEST(Guards, AVersionOfRocmIsComparedWithNone) {
  EXPECT_THAT(Guards("if torch.version.hip is not None:\n    a()\n"),
              ElementsAre("torch.version.hip: 3 /"));
}

TEST(Guards, AVariableCarriesTheAnswer) {
  EXPECT_THAT(Guards("use = torch.cuda.is_available()\nif use:\n    a()\nif not use:\n    b()\n"),
              ElementsAre("torch.cuda.is_available(): 4 / 6 > 6"));
}

TEST(Guards, AVariableThatMayHoldSomethingElseCarriesNothing) {
  EXPECT_THAT(Guards("use = torch.cuda.is_available()\nif other:\n    use = True\nif use:\n"
                     "    a()\n"),
              ElementsAre("torch.cuda.is_available(): /"));
}

TEST(Guards, AMemberCarriesTheAnswerInItsClass) {
  EXPECT_THAT(Guards("class T:\n    def __init__(self):\n"
                     "        self.use = torch.cuda.is_available()\n"
                     "    def f(self):\n        if self.use:\n            a()\n"),
              ElementsAre("torch.cuda.is_available(): 7 /"));
}

TEST(Guards, AFunctionThatAsksAsksForItsCallers) {
  EXPECT_THAT(Guards("def ok(x):\n    if not x.is_cuda:\n        return False\n"
                     "    return x.dtype == h\n"
                     "def f(x):\n    if ok(x):\n        return k(x)\n    return p(x)\n"),
              ElementsAre("x.is_cuda: 5 | 8 / 4 > 4"));
  EXPECT_THAT(Guards("def ok(x):\n    return x.is_cuda and x.dtype == h\n"
                     "def f(x):\n    if ok(x):\n        return k(x)\n    return p(x)\n"),
              ElementsAre("x.is_cuda: 3 | 6 / > 7"));
}

TEST(Guards, AFunctionThatMayReturnSomethingElseAsksForNobody) {
  EXPECT_THAT(Guards("def ok(x):\n    if other:\n        return True\n    return x.is_cuda\n"
                     "def f(x):\n    if ok(x):\n        return k(x)\n"),
              ElementsAre("x.is_cuda: /"));
}

TEST(Guards, ADecoratorThatSkipsATestProtectsIt) {
  EXPECT_THAT(Guards("@pytest.mark.skipif(not torch.cuda.is_available(), reason='')\n"
                     "def test_it():\n    k()\n"),
              ElementsAre("torch.cuda.is_available(): 3-4 /"));
  EXPECT_THAT(Guards("needs = unittest.skipUnless(torch.cuda.is_available(), '')\n@needs\n"
                     "def test_it():\n    k()\n"),
              ElementsAre("torch.cuda.is_available(): 4-5 /"));
}

TEST(Guards, AComparisonWithTheHostIsAQuestionToo) {
  EXPECT_THAT(Guards("if x.device.type == 'cpu':\n    a()\nelse:\n    b()\n"),
              ElementsAre("x.device.type == 'cpu': 3 / 4-5 > 4-5"));
}

TEST(Guards, OtherConditionsAreNone) {
  EXPECT_THAT(Guards("if kind == 'fast' and other.is_available():\n    a()\n"), IsEmpty());
}

}  // namespace
}  // namespace transplt
