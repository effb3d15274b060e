// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/handed_code.h"

#include <gtest/gtest.h>

#include "tests/unit/parsed_file.h"

namespace transplt {
namespace {

/// Whether the call of `seek` in `code` runs only inside of what `map` is given.
bool IsInMap(const std::string& code) {
  const ParsedFile file(code, "main.py");
  const NameTable names(file.tree(), "main", false, nullptr);
  const Classes classes(names, nullptr);
  Node call;
  for (uint32_t id = 0; id < file.tree().size(); ++id) {
    const Node node = file.tree().node(id);
    if (node.Is(NodeKind::kCall) && node.Child(Field::kFunction).text() == "seek") call = node;
  }
  const std::vector<std::string> methods = {"map"};
  return RunsOnlyInsideOf(methods, call, {names, classes, nullptr});
}

TEST(RunsOnlyInsideOf, KnowsALambdaThatIsAnArgument) {
  EXPECT_TRUE(IsInMap("d.map(lambda x: seek(x))\n"));
  EXPECT_TRUE(IsInMap("d.map(map_func=lambda x: seek(x))\n"));
  EXPECT_FALSE(IsInMap("d.reduce(lambda x: seek(x))\n"));
}

TEST(RunsOnlyInsideOf, KnowsAFunctionThatIsHandedOver) {
  EXPECT_TRUE(IsInMap("def f(x):\n    return seek(x)\nd.map(f)\n"));
  const std::string bound = "def f(x, y):\n    return seek(x)\nd.map(partial(f, y=1))\n";
  EXPECT_TRUE(IsInMap("from functools import partial\n" + bound));
  EXPECT_FALSE(IsInMap("from mine import partial\n" + bound));
  EXPECT_TRUE(IsInMap(
      "class A:\n  def f(self, x):\n    return seek(x)\n  def run(self):\n    d.map(self.f)\n"));
}

TEST(RunsOnlyInsideOf, FollowsCallsToSuchAFunction) {
  EXPECT_TRUE(
      IsInMap("def g(x):\n    return seek(x)\ndef f(x):\n    return g(x)\nd.map(f)\nd.map(lambda "
              "x: g(x))\n"));
}

TEST(RunsOnlyInsideOf, IsFalseForAFunctionThatIsCalledAsWell) {
  EXPECT_FALSE(IsInMap("def f(x):\n    return seek(x)\nd.map(f)\nf(3)\n"));
  EXPECT_FALSE(IsInMap("def f(x):\n    return seek(x)\nd.map(f(3))\n"));
  EXPECT_FALSE(IsInMap("def f(x):\n    return seek(x)\nd.map(f)\ng = f\n"));
}

TEST(RunsOnlyInsideOf, IsFalseForAFunctionThatNothingUses) {
  EXPECT_FALSE(IsInMap("def f(x):\n    return seek(x)\n"));
  EXPECT_FALSE(IsInMap("seek(x)\n"));
}

TEST(RunsOnlyInsideOf, EndsWhereAFunctionCallsItself) {
  EXPECT_TRUE(IsInMap("def f(x):\n    return f(seek(x))\nd.map(f)\n"));
}

}  // namespace
}  // namespace transplt
