// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/result_uses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/unit/parsed_file.h"

namespace transplt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::array<std::string_view, 8> kKinds = {"member", "item",       "unpacked", "ordered",
                                                    "equal",  "membership", "computed", "returned"};

/// "line kind text" of every use of what lib.get() gives in `code`, but of arguments; "guarded" is
/// added.
std::vector<std::string> Uses(const std::string& code,
                              const std::map<std::string, std::string>& others = {}) {
  const ParsedFile file(code, "main.py");
  std::vector<std::string> paths = {"main.py"};
  for (const auto& [path, text] : others) paths.push_back(path);
  const ProjectIndex project(paths, [&](const std::string& path) -> Result<std::string> {
    return path == "main.py" ? code : others.at(path);
  });
  const NameTable names(file.tree(), "main", false, &project);
  const Classes classes(names, &project);
  const ResultUses results(names, classes, &project);
  std::vector<std::string> uses;
  for (const ResultUse& use : results.Of("lib.get", {"lower"})) {
    if (use.kind == ResultUse::Kind::kPassed) continue;
    uses.push_back(std::to_string(file.source().Locate(use.node.range().start).line) + " " +
                   std::string(kKinds[static_cast<size_t>(use.kind)]) + " " +
                   std::string(use.node.text()) + (results.IsGuarded(use) ? " guarded" : ""));
  }
  return uses;
}

TEST(ResultUses, TakesNoMemberOfAnotherObjectForTheVariableOfItsName) {
  EXPECT_THAT(Uses("import lib\nstate = lib.get()\nother.state()\nf(state=1)\n"), IsEmpty());
}

TEST(ResultUses, FollowsCallsOfAnObjectUnlessItsClassDefinesTheMethodThatTheyRun) {
  const std::string code =
      "import lib\nmodel = lib.get()\nloss, logits = model(1)\noutput = model(2)\na, b = output\n"
      "class Own(lib.get):\n    def forward(self, x):\n        return x, x\nc, d = Own()(3)\n";
  const ParsedFile file(code, "main.py");
  const NameTable names(file.tree(), "main", false, nullptr);
  const Classes classes(names, nullptr);
  const ResultUses results(names, classes, nullptr);
  const auto unpacked = [&](const std::vector<std::string>& through) {
    std::vector<std::string> found;
    for (const ResultUse& use : results.Of("lib.get", through)) {
      if (use.kind != ResultUse::Kind::kUnpacked) continue;
      found.push_back(std::string(use.node.text()) + " of " + std::string(use.run.text()));
    }
    return found;
  };
  EXPECT_THAT(unpacked({"forward()"}),
              ElementsAre("loss, logits = model(1) of model(1)", "a, b = output of model(2)"));
  EXPECT_THAT(unpacked({}), IsEmpty());
}

TEST(ResultUses, FollowsItemsWhereTheyAreAskedFor) {
  const std::string code =
      "import lib\nstate = lib.get()\nstate['model'].eval()\nstate.get('ema').train()\n"
      "for part in state:\n    pass\n";
  const ParsedFile file(code, "main.py");
  const NameTable names(file.tree(), "main", false, nullptr);
  const Classes classes(names, nullptr);
  const ResultUses results(names, classes, nullptr);
  const auto members = [&](const std::vector<std::string>& through) {
    std::vector<std::string> found;
    for (const ResultUse& use : results.Of("lib.get", through)) {
      if (use.kind == ResultUse::Kind::kMember) found.emplace_back(use.member);
    }
    return found;
  };
  EXPECT_THAT(members({}), ElementsAre("get"));
  EXPECT_THAT(members({"[]", "get"}), ElementsAre("eval", "train"));
}

TEST(ResultUses, AreFoundInTheSameExpression) {
  EXPECT_THAT(Uses("import lib\nx = lib.get(0).count\n"), ElementsAre("2 member lib.get(0).count"));
  EXPECT_THAT(Uses("import lib\na, b = lib.get()\n"), ElementsAre("2 unpacked a, b = lib.get()"));
  EXPECT_THAT(Uses("import lib\nx = lib.get()[0] >= 8\n"), ElementsAre("2 item lib.get()[0]"));
  EXPECT_THAT(Uses("import lib\nx = 'A' in lib.get()\n"),
              ElementsAre("2 membership 'A' in lib.get()"));
  EXPECT_THAT(Uses("import lib\nx = lib.get() not in [1]\n"),
              ElementsAre("2 membership lib.get() not in [1]"));
  EXPECT_THAT(Uses("import lib\nx = lib.get() == 'A'\n"), ElementsAre("2 equal lib.get() == 'A'"));
  EXPECT_THAT(Uses("import lib\nx = lib.get() * 2\n"), ElementsAre("2 computed lib.get() * 2"));
  EXPECT_THAT(Uses("import lib\nx = getattr(lib.get(), 'count')\n"),
              ElementsAre("2 member getattr(lib.get(), 'count')"));
}

TEST(ResultUses, AreFoundThroughVariables) {
  EXPECT_THAT(Uses("import lib\nx = lib.get()\ny = x\nprint(y.count)\n"),
              ElementsAre("4 member y.count"));
  EXPECT_THAT(Uses("import lib\nx = y = lib.get()\nprint(x.a, y.b)\n"),
              ElementsAre("3 member x.a", "3 member y.b"));
  EXPECT_THAT(Uses("import lib\nn, x = 1, lib.get()\nx[0], n[0]\n"), ElementsAre("3 item x[0]"));
  EXPECT_THAT(Uses("import lib\nif (x := lib.get()) > 1:\n    x[0]\n"),
              ElementsAre("2 ordered (x := lib.get()) > 1", "3 item x[0] guarded"));
  EXPECT_THAT(Uses("import lib\nwith lib.get() as x:\n    pass\nx.events()\n"),
              ElementsAre("4 member x.events"));
  EXPECT_THAT(Uses("import lib\nx = lib.get() if a else None\nx[0]\n"), ElementsAre("3 item x[0]"));
}

TEST(ResultUses, AreNotThoseOfOtherVariablesOfTheName) {
  EXPECT_THAT(Uses("import lib\nx = lib.get()\ndef f(x):\n    return x[0]\n"), IsEmpty());
  EXPECT_THAT(Uses("import lib\nx = lib.get()\nx = 1\nx[0]\n"), IsEmpty());
}

TEST(ResultUses, AreFoundThroughAttributesOfSelf) {
  EXPECT_THAT(Uses("import lib\nclass A:\n    def __init__(self):\n        self.x = lib.get()\n"
                   "    def f(self):\n        return self.x.count + 1\n"
                   "class B:\n    def f(self):\n        return self.x.count\n"),
              ElementsAre("6 member self.x.count"));
  EXPECT_THAT(Uses("import lib\nclass A:\n    x = lib.get()\n    def f(self):\n"
                   "        a = self.x[0]\n"),
              ElementsAre("5 item self.x[0]"));
}

TEST(ResultUses, AreFoundThroughFunctionsThatReturnThem) {
  EXPECT_THAT(Uses("import lib\ndef f():\n    x = lib.get()\n    return x\na, b = f()\n"),
              ElementsAre("4 returned return x", "5 unpacked a, b = f()"));
  EXPECT_THAT(
      Uses("import lib\nclass A:\n    def f(self):\n        return lib.get()\n"
           "    @property\n    def g(self):\n        return self.f()\n"
           "    def h(self):\n        a = self.g[0]\n"),
      ElementsAre("4 returned return lib.get()", "7 returned return self.f()", "9 item self.g[0]"));
}

TEST(ResultUses, AreFoundInFunctionsThatTakeThem) {
  EXPECT_THAT(Uses("import lib\ndef f(n, x):\n    x.count\nf(1, lib.get())\nf(2, x=lib.get())\n"),
              ElementsAre("3 member x.count"));
}

TEST(ResultUses, AreFoundThroughFunctionsOfOtherFiles) {
  const std::map<std::string, std::string> others = {
      {"helpers.py", "import lib\ndef get_it():\n    x = lib.get()\n    return x\n"},
      {"more.py", "from helpers import get_it\ndef again():\n    return get_it()\n"}};
  EXPECT_THAT(Uses("from helpers import get_it\nget_it().count\n", others),
              ElementsAre("2 member get_it().count"));
  EXPECT_THAT(Uses("import more\nx = more.again()\nx.count\n", others),
              ElementsAre("3 member x.count"));
  EXPECT_THAT(Uses("from helpers import other\nother().count\n", others), IsEmpty());
}

TEST(ResultUses, AreThoseOfObjectsOfDerivedClasses) {
  EXPECT_THAT(Uses("from own import Mine\nx = Mine()\nx.seed(1)\nx.step()\n",
                   {{"own.py",
                     "import lib\nclass Base(lib.get):\n  def step(self):\n    pass\n"
                     "class Mine(Base):\n  pass\n"}}),
              ElementsAre("3 member x.seed"));
}

TEST(ResultUses, AreFoundWhereSeveralValuesAreAssignedAtOnce) {
  EXPECT_THAT(Uses("import lib\nx, done = lib.get(), False\nx.mean()\ndone.mean()\n"),
              ElementsAre("3 member x.mean"));
}

TEST(ResultUses, FollowWhatGivesTheSameInAnotherForm) {
  EXPECT_THAT(Uses("import lib\nx = lib.get().lower()\ny = 'a' in x\n"),
              ElementsAre("3 membership 'a' in x"));
}

TEST(ResultUses, LeaveOutWhatAsksForNoneOnly) {
  EXPECT_THAT(Uses("import lib\nx = lib.get()\nif x is None or not x:\n    pass\nprint(x)\n"),
              IsEmpty());
  EXPECT_THAT(Uses("import lib\na, b = lib.get() or (0, 0)\n"), IsEmpty());
  EXPECT_THAT(Uses("import lib\nprint(f'{lib.get()}', '%s' % lib.get())\n"), IsEmpty());
  EXPECT_THAT(Uses("import lib\nprint('%d.%d' % lib.get())\n"),
              ElementsAre("2 unpacked '%d.%d' % lib.get()"));
}

TEST(ResultUses, AreGuardedByWhatTheProgramAsksBefore) {
  for (const std::string_view code :
       {"if x is not None:\n    x[0]\n", "if x is None:\n    exit\nelse:\n    x[0]\n",
        "y = x[0] if x else 0\n", "y = x is not None and x[0]\n",
        "def f():\n    if x is None:\n        return\n    x[0]\n",
        "try:\n    x[0]\nexcept TypeError:\n    pass\n", "try:\n    x[0]\nexcept:\n    pass\n"}) {
    EXPECT_THAT(Uses("import lib\nx = lib.get()\n" + std::string(code)),
                ElementsAre(testing::EndsWith("x[0] guarded")))
        << code;
  }
  EXPECT_THAT(Uses("import lib\nx = lib.get()\nif hasattr(x, 'a'):\n    x.a\nx.a\n"),
              ElementsAre("4 member x.a guarded", "5 member x.a"));
  EXPECT_THAT(Uses("import lib\nx = lib.get()\ntry:\n    x[0]\nexcept KeyError:\n    pass\n"),
              ElementsAre("4 item x[0]"));
}

TEST(ResultUses, NameTheFunctionThatTheResultIsPassedTo) {
  const ParsedFile file(
      "import lib\ndef own(x):\n    model.take(x)\n"
      "y = lib.get()\nown(y)\nprint(end=lib.get())\n",
      "main.py");
  const NameTable names(file.tree(), "main", false);
  const Classes classes(names, nullptr);
  const ResultUses results(names, classes, nullptr);
  std::vector<std::string> passed;
  for (const ResultUse& use : results.Of("lib.get", {})) {
    if (use.kind == ResultUse::Kind::kPassed) passed.emplace_back(use.member);
  }
  EXPECT_THAT(passed, ElementsAre("take", "print"));
}

/// The members of what gym.make() gives in `code`, with "passed on" where a wrapper has its own.
std::vector<std::string> MembersOfEnvironment(const std::string& code,
                                              const std::string& wrappers = "") {
  const ParsedFile file(code, "main.py");
  const ProjectIndex project({"main.py", "wrappers.py"}, [&](const std::string& path) {
    return Result<std::string>(path == "main.py" ? code : wrappers);
  });
  const NameTable names(file.tree(), "main", false, &project);
  const Classes classes(names, &project);
  const ResultUses results(names, classes, &project);
  std::vector<std::string> members;
  for (const ResultUse& use : results.Of("gym.make", {})) {
    if (use.kind != ResultUse::Kind::kMember) continue;
    members.push_back(std::string(use.node.text()) + (use.passed_on_by ? " passed on" : ""));
  }
  return members;
}

TEST(ResultUses, AreFoundThroughWhatWrapsTheResult) {
  EXPECT_THAT(MembersOfEnvironment("import gym\nx = gym.make('A')\n"
                                   "x = gym.wrappers.TimeLimit(x, 9)\nx.step(0)\n"),
              ElementsAre("x.step"));
  EXPECT_THAT(MembersOfEnvironment("import gym\nfrom wrappers import Plain\n"
                                   "x = Plain(gym.make('A'))\nx.step(0)\n",
                                   "import gym\nclass Plain(gym.Wrapper):\n    pass\n"),
              ElementsAre("x.step"));
}

TEST(ResultUses, AreNotWhatAWrapperDefinesAnew) {
  EXPECT_THAT(MembersOfEnvironment("import gym\nfrom wrappers import Own\n"
                                   "x = gym.wrappers.TimeLimit(Own(gym.make('A')), 9)\nx.step(0)\n"
                                   "x.reset()\n",
                                   "import gym\nclass Own(gym.Wrapper):\n    def step(self, a):\n"
                                   "        return self.env.step(a)\n"),
              ElementsAre("x.reset"));
}

TEST(ResultUses, SayWhichWrapperPassesACallOn) {
  EXPECT_THAT(MembersOfEnvironment("import gym\nclass Own(gym.Wrapper):\n    def step(self, a):\n"
                                   "        return self.env.step(a)\n    def seed(self, s):\n"
                                   "        return s\nx = Own(gym.make('A'))\nx.step(0)\n"
                                   "x.seed(1)\n"),
              ElementsAre("x.step passed on"));
  EXPECT_THAT(MembersOfEnvironment("import gym\nclass Own(gym.Wrapper):\n    def step(self, a):\n"
                                   "        return self.env.step(a)\nx = Own(gym.make('A'))\n"
                                   "y = gym.make('B')\ny.step(0)\n"),
              ElementsAre("y.step"));
}

TEST(ResultUses, EndWhereNamesGoInACircle) {
  EXPECT_THAT(Uses("import lib\nx = lib.get()\nfor i in y:\n    x = y2 = x\n    y2 = x\nx.a\n"),
              ElementsAre("6 member x.a"));
  EXPECT_THAT(Uses("import lib\ndef f():\n    return g()\ndef g():\n    return f() or lib.get()\n"),
              ElementsAre("3 returned return g()", "5 returned return f() or lib.get()"));
}

}  // namespace
}  // namespace transplt
