// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/value_sources.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/unit/parsed_file.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

using Files = std::map<std::string, std::string>;

/// The texts of what the argument of `ask(...)` in main.py is made by, sorted.
std::vector<std::string> SourcesIn(const Files& files) {
  std::vector<std::string> paths;
  for (const auto& [path, text] : files) paths.push_back(path);
  const ProjectIndex project(
      paths, [&](const std::string& path) -> Result<std::string> { return files.at(path); });
  const auto main = project.Open("main.py");
  const ValueSources values(main->names(), &project);
  std::vector<std::string> texts;
  for (const Node node : NodesIn(main->tree())) {
    if (!node.Is(NodeKind::kCall) || node.Child(Field::kFunction).text() != "ask") continue;
    const Node asked = node.Child(Field::kArguments).first_named_child();
    for (const ValueSource& source : values.Of(asked)) texts.emplace_back(source.node.text());
  }
  std::ranges::sort(texts);
  return texts;
}

std::vector<std::string> SourcesIn(const std::string& code) {
  return SourcesIn(Files{{"main.py", code}});
}

using Texts = std::vector<std::string>;

TEST(ValueSources, FollowVariablesAndBothBranches) {
  EXPECT_EQ(SourcesIn("x = {1} if c else [2]\ny = (x)\nask(y)\n"), (Texts{"[2]", "{1}"}));
}

TEST(ValueSources, FollowANameThatTakesAPartOfWhatIsGiven) {
  EXPECT_EQ(SourcesIn("x, y = [1], [2]\nask(y)\n"), (Texts{"[2]"}));
  EXPECT_EQ(SourcesIn("def f():\n    return [1], [2]\nx, y = f()\nask(x)\n"), (Texts{"[1]"}));
  EXPECT_EQ(SourcesIn("def f():\n    if c:\n        return (1, 2)\n    z = 3, 4\n    return z\n"
                      "(x, y) = f()\nask(y)\n"),
            (Texts{"2", "4"}));
  EXPECT_EQ(SourcesIn({{"lib.py", "def make():\n    return {1}, {2}\n"},
                       {"main.py", "import lib\na, b = lib.make()\nask(a)\n"}}),
            (Texts{"{1}"}));
  EXPECT_EQ(SourcesIn("x, (y, z) = [1], ([2], [3])\nask(z)\n"), (Texts{"[3]"}));
  EXPECT_EQ(SourcesIn("def g():\n    return [2], [3]\ndef f():\n    return [1], g()\n"
                      "x, (y, z) = f()\nask(y)\n"),
            (Texts{"[2]"}));
  // What a part is cannot be seen: the name itself is told.
  EXPECT_EQ(SourcesIn("x, (y, z) = [1], f()\nask(z)\n"), (Texts{"z"}));
  EXPECT_EQ(SourcesIn("x, (*y, z) = [1], ([2], [3])\nask(y)\n"), (Texts{"y"}));
  EXPECT_EQ(SourcesIn("x, *y = [1], [2], [3]\nask(y)\n"), (Texts{"y"}));
  EXPECT_EQ(SourcesIn("x, y = f()\nask(x)\n"), (Texts{"x"}));
  EXPECT_EQ(SourcesIn("x, y = [1], [2], [3]\nask(x)\n"), (Texts{"x"}));
  EXPECT_EQ(SourcesIn("for x, y in z:\n    ask(x)\n"), (Texts{"x"}));
  EXPECT_EQ(SourcesIn("x, y = y, x\nask(x)\n"), Texts{});
}

TEST(ValueSources, FollowTheVariableOfALoopToTheMembersOfAList) {
  EXPECT_EQ(SourcesIn("for x in [1, f(2)]:\n    ask(x)\n"), (Texts{"1", "f(2)"}));
  EXPECT_EQ(SourcesIn("a, b = 1, 2\ny = [ask(x) for x in (a, b, a)]\n"), (Texts{"1", "2"}));
  EXPECT_EQ(SourcesIn("all = [(1, 2), (3, 4)]\nfor x, y in all:\n    ask(y)\n"), (Texts{"2", "4"}));
  EXPECT_EQ(SourcesIn("all = []\nall.append({1})\nfor x in all:\n    ask(x)\n"), (Texts{"{1}"}));
  // What a member is cannot be seen: the variable itself is told.
  EXPECT_EQ(SourcesIn("for x in [1, *y]:\n    ask(x)\n"), (Texts{"x"}));
  EXPECT_EQ(SourcesIn("for x in []:\n    ask(x)\n"), (Texts{"x"}));
  EXPECT_EQ(SourcesIn("for x, y in [1, 2]:\n    ask(y)\n"), (Texts{"y", "y"}));
  EXPECT_EQ(SourcesIn("for i, x in enumerate([1, 2]):\n    ask(x)\n"), (Texts{"x"}));
}

TEST(ValueSources, FollowAParameterToItsCallersAndItsDefault) {
  EXPECT_EQ(SourcesIn("def f(x=0):\n    ask(x)\nf([1])\nf(x=[2])\n"), (Texts{"0", "[1]", "[2]"}));
}

TEST(ValueSources, FollowAnAttributeToTheClassThatSetsIt) {
  EXPECT_EQ(SourcesIn("class A:\n"
                      "    def __init__(self, x):\n"
                      "        self.x = x\n"
                      "a = A([1])\n"
                      "ask(a.x)\n"),
            (Texts{"[1]"}));
}

TEST(ValueSources, FollowWhatAMethodOfABaseReturns) {
  EXPECT_EQ(SourcesIn({{"base.py", "class Base:\n    def make(self):\n        return [1]\n"},
                       {"main.py",
                        "from base import Base\n"
                        "class A(Base):\n    def go(self):\n"
                        "        ask(self.make())\n"}}),
            (Texts{"[1]"}));
}

TEST(ValueSources, FollowAnImportedValueAndAnImportedFunction) {
  EXPECT_EQ(SourcesIn({{"other.py", "x = [1]\ndef f():\n    return x\n"},
                       {"main.py", "from other import x, f\nask(x)\nask(f())\n"}}),
            (Texts{"[1]", "[1]"}));
}

TEST(ValueSources, EndAtWhatLeadsNoFurther) {
  EXPECT_EQ(SourcesIn("import lib\nfor i in y:\n    ask(i)\nask(lib.f())\n"),
            (Texts{"i", "lib.f()"}));
}

TEST(ValueSources, EndWhereTheWayIsACircle) {
  EXPECT_EQ(SourcesIn("def f(x):\n    return g(x)\ndef g(x):\n    return f(x)\nask(f(0))\n"),
            (Texts{}));
}

TEST(ValueSources, TellMethodsOfTwoClassesApart) {
  EXPECT_EQ(SourcesIn("class A:\n    def make(self):\n        return [1]\n"
                      "class B:\n    def make(self):\n        return [2]\n"
                      "    def go(self):\n        ask(self.make())\n"),
            (Texts{"[2]"}));
}

}  // namespace
}  // namespace transplt
