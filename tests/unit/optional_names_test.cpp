// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/optional_names.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/unit/parsed_file.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// The places that need what the first import of the file need not have brought: lines, and
/// whether a test refuses them.
std::vector<std::pair<uint32_t, bool>> PlacesThatNeedIt(const std::string& code) {
  const ParsedFile file(code);
  const NameTable names(file.tree(), "file", false);
  for (const Node node : NodesIn(file.tree().root())) {
    const bool is_import =
        node.Is(NodeKind::kImportStatement) || node.Is(NodeKind::kImportFromStatement);
    if (!is_import) continue;
    std::vector<std::pair<uint32_t, bool>> places;
    for (const auto& [use, is_refused] : UsesWithoutImport(node, names, nullptr)) {
      places.emplace_back(file.tree().source().Locate(use.range().start).line, is_refused);
    }
    return places;
  }
  ADD_FAILURE() << "no import";
  return {};
}

std::vector<uint32_t> LinesThatNeedIt(const std::string& code) {
  std::vector<uint32_t> lines;
  for (const auto& [line, is_refused] : PlacesThatNeedIt(code)) lines.push_back(line);
  return lines;
}

using LineNumbers = std::vector<uint32_t>;

const std::string kPass = "try:\n    import x\nexcept ImportError:\n    pass\n";      // 4
const std::string kNone = "try:\n    import x\nexcept ImportError:\n    x = None\n";  // 4
const std::string kFlag =
    "try:\n    import x\n    HAS = True\nexcept ImportError:\n    HAS = False\n";  // 5

/// The lines that need what the last assignment of the module, of a call, need not have brought.
LineNumbers LinesThatNeedCall(const std::string& code) {
  const ParsedFile file(code);
  const NameTable names(file.tree(), "file", false);
  LineNumbers lines;
  for (const Binding& binding : names.bindings()) {
    if (binding.scope != 0 || !binding.value.Is(NodeKind::kCall)) continue;
    for (const UseWithoutImport& needed : UsesWithoutImport(binding.statement, names, nullptr)) {
      lines.push_back(file.tree().source().Locate(needed.use.range().start).line);
    }
  }
  return lines;
}

TEST(OptionalNames, WhatACallMayHaveBroughtIsNeededWhereNoTestDecides) {
  EXPECT_EQ(LinesThatNeedCall("x = load()\ndef f(y):\n    x.g(y)\n"), LineNumbers({3}));
  EXPECT_EQ(LinesThatNeedCall("x = load()\ndef f(y):\n    if x is not None:\n        x.g(y)\n"),
            LineNumbers());
  EXPECT_EQ(LinesThatNeedCall("x = load()\ndef f(y):\n    h(x)\n"), LineNumbers());
}

TEST(OptionalNames, AMethodOfAClassThatIsOnlyUsedBehindATestNeedsNothing) {
  const std::string use = "class A:\n    def f(self):\n        x.g()\n";
  EXPECT_EQ(LinesThatNeedIt(kNone + use + "if x is not None:\n    A.apply()\n"), LineNumbers());
  EXPECT_EQ(LinesThatNeedIt(kNone + use + "A.apply()\n"), LineNumbers({7}));
}

TEST(OptionalNames, AnAttributeThatNeedsTheFlagIsATest) {
  const std::string set = "class A:\n    def f(self, w):\n        self.use = w and HAS\n";
  const std::string use = "        if self.use:\n            x.g()\n";
  EXPECT_EQ(LinesThatNeedIt(kFlag + set + use), LineNumbers());
  EXPECT_EQ(
      LinesThatNeedIt(kFlag + "class A:\n    def f(self, w):\n        self.use = w or HAS\n" + use),
      LineNumbers({10}));
  const std::string asked = "class A:\n    def f(self, w):\n        self.use = w and ";
  EXPECT_EQ(LinesThatNeedIt(kNone + asked + "x is not None\n" + use), LineNumbers());
  EXPECT_EQ(LinesThatNeedIt(kNone + asked + "(x is not None)\n" + use), LineNumbers());
  EXPECT_EQ(LinesThatNeedIt(kNone + asked + "x is None\n" + use), LineNumbers({9}));
  const std::string start = "class A:\n    def f(self, w):\n        self.use = w\n";
  const std::string off = "            self.use = False\n";
  EXPECT_EQ(LinesThatNeedIt(kFlag + start + "        if not HAS:\n" + off + use), LineNumbers());
  EXPECT_EQ(LinesThatNeedIt(kFlag + start + "        if HAS:\n" + off + use), LineNumbers({12}));
}

TEST(OptionalNames, ATestThatRefusesToGoOnNeedsTheImport) {
  const std::vector<std::pair<uint32_t, bool>> refused = {{6, true}};
  EXPECT_EQ(PlacesThatNeedIt(kFlag + "assert HAS\n"), refused);
  EXPECT_EQ(PlacesThatNeedIt(kFlag + "if not HAS:\n    raise ImportError('x')\n"), refused);
  EXPECT_EQ(PlacesThatNeedIt(kFlag + "if HAS:\n    y = x.A\nelse:\n    raise E\n"), refused);
  EXPECT_EQ(LinesThatNeedIt(kFlag + "def f():\n    if HAS:\n        return x.A\n    raise E\n"),
            LineNumbers({7}));
  EXPECT_EQ(LinesThatNeedIt(kFlag + "if HAS:\n    y = x.A\nelif z:\n    y = z\nelse:\n"
                                    "    raise E\n"),
            LineNumbers());
  EXPECT_EQ(LinesThatNeedIt(kFlag + "if HAS:\n    y = x.A\nelse:\n    y = 1\n"), LineNumbers());
  EXPECT_EQ(LinesThatNeedIt(kFlag + "assert not HAS\n"), LineNumbers());
  EXPECT_EQ(LinesThatNeedIt(kFlag + "if HAS:\n    raise ValueError\n"), LineNumbers());
  EXPECT_EQ(LinesThatNeedIt(kFlag + "def f(x):\n    if x and not HAS:\n        raise E\n"),
            LineNumbers());
  EXPECT_EQ(LinesThatNeedIt(kFlag + "if HAS:\n    assert HAS\n"), LineNumbers());
  EXPECT_EQ(LinesThatNeedIt(kFlag + "def f(HAS):\n    assert HAS\n"), LineNumbers());
}

TEST(OptionalNames, AMethodOfThatNameIsNoUse) {
  EXPECT_EQ(LinesThatNeedIt(kPass + "class A:\n    def x(self):\n        pass\n"), LineNumbers());
}

TEST(OptionalNames, AUseWithoutATestNeedsTheImport) {
  EXPECT_EQ(LinesThatNeedIt(kPass + "def f():\n    x.g()\n"), LineNumbers({6}));
  EXPECT_EQ(LinesThatNeedIt(kNone + "class A(x.Base):\n    pass\n"), LineNumbers({5}));
}

TEST(OptionalNames, NoneThatIsHandedOnIsNoNeed) {
  EXPECT_EQ(LinesThatNeedIt(kNone + "def f(y=x):\n    return [x, g(x), g(y=x)]\n"), LineNumbers());
  EXPECT_EQ(LinesThatNeedIt(kPass + "def f():\n    return g(x)\n"), LineNumbers({6}));
  EXPECT_EQ(LinesThatNeedIt(kNone + "@x\ndef f():\n    pass\n"), LineNumbers({5}));
  EXPECT_EQ(LinesThatNeedIt(kNone + "y = x[0]\n"), LineNumbers({5}));
}

TEST(OptionalNames, OfEachFunctionTheFirstUseIsGiven) {
  EXPECT_EQ(LinesThatNeedIt(kPass + "def f():\n    x.g()\n    x.h()\ndef k():\n    x.g()\n"),
            LineNumbers({6, 9}));
}

TEST(OptionalNames, ATestOfTheNameOrOfAFlagBesideItDecidesAboutTheUse) {
  EXPECT_EQ(LinesThatNeedIt(kNone + "def f():\n    if x is not None:\n        x.g()\n"),
            LineNumbers());
  EXPECT_EQ(LinesThatNeedIt(kFlag + "def f():\n    if HAS:\n        x.g()\n"), LineNumbers());
  EXPECT_EQ(LinesThatNeedIt(kFlag + "def f(y):\n    return x.g() if HAS else y\n"), LineNumbers());
  EXPECT_EQ(LinesThatNeedIt(kFlag + "def f(y):\n    return HAS and x.g()\n"), LineNumbers());
  EXPECT_EQ(LinesThatNeedIt(kNone + "OK = x is not None\nif OK:\n    x.g()\n"), LineNumbers());
}

TEST(OptionalNames, AVariableThatIsTurnedOffWithoutTheNameDecidesAboutTheUse) {
  const std::string off =
      "def f(use=True):\n    if use:\n        if busy() or not HAS:\n"
      "            use = False\n    if use:\n        x.g()\n";
  EXPECT_EQ(LinesThatNeedIt(kFlag + off), LineNumbers());
  EXPECT_EQ(LinesThatNeedIt(kFlag + off +
                            "    state.use = use\n\n\ndef back(state):\n"
                            "    if state.use:\n        x.h()\n"),
            LineNumbers());
  const std::string other =
      "def f(use=True):\n    if busy() and not HAS:\n        use = False\n"
      "    if use:\n        x.g()\n";
  EXPECT_EQ(LinesThatNeedIt(kFlag + other).size(), 1U);
}

TEST(OptionalNames, AVariableOfAnotherFunctionThatIsTurnedOffDecidesNothing) {
  const std::string off =
      "def f(use=True):\n    if not HAS:\n        use = False\n    return use\n";
  EXPECT_EQ(LinesThatNeedIt(kFlag + off + "def g(use):\n    if use:\n        x.g()\n"),
            LineNumbers({12}));
}

TEST(OptionalNames, ATestAroundAFunctionDecidesAboutItsUses) {
  EXPECT_EQ(LinesThatNeedIt(kFlag + "if HAS:\n    @x.jit\n    def f(y: x.T):\n        x.g()\n"
                                    "    class A:\n        def m(self):\n            x.h()\n"
                                    "else:\n    def f(y):\n        raise OSError\n"),
            LineNumbers());
  EXPECT_EQ(LinesThatNeedIt(kNone + "def f():\n    if x:\n        def g():\n            x.h()\n"),
            LineNumbers());
  EXPECT_EQ(LinesThatNeedIt(kFlag + "if OTHER:\n    def f():\n        x.g()\n"), LineNumbers({8}));
}

TEST(OptionalNames, AConditionThatUsesAPartOfTheNameIsNoTest) {
  const std::string branches = "    if x.has():\n        x.g()\n    else:\n        x.h()\n";
  EXPECT_EQ(LinesThatNeedIt(kNone + "def f():\n" + branches), LineNumbers({6}));
  EXPECT_EQ(
      PlacesThatNeedIt(kNone + "def f():\n    if x is None:\n        raise OSError\n" + branches),
      (std::vector<std::pair<uint32_t, bool>>{{8, true}}));
  EXPECT_EQ(LinesThatNeedIt(kNone + "def f():\n    if x and x.has():\n        x.g()\n"),
            LineNumbers());
}

TEST(OptionalNames, AnEarlyReturnIsATestAndAnErrorOrAnAssertionIsNone) {
  const std::string use = "    return x.g()\n";
  EXPECT_EQ(LinesThatNeedIt(kNone + "def f():\n    if x is None:\n        return 1\n" + use),
            LineNumbers());
  EXPECT_EQ(LinesThatNeedIt(kNone + "def f():\n    if x is None:\n        raise OSError\n" + use),
            LineNumbers({8}));
  EXPECT_EQ(LinesThatNeedIt(kNone + "def f():\n    assert x is not None\n"), LineNumbers({6}));
}

TEST(OptionalNames, ATestThatEndsTheProgramIsToldFromAUseWithoutATest) {
  using Places = std::vector<std::pair<uint32_t, bool>>;
  EXPECT_EQ(PlacesThatNeedIt(kNone + "def f():\n    assert x is not None, 'install x'\n"),
            Places({{6, true}}));
  EXPECT_EQ(
      PlacesThatNeedIt(kNone + "def f():\n    if x is None:\n        raise OSError\n    x.g()\n"),
      Places({{8, true}}));
  EXPECT_EQ(PlacesThatNeedIt(kNone + "def f():\n    return x.g()\n"), Places({{6, false}}));
}

TEST(OptionalNames, APartOfAModuleInAnImportIsNoUse) {
  const std::string import = "if is_x_available():\n    import y as x\n";
  EXPECT_EQ(LinesThatNeedIt(import + "from a.b.x import C\nimport a.x\n"), LineNumbers());
}

TEST(OptionalNames, AnotherQuestionForThePackageIsATest) {
  const std::string import = "if is_x_available():\n    import y as x\n";
  EXPECT_EQ(LinesThatNeedIt(import + "def f():\n    if is_x_4bit_available():\n        x.g()\n"),
            LineNumbers());
  EXPECT_EQ(LinesThatNeedIt(import + "def f(z):\n    return is_y_available() and x.g()\n"),
            LineNumbers());
  EXPECT_EQ(LinesThatNeedIt(import + "def f():\n    if is_z_available():\n        x.g()\n"),
            LineNumbers({5}));
}

TEST(OptionalNames, AFunctionThatIsCalledOnlyBehindATestNeedsNothing) {
  const std::string function = "def f():\n    return x.g()\ndef k():\n    if HAS:\n        f()\n";
  EXPECT_EQ(LinesThatNeedIt(kFlag + function), LineNumbers());
  EXPECT_EQ(LinesThatNeedIt(kFlag + function + "f()\n"), LineNumbers({7}));
}

TEST(OptionalNames, AChoiceThatATestMakesDecidesAboutTheUse) {
  const std::string kind = kFlag + "def kind():\n    if HAS:\n        return 'x'\n    return 'y'\n";
  const std::string use = "def f():\n    x.g()\ndef h():\n    if KIND == 'x':\n        f()\n";
  EXPECT_EQ(LinesThatNeedIt(kind + "KIND = kind()\n" + use), LineNumbers());
  EXPECT_EQ(LinesThatNeedIt(kFlag + "KIND = 'x'\n" + use), LineNumbers({8}));
}

TEST(OptionalNames, ANameThatSomethingElseGivesAValueNeedsNothing) {
  const std::string other = "try:\n    import x\nexcept ImportError:\n    import y as x\nx.g()\n";
  EXPECT_EQ(LinesThatNeedIt(other), LineNumbers());
  EXPECT_EQ(LinesThatNeedIt(kNone + "def f(x):\n    x.g()\n"), LineNumbers());
}

TEST(OptionalNames, AnnotationsAndErrorsThatAreTakenNeedNothing) {
  EXPECT_EQ(LinesThatNeedIt(kNone + "def f(a: x.Type):\n    return a\n"), LineNumbers());
  EXPECT_EQ(LinesThatNeedIt(kNone + "try:\n    x.g()\nexcept Exception:\n    pass\n"),
            LineNumbers());
}

TEST(OptionalNames, AnImportUnderAnIfOfTheModuleIsOptional) {
  const std::string code = "if has_x():\n    import x\n";
  EXPECT_EQ(LinesThatNeedIt(code + "def f():\n    x.g()\n"), LineNumbers({4}));
  EXPECT_EQ(LinesThatNeedIt(code + "def f():\n    if has_x():\n        x.g()\n"), LineNumbers());
  EXPECT_EQ(LinesThatNeedIt(code + "else:\n    import y as x\nx.g()\n"), LineNumbers());
}

TEST(OptionalNames, AStandInThatOnlyRaisesNeedsTheImportWhereItIsCalled) {
  const std::string from = "try:\n    from x import A\nexcept ImportError:\n";
  const std::string raises =
      "    class A:\n        def __init__(self, *a):\n            raise Error()\n";
  const std::string works =
      "    class A:\n        def __init__(self, *a):\n            self.a = a\n";
  const std::string fails = "    def A():\n        'no x'\n        raise Error()\n    pass\n";
  EXPECT_EQ(LinesThatNeedIt(from + raises + "y = A(1)\n"), LineNumbers({7}));
  EXPECT_EQ(LinesThatNeedIt(from + fails + "y = A(1)\n"), LineNumbers({8}));
  EXPECT_EQ(LinesThatNeedIt(from + works + "y = A(1)\n"), LineNumbers());
  EXPECT_EQ(LinesThatNeedIt(from + raises + "y = {'a': A}\n"), LineNumbers());
  const std::string part = "try:\n    import x\n    B = x.b.A\nexcept ImportError:\n";
  EXPECT_EQ(LinesThatNeedIt(part + raises + "    B = A\ny = B(1)\n"), LineNumbers({9}));
  EXPECT_EQ(LinesThatNeedIt(part + works + "    B = A\ny = B(1)\n"), LineNumbers());
  EXPECT_EQ(LinesThatNeedIt(part + "    B = None\nif B:\n    B(1)\n"), LineNumbers());
}

TEST(OptionalNames, AnImportThatHasToSucceedIsNotOptional) {
  EXPECT_EQ(LinesThatNeedIt("import x\nx.g()\n"), LineNumbers());
  EXPECT_EQ(LinesThatNeedIt("try:\n    import x\nexcept ImportError:\n    raise\nx.g()\n"),
            LineNumbers());
}

}  // namespace
}  // namespace transplt
