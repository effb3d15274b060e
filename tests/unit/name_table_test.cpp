// SPDX-License-Identifier: Apache-2.0
#include "transplt/python/name_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/parsed_file.h"
#include "transplt/python/places_of_file.h"

namespace transplt {
namespace {

/// What the argument of the `nth` call of use() stands for: "torch.cuda", "A|B" for several
/// possibilities, "local x" for a definition of the file, "" for no name.
std::string Used(const std::string& code, int nth = 0, const std::string& module = "pkg.mod",
                 bool is_package = false) {
  const ParsedFile file(code);
  const NameTable names(file.tree(), module, is_package);
  for (uint32_t id = 0; id < file.tree().size(); ++id) {
    const Node node = file.tree().node(id);
    if (!node.Is(NodeKind::kCall) || node.Child(Field::kFunction).text() != "use") continue;
    if (nth-- > 0) continue;
    std::string text;
    for (const QualifiedName& name :
         names.Resolve(node.Child(Field::kArguments).first_named_child())) {
      text += (text.empty() ? "" : "|") + std::string(name.local ? "local " : "") + name.name;
    }
    return text;
  }
  ADD_FAILURE() << "no such use()";
  return "";
}

/// The lines of the bindings that the argument of the first use() can mean: "1, 4".
std::string BoundAt(const std::string& code) {
  const ParsedFile file(code);
  const NameTable names(file.tree(), "mod", false);
  const Node call = file.Find(NodeKind::kIdentifier, "use").parent();
  std::string lines;
  for (const Binding* binding :
       names.BindingsOf(call.Child(Field::kArguments).first_named_child())) {
    lines += (lines.empty() ? "" : ", ") +
             std::to_string(file.source().Locate(binding->node.range().start).line);
  }
  return lines;
}

// Imports.

TEST(NameTable, AnImportBindsItsFirstWord) {
  EXPECT_EQ(Used("import torch.cuda.amp\nuse(torch.cuda.amp)\n"), "torch.cuda.amp");
  EXPECT_EQ(Used("import torch.cuda.amp\nuse(torch.nn)\n"), "torch.nn");
}

TEST(NameTable, AnAliasStandsForTheWholeDottedName) {
  EXPECT_EQ(Used("import torch.cuda as tc\nuse(tc.amp)\n"), "torch.cuda.amp");
  EXPECT_EQ(Used("import torch.cuda as tc\nuse(torch)\n"), "torch");
}

TEST(NameTable, AModuleThatIsImportedByNameStandsForItself) {
  EXPECT_EQ(Used("import importlib\nops = importlib.import_module('pkg.ops')\nuse(ops.run)\n"),
            "pkg.ops.run");
  EXPECT_EQ(Used("from mmcv.utils import ext_loader\nt = ext_loader.load_ext('_ext', ['nms'])\n"
                 "use(t.nms)\n"),
            "mmcv._ext.nms");
  EXPECT_EQ(Used("from importlib import import_module\nt = import_module('torch')\nuse(t.cuda)\n"),
            "torch.cuda");
  EXPECT_EQ(Used("top = __import__('torch.cuda')\nuse(top.nn)\n"), "torch.nn");
}

TEST(NameTable, ASecondPathOfALibraryGivesTheNameThatItsPackageKnows) {
  EXPECT_EQ(Used("from torch.profiler.profiler import profile\nuse(profile)\n"),
            "torch.profiler.profile");
  EXPECT_EQ(Used("import torch\nuse(torch.utils.data.dataloader.DataLoader)\n"),
            "torch.utils.data.DataLoader");
  EXPECT_EQ(Used("import torch.distributed.distributed_c10d as c\nuse(c.all_reduce)\n"),
            "torch.distributed.all_reduce");
  EXPECT_EQ(Used("from torch.optim.adam import Adam\nuse(Adam)\n"), "torch.optim.Adam");
  EXPECT_EQ(Used("import torch.distributed.distributed_c10d as c\nuse(c._pg_map)\n"),
            "torch.distributed.distributed_c10d._pg_map");
  EXPECT_EQ(Used("import torch\nuse(torch.profiler.profiler)\n"), "torch.profiler.profiler");
}

TEST(NameTable, WhatAFunctionImportsAndReturnsOrNoneStandsForItself) {
  const std::string load =
      "def load():\n    try:\n        import pkg.ops as m\n    except ImportError:\n"
      "        m = None\n    return m\n\n\n";
  EXPECT_EQ(Used(load + "ops = load()\nuse(ops.run)\n"), "pkg.ops.run");
  EXPECT_EQ(Used(load + "ops = load(3)\nuse(ops.run)\n"), "");
  EXPECT_EQ(Used("def load():\n    import pkg.ops as m\n    if later:\n        return 3\n"
                 "    return m\n\n\nops = load()\nuse(ops.run)\n"),
            "");
}

TEST(NameTable, WhatOnlyLooksLikeAnImportByNameHasNoName) {
  EXPECT_EQ(
      Used("def import_module(n):\n    return n\n\nt = import_module('torch')\nuse(t.cuda)\n"), "");
  EXPECT_EQ(Used("import importlib\nt = importlib.import_module(name)\nuse(t.cuda)\n"), "");
  EXPECT_EQ(Used("import importlib\nt = importlib.import_module('.ops', 'pkg')\nuse(t.f)\n"), "");
}

TEST(NameTable, AFromImportStandsForAMemberOfItsModule) {
  EXPECT_EQ(Used("from torch import cuda\nuse(cuda.amp)\n"), "torch.cuda.amp");
  EXPECT_EQ(Used("from torch.cuda import amp as a, Stream\nuse(a.autocast)\n"),
            "torch.cuda.amp.autocast");
  EXPECT_EQ(Used("from torch.cuda import amp as a, Stream\nuse(Stream)\n"), "torch.cuda.Stream");
}

TEST(NameTable, ARelativeImportIsMadeAbsolute) {
  EXPECT_EQ(Used("from .x import y\nuse(y)\n"), "pkg.x.y");
  EXPECT_EQ(Used("from . import y\nuse(y)\n"), "pkg.y");
  EXPECT_EQ(Used("from ..x import y\nuse(y)\n", 0, "a.b.mod"), "a.x.y");
  EXPECT_EQ(Used("from .x import y\nuse(y)\n", 0, "a.b", true), "a.b.x.y");
}

TEST(NameTable, ARelativeImportAtTheRootIsNothingThatIsInstalled) {
  EXPECT_EQ(Used("from .torch import y\nuse(y)\n", 0, "mod"), ".torch.y");
  EXPECT_EQ(Used("from ...torch import y\nuse(y)\n", 0, "a.mod"), "..torch.y");
}

TEST(NameTable, AStarImportLeavesBothPossibilities) {
  EXPECT_EQ(Used("from torch import *\nuse(cuda)\n"), "cuda|torch.cuda");
}

TEST(NameTable, ANameWithoutABindingStandsForItself) {
  EXPECT_EQ(Used("use(torch.cuda)\n"), "torch.cuda");
}

TEST(NameTable, ImportsOfBothBranchesAreKept) {
  EXPECT_EQ(Used("try:\n    import a as m\nexcept ImportError:\n    import b as m\nuse(m.x)\n"),
            "a.x|b.x");
  EXPECT_EQ(Used("if c:\n    import a as m\nelse:\n    import b as m\nuse(m.x)\n"), "a.x|b.x");
}

TEST(NameTable, AnImportInAFunctionStaysThere) {
  const std::string code = "def f():\n    import torch as t\n    use(t)\nuse(t)\n";
  EXPECT_EQ(Used(code, 0), "torch");
  EXPECT_EQ(Used(code, 1), "t");
}

// Assignments.

TEST(NameTable, AnAssignedNameIsFollowed) {
  EXPECT_EQ(Used("import torch\nc = torch.cuda\nd = c\nuse(d.amp)\n"), "torch.cuda.amp");
}

TEST(NameTable, UnpackingOfEqualLengthIsFollowed) {
  EXPECT_EQ(Used("import torch\na, (b, c) = 1, (torch.cuda, 2)\nuse(b)\n"), "torch.cuda");
  EXPECT_EQ(Used("import torch\na, *b = torch.cuda, 2\nuse(b)\n"), "");
  EXPECT_EQ(Used("import torch\na, b = torch.cuda\nuse(a)\n"), "");
}

TEST(NameTable, EveryTargetOfAChainGetsTheValue) {
  EXPECT_EQ(Used("import torch\na = b = torch.cuda\nuse(a)\n"), "torch.cuda");
  EXPECT_EQ(Used("import torch\na = b = torch.cuda\nuse(b)\n"), "torch.cuda");
}

TEST(NameTable, ALaterBindingReplacesAnEarlierOne) {
  EXPECT_EQ(Used("import torch\ntorch = 1\nuse(torch)\n"), "");
  EXPECT_EQ(Used("import a as m\nuse(m)\nimport b as m\nuse(m)\n", 0), "a");
  EXPECT_EQ(Used("import a as m\nuse(m)\nimport b as m\nuse(m)\n", 1), "b");
}

TEST(NameTable, ABindingInABranchLeavesTheEarlierOnePossible) {
  EXPECT_EQ(Used("import a as m\nif c:\n    import b as m\nuse(m)\n"), "a|b");
}

TEST(NameTable, ALaterBindingReachesAUseAroundALoop) {
  EXPECT_EQ(BoundAt("x = 1\nfor i in y:\n    use(x)\n    x = 2\n"), "1, 4");
}

TEST(NameTable, ANameIsNotItsOwnOrigin) {
  EXPECT_EQ(Used("import torch\ntorch = torch.cuda\nuse(torch.amp)\n"), "torch.cuda.amp");
}

TEST(NameTable, AliasesInACircleEnd) {
  EXPECT_EQ(Used("while c:\n    a = b\n    b = a\n    use(a)\n"), "");
}

TEST(NameTable, ADeletedNameStandsForNothing) {
  EXPECT_EQ(Used("import torch\ndel torch\nuse(torch)\n"), "");
}

TEST(NameTable, AnAugmentedAssignmentStandsForNothing) {
  EXPECT_EQ(Used("import torch\nx = torch.cuda\nx += 1\nuse(x)\n"), "");
}

TEST(NameTable, AnAnnotationAloneBindsNoValue) {
  EXPECT_EQ(Used("import torch as x\nx: int\nuse(x)\n"), "torch");
}

TEST(NameTable, AWalrusBindsOutsideOfItsComprehension) {
  EXPECT_EQ(Used("import torch\nl = [y := torch.cuda for i in z]\nuse(y)\n"), "torch.cuda");
}

// Scopes.

TEST(NameTable, AParameterShadowsAnImport) {
  EXPECT_EQ(Used("import torch\ndef f(torch):\n    use(torch.cuda)\n"), "");
  EXPECT_EQ(Used("import torch\nf = lambda torch: use(torch.cuda)\n"), "");
  for (const char* parameter : {"torch=1", "*torch", "**torch", "torch: int", "torch: int = 1"}) {
    EXPECT_EQ(Used("import torch\ndef f(" + std::string(parameter) + "):\n    use(torch)\n"), "")
        << parameter;
  }
}

TEST(NameTable, DefaultsAnnotationsAndDecoratorsAreReadOutside) {
  EXPECT_EQ(Used("import torch\ndef f(torch=use(torch)): pass\n"), "torch");
  EXPECT_EQ(Used("import torch\ndef f(torch: use(torch)): pass\n"), "torch");
  EXPECT_EQ(Used("import torch\n@use(torch)\ndef f(torch): pass\n"), "torch");
  EXPECT_EQ(Used("import torch\nclass C(use(torch)):\n    torch = 1\n"), "torch");
}

TEST(NameTable, AMethodDoesNotSeeTheNamesOfItsClass) {
  const std::string code =
      "import torch\nclass C:\n    torch = 1\n    use(torch)\n    def f(self):\n"
      "        use(torch.cuda)\n";
  EXPECT_EQ(Used(code, 0), "");
  EXPECT_EQ(Used(code, 1), "torch.cuda");
}

TEST(NameTable, ABodyOfAClassLooksOutsideForWhatItMayNotHaveBound) {
  EXPECT_EQ(Used("import a as m\nclass C:\n    if x:\n        import b as m\n    use(m)\n"), "a|b");
}

TEST(NameTable, AGlobalStatementReachesTheModule) {
  EXPECT_EQ(Used("def f():\n    global m\n    import torch as m\nuse(m)\n"), "torch");
  EXPECT_EQ(Used("import a as m\ndef f():\n    m = 1\n    def g():\n        global m\n"
                 "        use(m)\n"),
            "a");
}

TEST(NameTable, ANonlocalStatementReachesTheFunctionAround) {
  EXPECT_EQ(Used("def f():\n    import a as m\n    def g():\n        nonlocal m\n"
                 "        import b as m\n    use(m)\n"),
            "a|b");
  EXPECT_EQ(Used("import c as m\ndef f():\n    import a as m\n    def g():\n        nonlocal m\n"
                 "        use(m)\n"),
            "a");
}

TEST(NameTable, AComprehensionHasItsOwnScope) {
  EXPECT_EQ(Used("import torch\nl = [use(torch) for torch in x]\n"), "");
  EXPECT_EQ(Used("import torch\nl = [i for torch in use(torch)]\n"), "torch");
  EXPECT_EQ(Used("import torch\nl = [torch for torch in x]\nuse(torch)\n"), "torch");
  EXPECT_EQ(Used("import torch\nl = {torch: use(torch) for torch, y in x}\n"), "");
}

TEST(NameTable, ALoopAWithAnExceptAndAMatchBindTheirNames) {
  EXPECT_EQ(Used("import torch\nfor torch in x:\n    use(torch)\n"), "");
  EXPECT_EQ(Used("import torch\nwith x as torch:\n    use(torch)\n"), "");
  EXPECT_EQ(Used("import torch\ntry: pass\nexcept E as torch:\n    use(torch)\n"), "");
  EXPECT_EQ(Used("import torch\nmatch x:\n    case [torch]:\n        use(torch)\n"), "");
  EXPECT_EQ(Used("import torch\nmatch x:\n    case {'a': 1, **torch}:\n        use(torch)\n"), "");
}

TEST(NameTable, AFunctionCanUseWhatIsBoundAfterIt) {
  EXPECT_EQ(Used("def f():\n    use(m)\nimport torch as m\n"), "torch");
}

TEST(NameTable, AFunctionSeesEveryBindingOfTheModule) {
  EXPECT_EQ(Used("import a as m\ndef f():\n    use(m)\nimport b as m\n"), "a|b");
}

TEST(NameTable, DefinitionsOfTheFileAreLocal) {
  EXPECT_EQ(Used("def cuda(): pass\nuse(cuda)\n"), "local cuda");
  EXPECT_EQ(Used("class torch:\n    cuda = 1\nuse(torch.cuda)\n"), "local torch.cuda");
}

// Expressions.

TEST(NameTable, AConstantGetattrIsAnAttribute) {
  EXPECT_EQ(Used("import torch\nuse(getattr(torch, 'cuda').amp)\n"), "torch.cuda.amp");
  EXPECT_EQ(Used("import torch\nuse(getattr(torch, name))\n"), "");
}

TEST(NameTable, BothBranchesOfAConditionalExpressionAreKept) {
  EXPECT_EQ(Used("import a, b\nm = a.x if c else b.y\nuse(m.z)\n"), "a.x.z|b.y.z");
}

TEST(NameTable, ParenthesesAndLineBreaksChangeNothing) {
  EXPECT_EQ(Used("import torch\nuse(((torch)\n    .cuda))\n"), "torch.cuda");
}

TEST(NameTable, ResultsAndMembersOfResultsAreNoNames) {
  EXPECT_EQ(Used("import torch\nuse(torch.device('x').type)\n"), "");
  EXPECT_EQ(Used("import torch\nuse(torch.cuda[0])\n"), "");
}

TEST(NameTable, WordsBehindADotAndKeywordsAreNoNames) {
  const ParsedFile file("import torch\nf(torch=x.torch)\n");
  const NameTable names(file.tree(), "mod", false);
  EXPECT_TRUE(names.Resolve(file.Find(NodeKind::kIdentifier, "torch", 1)).empty());
  EXPECT_TRUE(names.Resolve(file.Find(NodeKind::kIdentifier, "torch", 2)).empty());
}

TEST(NameTable, KnowsByWhichNameAModuleIsImported) {
  const ParsedFile file("import torch as th\nfrom a import b\n");
  const NameTable names(file.tree(), "mod", false);
  EXPECT_EQ(names.LocalNameOf("torch"), "th");
  EXPECT_EQ(names.LocalNameOf("a.b"), "b");
  EXPECT_EQ(names.LocalNameOf("a"), "");
}

TEST(NameTable, EveryScopeHasItsParent) {
  const ParsedFile file("class C:\n    def f(self):\n        return [x for x in y]\n");
  const NameTable names(file.tree(), "mod", false);
  uint32_t scope = names.ScopeOf(file.Find(NodeKind::kIdentifier, "x"));
  std::vector<NodeKind> kinds;
  for (; scope != 0; scope = names.ParentScope(scope)) {
    kinds.push_back(names.ScopeNode(scope).kind());
  }
  EXPECT_EQ(kinds, (std::vector{NodeKind::kListComprehension, NodeKind::kFunctionDefinition,
                                NodeKind::kClassDefinition}));
}

// Large files: none of these may take a step for each pair of lines, or stack for each line.

std::string Lines(int count, const std::string& first, const std::string& middle,
                  const std::string& last = "") {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += first + std::to_string(i + 1) + middle + std::to_string(i) + last + "\n";
  }
  return text;
}

TEST(NameTableSize, FollowsAliasesToTheEndOfALongChainOnASmallStack) {
  const std::string code =
      "import torch\na0 = torch.cuda\n" + Lines(40000, "a", " = a") + "use(a40000.amp)\n";
  RunOnSmallStack([&] { EXPECT_EQ(Used(code), "torch.cuda.amp"); });
}

TEST(NameTableSize, FollowsAliasesThatAreBoundInTheOtherOrder) {
  std::string code = "def f():\n    use(a1)\n";
  for (int i = 1; i < 20000; ++i) {
    code += "a" + std::to_string(i) + " = a" + std::to_string(i + 1) + "\n";
  }
  code += "import torch as a20000\n";
  RunOnSmallStack([&] { EXPECT_EQ(Used(code), "torch"); });
}

TEST(NameTableSize, KeepsTheNamesOfManyConditionalBindings) {
  std::string code = "import torch\nx = torch.a\n";
  for (int i = 0; i < 20000; ++i) code += "if c:\n    x = torch.b\nother(x.y)\n";
  code += "if c:\n    x = torch.c\nuse(x)\n";
  const ParsedFile file(code);
  const NameTable names(file.tree(), "mod", false);
  int others = 0;
  for (uint32_t id = 0; id < file.tree().size(); ++id) {
    const Node node = file.tree().node(id);
    if (!node.Is(NodeKind::kCall)) continue;
    const Node argument = node.Child(Field::kArguments).first_named_child();
    const std::vector<QualifiedName> found = names.Resolve(argument);
    if (node.Child(Field::kFunction).text() == "use") {
      EXPECT_EQ(found.size(), 3U);
    } else {
      EXPECT_EQ(found.size(), 2U);
      ++others;
    }
  }
  EXPECT_EQ(others, 20000);
}

TEST(NameTableSize, GivesAUseOnlyTheBindingsThatStandBeforeIt) {
  const std::string code =
      "import torch\nx = torch.a\nuse(x)\nif c:\n    x = torch.b\nuse(x)\n"
      "if c:\n    x = torch.c\nuse(x)\n";
  const ParsedFile file(code);
  const NameTable names(file.tree(), "mod", false);
  const auto count = [&](int nth) {
    const Node use = file.Find(NodeKind::kIdentifier, "use", nth).parent();
    return names.Resolve(use.Child(Field::kArguments).first_named_child()).size();
  };
  // The last use first: what is kept from one answer must not leak into another.
  EXPECT_EQ(count(2), 3U);
  EXPECT_EQ(count(0), 1U);
  EXPECT_EQ(count(1), 2U);
}

TEST(NameTableSize, FindsTheCertainBindingAmongMany) {
  std::string code = "import torch\ndef f(c):\n";
  for (int i = 0; i < 20; ++i) code += "    if c:\n        x = torch.a\n    x = torch.b\n";
  code += "    use(x)\n    for i in c:\n        use(x)\n        x = torch.c\n";
  EXPECT_EQ(Used(code, 0), "torch.b");
  EXPECT_EQ(Used(code, 1), "torch.b|torch.c");
}

TEST(NameTable, ABindingIsCertainWhereTheOtherBranchesEndTheFlow) {
  EXPECT_EQ(Used("import a as m\nif c:\n    import b as m\nelse:\n    raise E\nuse(m.x)\n"), "b.x");
  EXPECT_EQ(Used("import a as m\nif c:\n    raise E\nelif d:\n    import b as m\n"
                 "else:\n    import e as m\nuse(m.x)\n"),
            "b.x|e.x");
  EXPECT_EQ(Used("import a as m\nif c:\n    import b as m\nelse:\n    pass\nuse(m.x)\n"),
            "a.x|b.x");
}

TEST(NameTableReach, TakesABindingInEachBranchForCertain) {
  const std::string both = "import torch\nx = torch.a\nif c:\n    x = torch.b\n";
  EXPECT_EQ(Used(both + "else:\n    x = torch.c\nuse(x)\n"), "torch.b|torch.c");
  EXPECT_EQ(Used(both + "elif d:\n    x = torch.c\nelse:\n    x = torch.d\nuse(x)\n"),
            "torch.b|torch.c|torch.d");
  EXPECT_EQ(Used(both + "elif d:\n    pass\nelse:\n    x = torch.d\nuse(x)\n"),
            "torch.a|torch.b|torch.d");
  EXPECT_EQ(Used(both + "else:\n    if d:\n        x = torch.c\n    else:\n        x = torch.d\n"
                        "use(x)\n"),
            "torch.b|torch.c|torch.d");
  EXPECT_EQ(Used(both + "else:\n    x = torch.c\n    use(x)\n"), "torch.c");
}

TEST(NameTableSize, TakesABindingInEachBranchForCertainAmongMany) {
  std::string code = "import torch\n";
  for (int i = 0; i < 20; ++i) code += "if c:\n    x = torch.a\nelse:\n    x = torch.b\n";
  const std::string other = "if c:\n    x = torch.c\nelse:\n    x = torch.d\n    use(x)\nuse(x)\n";
  EXPECT_EQ(Used(code + other, 0), "torch.d");
  EXPECT_EQ(Used(code + other, 1), "torch.c|torch.d");
}

TEST(NameTableSize, FollowsBindingsThatLeadToEachOther) {
  EXPECT_EQ(Used("import torch\na = torch\nb = a\nfor i in x:\n    use(a)\n    a = b\n    b = a\n"),
            "torch");
  EXPECT_EQ(Used("def f():\n    use(a)\na = b\nb = c\nc = a\n"), "");
  EXPECT_EQ(Used("def f():\n    use(a)\na = a\n"), "");
  const std::string code = "def f():\n    use(a0)\n" + Lines(20000, "a", " = a") + "a0 = a20000\n";
  RunOnSmallStack([&] { Used(code); });
}

TEST(NameTableSize, TakesALoopThatBindsOneNameThousandsOfTimes) {
  std::string code = "import torch\nd = torch\nfor i in x:\n";
  for (int i = 0; i < 5000; ++i) code += "    if c:\n        d = d.a\n";
  code += "    use(d)\n";
  EXPECT_THAT(Used(code), testing::StartsWith("torch|torch.a"));
}

TEST(NameTableSize, TakesChainedAssignmentsAndDeclarationsByTheThousand) {
  std::string code = "import torch\ndef f():\n";
  for (int i = 0; i < 20000; ++i) code += "    global a" + std::to_string(i) + "\n";
  code += "    ";
  for (int i = 0; i < 20000; ++i) code += "a" + std::to_string(i) + " = ";
  code += "torch.cuda\nuse(a777)\n";
  EXPECT_EQ(Used(code), "torch.cuda");
}

TEST(NameTableSize, TakesANameOfMoreThanAThousandLettersForNoName) {
  std::string chain = "torch";
  for (int i = 0; i < 50000; ++i) chain += ".a";
  EXPECT_EQ(Used("import torch\nuse(" + chain + ")\n"), "");
  EXPECT_EQ(Used("import torch\na0 = torch\n" + Lines(3000, "a", " = a", ".b") + "use(a3000)\n"),
            "");
}

TEST(NameTableSize, GivesEachOfThousandsOfNodesItsOwnNames) {
  std::string code = "import torch as t\n";
  for (int i = 0; i < 20000; ++i) code += "t.a" + std::to_string(i) + "\n";
  const ParsedFile file(code);
  const NameTable names(file.tree(), "file", false);
  for (int round = 0; round < 2; ++round) {
    int i = 0;
    for (uint32_t id = 0; id < file.tree().size(); ++id) {
      const Node node = file.tree().node(id);
      if (!node.Is(NodeKind::kAttribute)) continue;
      const std::string expected = "torch.a" + std::to_string(i++);
      ASSERT_EQ(names.Resolve(node).size(), 1U);
      ASSERT_EQ(names.Resolve(node).front().name, expected);
      ASSERT_TRUE(names.IsNamed(node, expected));
      ASSERT_FALSE(names.IsNamed(node, "torch.b"));
    }
  }
}

TEST(PlacesOfFile, GivesTheMembersOfAVariableInTheOrderOfTheText) {
  const ParsedFile file("t.a\nu.a\nt.b.c\nf().a\nt.a()\n");
  const NameTable names(file.tree(), "file", false);
  const PlacesOfFile::Members& members = names.places().MembersOf("t");
  ASSERT_EQ(members.size(), 2U);
  ASSERT_EQ(members.at("a").size(), 2U);
  EXPECT_LT(members.at("a")[0].id(), members.at("a")[1].id());
  EXPECT_EQ(members.at("b").front().text(), "t.b");
  EXPECT_TRUE(names.places().MembersOf("f").empty());
}

TEST(PlacesOfFile, GivesTheBindingsOfOneScopeAlone) {
  const ParsedFile file("a = 1\ndef f():\n    a = 2\n    a = 3\n");
  const NameTable names(file.tree(), "file", false);
  const PlacesOfFile& places = names.places();
  EXPECT_EQ(places.BindingsNamed("a").size(), 3U);
  const Binding* last = places.BindingsNamed("a").back();
  EXPECT_EQ(places.BindingsIn(last->scope, "a").size(), 2U);
  EXPECT_EQ(places.BindingsIn(0, "a").size(), 1U);
  EXPECT_EQ(places.BindingAt(last->node), last);
  EXPECT_TRUE(places.BindingsNamed("b").empty());
}

TEST(NameTableSize, GivesThousandsOfMeaningsAtEachOfThousandsOfUses) {
  std::string code = "d = a\n";
  for (int i = 0; i < 40000; ++i) code += "if c:\n    d = b\nuse(d)\n";
  const ParsedFile file(code);
  const NameTable names(file.tree(), "file", false);
  size_t uses = 0;
  for (const Node node : names.places().NodesSaying("d")) {
    if (!node.parent().Is(NodeKind::kArgumentList)) continue;
    const NameTable::Meanings meanings = names.BindingsOf(node);
    ASSERT_EQ(meanings.size(), ++uses + 1);
    ASSERT_EQ(meanings.front()->value.text(), "a");
    ASSERT_EQ(meanings.back()->value.text(), "b");
  }
  EXPECT_EQ(uses, 40000U);
}

}  // namespace
}  // namespace transplt
