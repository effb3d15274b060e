// SPDX-License-Identifier: Apache-2.0
#include "transplt/syntax/syntax_tree.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parsed_file.h"
#include "transplt/syntax/indentation.h"
#include "transplt/syntax/open_ends.h"

namespace transplt {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;
using testing::StartsWith;

std::vector<std::string> Calls(const std::string& text) {
  return ParsedFile(text).Texts(NodeKind::kCall);
}
std::vector<std::string> Attributes(const std::string& text) {
  return ParsedFile(text).Texts(NodeKind::kAttribute);
}
std::string Unparsed(const std::string& text) { return ParsedFile(text).UnparsedLines(); }

std::string Repeated(std::string_view text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

/// Checks what every tree must hold: children in their parents, ids and siblings in order.
void ExpectSound(const SyntaxTree& tree) {
  for (uint32_t id = 1; id < tree.size(); ++id) {
    const Node node = tree.node(id);
    const Node parent = node.parent();
    ASSERT_TRUE(parent.IsAncestorOf(node)) << id;
    ASSERT_TRUE(parent.range().Contains(node.range())) << id << " " << node.text();
    bool found = false;
    uint32_t end = parent.range().start;
    for (Node child = parent.first_child(); child; child = child.next_sibling()) {
      ASSERT_LE(end, child.range().start) << id;
      end = child.range().end;
      found |= child == node;
      if (found) break;
    }
    ASSERT_TRUE(found) << id;
  }
}

/// `text` with `edits` made, parsed on from the tree of `text`.
class EditedFile {
 public:
  EditedFile(std::string text, const std::vector<Edit>& edits) : before_(std::move(text)) {
    EditList list;
    for (const Edit& edit : edits) EXPECT_EQ(list.TryAdd({{edit}}, "test"), std::nullopt);
    auto source = SourceFile::FromBytes("file.py", list.ApplyTo(before_.source().bytes()));
    source_ = std::make_unique<SourceFile>(*std::move(source));
    Parser parser;
    tree_ = std::make_unique<SyntaxTree>(before_.tree().ParseEdited(*source_, list, parser));
  }
  const SyntaxTree& tree() const { return *tree_; }

  void ExpectSameAsParsedAnew() const {
    const ParsedFile anew{std::string(source_->bytes())};
    ASSERT_EQ(tree().size(), anew.tree().size());
    for (uint32_t id = 0; id < tree().size(); ++id) {
      const Node node = tree().node(id);
      const Node other = anew.tree().node(id);
      ASSERT_EQ(node.kind(), other.kind()) << id << " " << other.text();
      ASSERT_EQ(node.field(), other.field()) << id << " " << other.text();
      ASSERT_EQ(node.range(), other.range()) << id << " " << other.text();
      ASSERT_EQ(node.end_id(), other.end_id()) << id << " " << other.text();
    }
    EXPECT_EQ(tree().unparsed(), anew.tree().unparsed());
  }

 private:
  ParsedFile before_;
  std::unique_ptr<SourceFile> source_;
  std::unique_ptr<SyntaxTree> tree_;
};

// Navigation.

TEST(SyntaxTree, NumbersParentsBeforeChildrenInTheOrderOfTheText) {
  const ParsedFile file("a.b(c)\n");
  const Node call = file.Find(NodeKind::kCall, "a.b(c)");
  const Node callee = call.Child(Field::kFunction);
  EXPECT_EQ(callee.text(), "a.b");
  EXPECT_EQ(callee.Child(Field::kAttribute).text(), "b");
  EXPECT_EQ(callee.parent(), call);
  EXPECT_TRUE(call.IsAncestorOf(callee));
  EXPECT_FALSE(callee.IsAncestorOf(call));
  EXPECT_EQ(call.end_id(), file.tree().size());
  EXPECT_EQ(callee.next_sibling().text(), "(c)");
  EXPECT_FALSE(callee.next_sibling().next_sibling());
  ExpectSound(file.tree());
}

TEST(SyntaxTree, PassesOverTokensAndCommentsAmongNamedChildren) {
  const ParsedFile file("f(  # why\n  a, b)\n");
  const Node arguments = file.Find(NodeKind::kArgumentList, "(  # why\n  a, b)");
  EXPECT_EQ(arguments.first_child().text(), "(");
  EXPECT_EQ(arguments.first_named_child().text(), "a");
  EXPECT_EQ(arguments.first_named_child().next_named_sibling().text(), "b");
}

TEST(SyntaxTree, FindsTheSmallestNodeAtARange) {
  const ParsedFile file("x = torch.cuda.y\n");
  EXPECT_EQ(file.tree().NodeAt({10, 14}).text(), "cuda");
  EXPECT_EQ(file.tree().NodeAt({4, 14}).text(), "torch.cuda");
}

TEST(SyntaxTree, ReadsAnEmptyFile) {
  EXPECT_TRUE(ParsedFile("").tree().root().Is(NodeKind::kModule));
  EXPECT_TRUE(ParsedFile("# only a comment").tree().unparsed().empty());
}

// What tree-sitter-python reads wrongly without saying so.

TEST(SyntaxTreeRepairs, EndsACommentAtALoneCarriageReturn) {
  const ParsedFile file("# old Mac\rimport torch\rtorch.cuda.init()\r");
  EXPECT_THAT(file.Texts(NodeKind::kImportStatement), ElementsAre("import torch"));
  EXPECT_THAT(file.Texts(NodeKind::kCall), ElementsAre("torch.cuda.init()"));
  EXPECT_EQ(file.UnparsedLines(), "");
}

TEST(SyntaxTreeRepairs, ReadsASplatAtTheHeadOfAChainAsCPythonDoes) {
  EXPECT_THAT(Calls("x = [*a.b(), c]\n"), ElementsAre("a.b()"));
  EXPECT_THAT(Attributes("x = [*a.b(), c]\n"), ElementsAre("a.b"));
  EXPECT_THAT(Attributes("x = *v.shape, y\n"), ElementsAre("v.shape"));
  EXPECT_THAT(Calls("x = {*a.b().c(d.e), *f()}\n"), ElementsAre("a.b().c(d.e)", "a.b()", "f()"));
  EXPECT_THAT(Attributes("x[*a.b, 1]\n"), ElementsAre("a.b"));
  EXPECT_THAT(Calls("for i in *a.b(), c: pass\n"), ElementsAre("a.b()"));
  EXPECT_THAT(Calls("def f():\n  return *a.b(), 1\n"), ElementsAre("a.b()"));
}

TEST(SyntaxTreeRepairs, KeepsTheSplatAroundTheChain) {
  for (const char* text : {"x = [*a.b(c)[d].e + f, g]\n", "x = *a.b(c)[d].e + f, g\n"}) {
    const ParsedFile file(text);
    const Node splat = file.Find(NodeKind::kListSplat, "*a.b(c)[d].e + f");
    EXPECT_EQ(splat.first_child().text(), "*");
    EXPECT_EQ(splat.first_named_child().text(), "a.b(c)[d].e + f");
    EXPECT_TRUE(splat.first_named_child().Is(NodeKind::kBinaryOperator));
    EXPECT_EQ(splat.first_named_child().Child(Field::kLeft).text(), "a.b(c)[d].e");
    EXPECT_EQ(splat.next_named_sibling().text(), "g");
    EXPECT_EQ(file.Find(NodeKind::kCall, "a.b(c)").Child(Field::kArguments).text(), "(c)");
    EXPECT_EQ(file.Find(NodeKind::kAttribute, "a.b").Child(Field::kObject).text(), "a");
    ExpectSound(file.tree());
  }
}

TEST(SyntaxTreeRepairs, HoistsASplatInsideAnotherOne) {
  const ParsedFile file("x = [*a[[*b.c(), 1]].d()]\n");
  EXPECT_THAT(file.Texts(NodeKind::kListSplat), ElementsAre("*a[[*b.c(), 1]].d()", "*b.c()"));
  ExpectSound(file.tree());
}

TEST(SyntaxTreeRepairs, LeavesSplatsInCallsAndPatternsAlone) {
  const ParsedFile file("f(*a.b(), **c.d())\n*e, g = h\n");
  EXPECT_THAT(file.Texts(NodeKind::kListSplat), ElementsAre("*a.b()"));
  EXPECT_THAT(file.Texts(NodeKind::kDictionarySplat), ElementsAre("**c.d()"));
  EXPECT_THAT(file.Texts(NodeKind::kListSplatPattern), ElementsAre("*e"));
}

TEST(SyntaxTreeRepairs, ReadsASplatOfADisplayOutsideOfBrackets) {
  EXPECT_EQ(Unparsed("x = a, *[b.c()]\n"), "");
  EXPECT_THAT(Calls("x = a, *[b.c()]\nd.e()\n"), ElementsAre("b.c()", "d.e()"));
  EXPECT_EQ(Unparsed("shape = n, *(1,) * k.dim()\n"), "");
  EXPECT_EQ(Unparsed("def f():\n    x = *[a], *{b}\n    return x\n"), "");
}

TEST(SyntaxTreeRepairs, ReadsAFormatThatFillsWithEqualSigns) {
  EXPECT_EQ(Unparsed("print(f'{x:=^{n}} {a.b()} {y:=>9}')\n"), "");
  EXPECT_THAT(Calls("s = f'{x:=^{n}} {a.b()}'\nd.e()\n"), ElementsAre("a.b()", "d.e()"));
  EXPECT_EQ(Unparsed("s = f\"\"\"{x:=<{n}}\n {a.b()}\"\"\"\n"), "");
  EXPECT_NE(Unparsed("s = (x :=^ 3)\nd.e(\n"), "");
}

TEST(SyntaxTreeRepairs, ReadsACallOfTypeAsACall) {
  const ParsedFile file("type(x).attr = v\ntype (y.z).attr = torch.cuda.w()\n");
  EXPECT_THAT(file.Texts(NodeKind::kCall), ElementsAre("type(x)", "type (y.z)", "torch.cuda.w()"));
  EXPECT_THAT(file.Texts(NodeKind::kTypeAliasStatement), IsEmpty());
  EXPECT_EQ(file.UnparsedLines(), "");
  EXPECT_THAT(ParsedFile("type X = int\n").Texts(NodeKind::kTypeAliasStatement),
              ElementsAre("type X = int"));
}

TEST(SyntaxTreeRepairs, ReadsDefaultsOfTypeParameters) {
  const std::string text =
      "class A[T = int, U: str = list[int], *V = ()](Base):\n"
      "    def f[X = torch.Tensor](self): return torch.cuda.g()\n"
      "type L[T = int] = list[T]\n";
  EXPECT_EQ(Unparsed(text), "");
  EXPECT_THAT(Calls(text), ElementsAre("torch.cuda.g()"));
}

TEST(SyntaxTreeRepairs, ReadsATypeThatGoesOnBehindItsBrackets) {
  const std::string text =
      "raise T('x', f'{c}')\n@r\ndef f(t: Tuple[int, int] or int, u: a.B[(1, 2)] and c = 3):\n"
      "    return t.cuda()\n";
  EXPECT_EQ(Unparsed(text), "");
  EXPECT_THAT(Calls(text), testing::Contains("t.cuda()"));
}

TEST(SyntaxTreeRepairs, ReadsAShallowCommentBehindADecorator) {
  const std::string text =
      "class A:\n    @f.g()\n\n# @other\n  # and one\n    def m(self):\n        return x.y()\n";
  EXPECT_EQ(Unparsed(text), "");
  EXPECT_THAT(Calls(text), ElementsAre("f.g()", "x.y()"));
}

TEST(SyntaxTreeRepairs, OffersDottedNamesOfCasePatterns) {
  const ParsedFile file("match x:\n    case torch.cuda.A: pass\n    case b.C(d=e.f): pass\n");
  EXPECT_THAT(file.Texts(NodeKind::kDottedName), ElementsAre("torch.cuda.A", "b.C", "e.f"));
}

TEST(SyntaxTreeRepairs, ReadsPython2) {
  const std::string text =
      "print >>sys.stderr, a.b()\n"
      "print 'x' % c.d()\n"
      "exec 'code' in ns\n"
      "try:\n    raise E, 'message'\n"
      "except E, e:\n    x = `e` <> 0777L\n"
      "def f(a, (b, c)): return ur'x'\n"
      "x.cuda(async=True)\n";
  EXPECT_EQ(Unparsed(text), "");
  EXPECT_THAT(Calls(text), ElementsAre("a.b()", "c.d()", "x.cuda(async=True)"));
}

TEST(SyntaxTreeRepairs, NamesTheLineOfANonBreakingSpace) {
  const std::string text = "torch.a()\nx =\xC2\xA0torch.b()\ntorch.c()\n";
  EXPECT_EQ(Unparsed(text), "2");
  EXPECT_THAT(Calls(text), ElementsAre("torch.a()", "torch.c()"));
}

// Parts that are not Python.

TEST(BrokenParts, KeepAnUnclosedBracketToItsFunction) {
  const std::string text =
      "import torch\n"
      "def good():\n"
      "    torch.cuda.a()\n"
      "@torch.jit.script\n"
      "def broken():\n"
      "    x = foo(1, 2\n"
      "    y = torch.cuda.b()\n"
      "    return x\n"
      "\n"
      "class A:\n"
      "    def m(self):\n"
      "        torch.cuda.c()\n"
      "torch.cuda.d()\n";
  EXPECT_EQ(Unparsed(text), "4-8");
  EXPECT_THAT(Calls(text), ElementsAre("torch.cuda.a()", "torch.cuda.c()", "torch.cuda.d()"));
}

TEST(BrokenParts, KeepAnUnclosedBracketOutsideOfFunctionsToItsStatement) {
  const std::string text =
      "torch.cuda.a()\n"
      "if x:\n"
      "    torch.cuda.b()\n"
      "    y = [1, torch.cuda.c(\n"
      "    import torch\n"
      "    torch.cuda.d()\n";
  EXPECT_EQ(Unparsed(text), "4");
  EXPECT_THAT(Calls(text), ElementsAre("torch.cuda.a()", "torch.cuda.b()", "torch.cuda.d()"));
}

TEST(BrokenParts, FindTheBracketInsideOfAnother) {
  const std::string text =
      "def f():\n"
      "    return g(a[torch.cuda.x(1), 2)\n"
      "def h():\n"
      "    return torch.cuda.y()\n";
  EXPECT_EQ(Unparsed(text), "1-2");
  EXPECT_THAT(Calls(text), ElementsAre("torch.cuda.y()"));
}

TEST(BrokenParts, KeepAnUnclosedQuoteToItsStatement) {
  const std::string text =
      "torch.cuda.a()\n"
      "s = 'abc\n"
      "torch.cuda.b()\n";
  EXPECT_EQ(Unparsed(text), "2");
  EXPECT_THAT(Calls(text), ElementsAre("torch.cuda.a()", "torch.cuda.b()"));
}

TEST(BrokenParts, KeepAnUnclosedTripleQuoteToItsFunction) {
  const std::string text =
      "def a():\n"
      "    '''Doc of a.'''\n"
      "    torch.cuda.a()\n"
      "def b():\n"
      "    '''Doc of b.\n"
      "    torch.cuda.b()\n"
      "def c():\n"
      "    '''Doc of c, which isn't long.'''\n"
      "    torch.cuda.c()\n"
      "def d():\n"
      "    '''Doc of d.'''\n"
      "    torch.cuda.d()\n";
  EXPECT_EQ(Unparsed(text), "4-6");
  EXPECT_THAT(Calls(text), ElementsAre("torch.cuda.a()", "torch.cuda.c()", "torch.cuda.d()"));
}

TEST(BrokenParts, KeepADocstringWithoutBeginningToItself) {
  const std::string text =
      "Trains a model.\n"
      "\"\"\"\n"
      "import torch\n"
      "def a():\n"
      "    \"\"\"Doc of a.\"\"\"\n"
      "    torch.cuda.a()\n";
  EXPECT_THAT(Calls(text), ElementsAre("torch.cuda.a()"));
  EXPECT_EQ(Unparsed(text), "1-2");
}

TEST(BrokenParts, AreNotLookedForInTemplatesOfCode) {
  const std::string text =
      "def f():\n"
      "    x = (1\n"
      "TEMPLATE = '''\n"
      "def g(a):\n"
      "    return a\n"
      "'''\n"
      "torch.cuda.a()\n";
  EXPECT_EQ(Unparsed(text), "1-2");
  EXPECT_THAT(Calls(text), ElementsAre("torch.cuda.a()"));
}

TEST(BrokenParts, KeepAHalfWrittenDefinitionToItself) {
  const std::string text =
      "torch.cuda.a()\n"
      "def half(\n"
      "def whole():\n"
      "    torch.cuda.b()\n"
      "class Half\n"
      "x = torch.cuda.c()\n";
  EXPECT_THAT(Calls(text), ElementsAre("torch.cuda.a()", "torch.cuda.b()", "torch.cuda.c()"));
  EXPECT_EQ(Unparsed(text), "2, 5");
}

TEST(BrokenParts, KeepAMissingColonToItsFunction) {
  const std::string text =
      "import torch\n"
      "def broken()\n"
      "    torch.cuda.a()\n"
      "def good():\n"
      "    torch.cuda.b()\n";
  EXPECT_EQ(Unparsed(text), "2-3");
  EXPECT_THAT(Calls(text), ElementsAre("torch.cuda.b()"));
}

TEST(BrokenParts, AreOnlyTheHeadOfAClassWhoseMethodsAreSound) {
  const std::string text =
      "class A(B)\n"
      "    def f(self):\n"
      "        torch.cuda.a()\n"
      "    def g(self):\n"
      "        torch.cuda.b()\n"
      "torch.cuda.c()\n";
  const ParsedFile file(text);
  EXPECT_EQ(file.UnparsedLines(), "1");
  EXPECT_THAT(file.Texts(NodeKind::kCall),
              ElementsAre("torch.cuda.a()", "torch.cuda.b()", "torch.cuda.c()"));
  EXPECT_TRUE(file.tree().root().first_named_child().Is(NodeKind::kClassDefinition));
}

TEST(BrokenParts, NameStatementsOfAnotherIndentation) {
  const std::string text =
      "torch.cuda.a()\n"
      "if x:\n"
      "    y = 1\n"
      "      z = torch.cuda.b()\n"
      "    torch.cuda.c()\n"
      "torch.cuda.d()\n";
  EXPECT_EQ(Unparsed(text), "3-4");
  EXPECT_THAT(Calls(text), ElementsAre("torch.cuda.a()", "torch.cuda.c()", "torch.cuda.d()"));
  EXPECT_EQ(Unparsed("if x:\n        y = 1\n    z = 2\nw = 3\n"), "2-3");
  EXPECT_EQ(Unparsed("if x:\n    y = 1; \\\nz = 2\n"), "");
}

TEST(BrokenParts, CountTabsAsCPythonDoes) {
  EXPECT_EQ(Unparsed("if x:\n\ty = 1\n        z = 2\n"), "");
  EXPECT_EQ(Unparsed("if x:\n    \ty = 1\n\tz = 2\n"), "");
  EXPECT_EQ(Unparsed("\fclass A:\n    x = 1\n\f\n    y = 2\n"), "");
}

TEST(BrokenParts, DoNotReadArgumentsBehindAnEarlyBracketAsAssignments) {
  const std::string text =
      "torch.cuda.a()\n"
      "x = dict()\n"
      "    device='cuda',\n"
      "    size=2)\n"
      "torch.cuda.b()\n";
  EXPECT_THAT(Calls(text), ElementsAre("torch.cuda.a()", "torch.cuda.b()"));
  EXPECT_EQ(Unparsed(text), "2-4");
}

TEST(BrokenParts, ReadBothSidesOfAMergeConflict) {
  const std::string text =
      "import torch\n"
      "def f():\n"
      "    torch.cuda.a()\n"
      "<<<<<<< HEAD\n"
      "    torch.cuda.b()\n"
      "||||||| base\n"
      "    torch.cuda.c()\n"
      "=======\n"
      "    torch.cuda.d()\n"
      ">>>>>>> other\n"
      "    torch.cuda.e()\n";
  EXPECT_EQ(Unparsed(text), "4, 6, 8, 10");
  EXPECT_THAT(Calls(text), ElementsAre("torch.cuda.a()", "torch.cuda.b()", "torch.cuda.c()",
                                       "torch.cuda.d()", "torch.cuda.e()"));
}

TEST(OpenEnds, AreAllBracketsThatStayOpen) {
  const std::string text = "a(\nb(c)\nd[\ne = (1\n";
  std::vector<uint32_t> offsets;
  for (const OpenEnds::Bracket& bracket : FindOpenEnds(text, SourceLines(text)).brackets) {
    offsets.push_back(bracket.offset);
    EXPECT_EQ(bracket.proof, text.size());
  }
  EXPECT_THAT(offsets, ElementsAre(1, 9, 15));
}

TEST(BrokenParts, AreHundredsOfLinesWithOpenBrackets) {
  const std::string text = Repeated("a()\nb = c(\n", 200);
  EXPECT_THAT(Calls(text), ElementsAreArray(std::vector<std::string>(200, "a()")));
  EXPECT_THAT(Unparsed(text), StartsWith("2, 4, 6, 8, "));
}

TEST(BrokenParts, LeaveUnderlinedHeadingsInDocstringsAlone) {
  const std::string text =
      "'''\nHeading\n=======\n'''\n"
      "x = (1\n"
      "def f():\n    torch.cuda.a()\n";
  EXPECT_EQ(Unparsed(text), "5");
}

TEST(BrokenParts, AreTheMagicLinesOfIPython) {
  const std::string text =
      "%matplotlib inline\n"
      "!pip install torch\n"
      "import torch\n"
      "if torch.cuda.a():\n"
      "    !nvidia-smi\n"
      "x = (100\n"
      "     % torch.cuda.b())\n"
      "%%time\n"
      "torch.cuda.c()\n";
  EXPECT_EQ(Unparsed(text), "1-2, 5, 8");
  EXPECT_THAT(Calls(text), ElementsAre("torch.cuda.a()", "torch.cuda.b()", "torch.cuda.c()"));
}

TEST(BrokenParts, AreTheLinesOfATemplate) {
  const std::string text =
      "import torch\n"
      "{% if use_cuda %}\n"
      "torch.cuda.a()\n"
      "{% endif %}\n"
      "{# it's a comment #}\n"
      "x = f(1,\n"
      "{% for n in names %}\n"
      "      torch.cuda.b(),\n"
      "{% endfor %}\n"
      "      2)\n"
      "torch.cuda.c()\n";
  EXPECT_EQ(Unparsed(text), "2, 4-5, 7, 9");
  // f() holds lines that did not parse, so nothing is said about it.
  EXPECT_THAT(Calls(text), ElementsAre("torch.cuda.a()", "torch.cuda.b()", "torch.cuda.c()"));
}

TEST(BrokenParts, KeepADecoratedMethodToItself) {
  const std::string text =
      "class A:\n"
      "    def a(self):\n"
      "        torch.cuda.a()\n"
      "    @property\n"
      "    @torch.no_grad()\n"
      "    def b(self):\n"
      "        x = {1: [2, 3}\n"
      "        torch.cuda.b()\n"
      "    def c(self):\n"
      "        torch.cuda.c()\n";
  EXPECT_EQ(Unparsed(text), "4-8");
  EXPECT_THAT(Calls(text), ElementsAre("torch.cuda.a()", "torch.cuda.c()"));
}

TEST(BrokenParts, KeepAnErrorInTheLastLineToItself) {
  EXPECT_THAT(Calls("torch.cuda.a()\nx = (torch.cuda.b("), ElementsAre("torch.cuda.a()"));
  EXPECT_EQ(Unparsed("torch.cuda.a()\nx = (torch.cuda.b("), "2");
  EXPECT_EQ(Unparsed("torch.cuda.a()\ndef f("), "2");
  EXPECT_EQ(Unparsed("torch.cuda.a()\nx = '''"), "2");
}

TEST(BrokenParts, KeepAnErrorAtTheVeryStartToItself) {
  EXPECT_EQ(Unparsed(")\ntorch.cuda.a()\n"), "1");
  EXPECT_EQ(Unparsed("(\ntorch.cuda.a()\ndef f():\n    torch.cuda.b()\n"), "1");
  EXPECT_EQ(Unparsed("\xEF\xBB\xBFthis is no Python\ntorch.cuda.a()\n"), "1");
  EXPECT_THAT(Calls("this is no Python\ntorch.cuda.a()\n"), ElementsAre("torch.cuda.a()"));
}

TEST(BrokenParts, AreFoundOneByOne) {
  const std::string text =
      "def a():\n    x = foo(\ndef b():\n    torch.cuda.b()\n"
      "class C:\n    y = 1 2 3\n    def d(self):\n        torch.cuda.d()\n"
      "    def e(self):\n        z = [1\ntorch.cuda.f()\n";
  EXPECT_THAT(Calls(text), ElementsAre("torch.cuda.b()", "torch.cuda.d()", "torch.cuda.f()"));
  EXPECT_EQ(Unparsed(text), "1-2, 6, 9-10");
}

TEST(BrokenParts, HoldTheWholeStatementAroundAnError) {
  // The keyword beside the error may not be what it seems.
  const ParsedFile file("torch.cuda.a()\nx = f(device='cuda' oops,\n      y=1)\ntorch.cuda.b()\n");
  EXPECT_EQ(file.UnparsedLines(), "2-3");
  EXPECT_THAT(file.Texts(NodeKind::kKeywordArgument), IsEmpty());
}

TEST(BrokenParts, HoldOnlyTheHeadOfAStatementWithABlock) {
  const std::string text = "if x y:\n    torch.cuda.a()\nelse:\n    torch.cuda.b()\n";
  EXPECT_EQ(Unparsed(text), "1");
  EXPECT_THAT(Calls(text), ElementsAre("torch.cuda.a()", "torch.cuda.b()"));
}

TEST(BrokenParts, AreTheWholeOfWhatIsNotPython) {
  const std::string text =
      "<html>\n<body class=\"x\">\n<p>It's {a text}, don't you think?\n</body>\n</html>\n";
  EXPECT_EQ(Unparsed(text), "1-5");
  EXPECT_THAT(Calls(text), IsEmpty());
}

TEST(BrokenParts, LeaveNoEmptyBlock) {
  const std::string text = "if a:\n    x(\nelse:\n    torch.cuda.b()\ndef f(): pass\n";
  EXPECT_THAT(Calls(text), ElementsAre("torch.cuda.b()"));
}

TEST(BrokenParts, SayWhetherARangeTouchesThem) {
  const ParsedFile file("a()\nb c\nd()\n");
  ASSERT_EQ(file.UnparsedLines(), "2");
  EXPECT_FALSE(file.tree().IsUnparsed({0, 4}));
  EXPECT_TRUE(file.tree().IsUnparsed({0, 5}));
  EXPECT_TRUE(file.tree().IsUnparsed({5, 6}));
  EXPECT_FALSE(file.tree().IsUnparsed({7, 11}));
}

TEST(BrokenParts, LeaveASoundTree) {
  for (const char* text :
       {"x = [*a.b(), (c.d()\ndef f():\n  y\n", "((((\n", "def f(:\n  x\n]]]\n", "'''\n", "@\n",
        "class\n", "*a.b()\n[*\n", "if x:\n", "lambda: (yield\n", "for x in\n", "case x:\n",
        "from import x\n", "import\n", "for_in [x for\n", "except A, b:\n"}) {
    ExpectSound(ParsedFile(text).tree());
  }
}

// Size and depth.

TEST(SyntaxTreeSize, TakesFiveThousandNestedParenthesesOnASmallStack) {
  RunOnSmallStack([] {
    const ParsedFile file("x = " + Repeated("(", 5000) + "torch.cuda.a()" + Repeated(")", 5000) +
                          "\n");
    EXPECT_THAT(file.Texts(NodeKind::kCall), ElementsAre("torch.cuda.a()"));
    EXPECT_EQ(file.UnparsedLines(), "");
  });
}

TEST(SyntaxTreeSize, TakesFiveThousandCallsInAChainOnASmallStack) {
  RunOnSmallStack([] {
    const ParsedFile file("x = [*a" + Repeated(".b().c", 5000) + "]\n");
    EXPECT_EQ(file.Texts(NodeKind::kCall).size(), 5000U);
    EXPECT_EQ(file.Texts(NodeKind::kListSplat).size(), 1U);
  });
}

TEST(SyntaxTreeSize, TakesUnclosedBracketsByTheThousandOnASmallStack) {
  RunOnSmallStack([] {
    EXPECT_EQ(Unparsed(Repeated("(", 20000)), "1");
    EXPECT_EQ(Unparsed(Repeated("[(\n", 5000)), "1-5000");
  });
}

TEST(SyntaxTreeSize, CutsALargeFileBetweenItsStatements) {
  // What the pieces of a large file give must be what one piece gives.
  const std::string block =
      "@decorator\n"
      "# a comment\n"
      "def f(a):\n"
      "    '''Text\n"
      "def in_text(): pass\n"
      "'''\n"
      "    x = [*torch.cuda.a(\n"
      "a, b)]\n"
      "\n"
      "    return x\n"
      "if f:\n"
      "    y = 1; \\\n"
      "z = 2\n"
      "else:\n"
      "    y = 2\n";
  const ParsedFile small(block);
  ASSERT_EQ(small.UnparsedLines(), "");
  constexpr int kTimes = 8000;
  const ParsedFile large(Repeated(block, kTimes));
  EXPECT_EQ(large.UnparsedLines(), "");
  const uint32_t nodes = small.tree().size() - 1;
  ASSERT_EQ(large.tree().size(), nodes * kTimes + 1);
  for (uint32_t id = 1; id < large.tree().size(); ++id) {
    const Node node = large.tree().node(id);
    const Node same = small.tree().node((id - 1) % nodes + 1);
    ASSERT_EQ(node.kind(), same.kind()) << id;
    ASSERT_EQ(node.field(), same.field()) << id;
    ASSERT_EQ(node.text(), same.text()) << id;
    ASSERT_EQ(node.end_id() - node.id(), same.end_id() - same.id()) << id;
  }
}

TEST(SyntaxTreeSize, KeepsAnErrorInALargeFileToItsFunction) {
  std::string text;
  for (int i = 0; i < 40000; ++i) {
    text += fmt::format("def f{}(a):\n    return {}torch.cuda.a()\n", i, i == 20000 ? "(" : "");
  }
  const ParsedFile file(text);
  EXPECT_EQ(file.UnparsedLines(), "40001-40002");
  EXPECT_EQ(file.Texts(NodeKind::kCall).size(), 39999U);
}

TEST(SyntaxTreeSize, ReadsTwentyMegabytesInSeconds) {
  std::string text = "import torch\n";
  for (int i = 0; text.size() < (20U << 20U); ++i) {
    text += fmt::format("table[{}] = [{}, 'a text of some length that is data', {}]\n", i, i, i);
  }
  text += "torch.cuda.a()\n";
  const ParsedFile file(std::move(text));
  EXPECT_THAT(file.Texts(NodeKind::kCall), ElementsAre("torch.cuda.a()"));
}

TEST(SyntaxTreeSize, FindsTheNodesOfALongFileWithoutReadingItFromTheFront) {
  const ParsedFile file(Repeated("x.cuda()\n", 200000));
  for (uint32_t offset = 2; offset < file.source().bytes().size(); offset += 9) {
    ASSERT_EQ(file.tree().NodeAt({offset, offset + 4}).text(), "cuda") << offset;
  }
}

// Edited files.

TEST(SyntaxTreeSize, ParsesOnFromALongChainOfCallsThatAreAllEdited) {
  std::string text = "x";
  std::vector<Edit> edits;
  for (int i = 0; i < 100000; ++i) {
    text += ".cuda()";
    const auto end = static_cast<uint32_t>(text.size()) - 2;
    edits.push_back({{end - 4, end}, "npu"});
  }
  EditedFile(text + "\n", edits).ExpectSameAsParsedAnew();
}

TEST(SyntaxTree, IsTheSameWhenParsedOnFromBeforeTheEdits) {
  const std::string text =
      "import torch\r\n\r\ndef f(x):\n    if x:\n        return x.cuda()\n    y = [*a.b()]\n"
      "    return f'{x.cuda()} cuda'\n\nf(\n  1,\n)\n";
  const auto at = [&](std::string_view part) {
    const auto start = static_cast<uint32_t>(text.find(part));
    return TextRange{start, start + static_cast<uint32_t>(part.size())};
  };
  const uint32_t second_line = at("\r\n").end;
  EditedFile(text, {{at("cuda"), "npu"}}).ExpectSameAsParsedAnew();
  EditedFile(text, {{{second_line, second_line}, "import torch_npu\r\n"}}).ExpectSameAsParsedAnew();
  EditedFile(text, {{at("    if x:\n        return x.cuda()\n"), ""}}).ExpectSameAsParsedAnew();
  EditedFile(text,
             {{at("torch"), "torch as th"}, {at("*a.b()"), "*a.b.c(), d"}, {at("\n  1,\n"), ""}})
      .ExpectSameAsParsedAnew();
  EditedFile(text, {}).ExpectSameAsParsedAnew();
}

TEST(SyntaxTree, OfAnEditedFileHasTheErrorsThatTheEditsMade) {
  const std::string text = "a = 1\nb = (2)\nc = 3\n";
  const auto close = static_cast<uint32_t>(text.find(')'));
  const EditedFile file(text, {{{close, close + 1}, ""}});
  EXPECT_FALSE(file.tree().unparsed().empty());
  file.ExpectSameAsParsedAnew();
}

TEST(SyntaxTree, OfAnEditedFileIsRightBesideErrorsOfTheOriginal) {
  const std::string text = "def f(:\n    pass\n\nx.cuda()\ntype(y).a = x.cuda()\n";
  const auto name = static_cast<uint32_t>(text.find("cuda"));
  EditedFile(text, {{{name, name + 4}, "npu"}}).ExpectSameAsParsedAnew();
}

// Budgets.

/// The tree of `text` with what `budget` allows.
void ParseWithin(const FileBudget& budget, const std::string& text,
                 const std::function<void(const SyntaxTree&, const BudgetMeter&)>& look,
                 const std::atomic<bool>* cancelled = nullptr) {
  const Result<SourceFile> source = SourceFile::FromBytes("file.py", text);
  BudgetMeter meter(budget, cancelled);
  Parser parser;
  parser.SetMeter(&meter);
  look(SyntaxTree::Parse(*source, parser), meter);
}

TEST(SyntaxTreeBudget, LeavesOutNothingThatFits) {
  const std::string text = "x = torch.a()\n";
  ParseWithin({.nodes = 14}, text, [&](const SyntaxTree& tree, const BudgetMeter& meter) {
    EXPECT_FALSE(meter.spent());
    EXPECT_EQ(tree.size(), ParsedFile(text).tree().size());
    EXPECT_THAT(tree.unparsed(), IsEmpty());
  });
}

TEST(SyntaxTreeBudget, LeavesAllUnparsedThatIsTooLarge) {
  const std::string text = "x = torch.a()\n";
  ParseWithin({.nodes = 5}, text, [&](const SyntaxTree& tree, const BudgetMeter& meter) {
    EXPECT_TRUE(meter.spent());
    EXPECT_EQ(tree.size(), 1U);
    EXPECT_TRUE(tree.IsUnparsed({4, 9}));
    ExpectSound(tree);
  });
}

TEST(SyntaxTreeBudget, EndsTheParsingOfALargeTextOnOneLine) {
  const std::string text = "x = [" + Repeated("torch.a, ", 1000000) + "]\n";
  ParseWithin({.nodes = 1000000}, text, [&](const SyntaxTree& tree, const BudgetMeter& meter) {
    EXPECT_TRUE(meter.spent());
    EXPECT_EQ(tree.size(), 1U);
  });
}

TEST(SyntaxTreeBudget, EndsTheParsingWhenTheRunIsCancelled) {
  const std::atomic<bool> cancelled = true;
  ParseWithin(
      {}, Repeated("x = torch.a()\n", 10000),
      [&](const SyntaxTree& tree, const BudgetMeter& meter) {
        EXPECT_TRUE(meter.is_cancelled());
        EXPECT_EQ(tree.size(), 1U);
      },
      &cancelled);
}

TEST(SyntaxTreeBudget, LetsTheParserGoOnWithTheNextText) {
  const Result<SourceFile> first = SourceFile::FromBytes("a.py", Repeated("x = a()\n", 10000));
  const Result<SourceFile> second = SourceFile::FromBytes("b.py", "y = b()\n");
  const std::atomic<bool> cancelled = true;
  BudgetMeter meter({}, &cancelled);
  Parser parser;
  parser.SetMeter(&meter);
  EXPECT_EQ(SyntaxTree::Parse(*first, parser).size(), 1U);
  parser.SetMeter(nullptr);
  EXPECT_EQ(SyntaxTree::Parse(*second, parser).size(), ParsedFile("y = b()\n").tree().size());
}

/// The line of the statement that Python 3 raises TabError for, or 0; compared with CPython 3.11.
uint32_t LineOfTabError(const std::string& text) {
  const ParsedFile file(text);
  const auto place = AmbiguousIndentation(file.tree());
  return place ? file.source().Locate(place->start).line : 0;
}

TEST(AmbiguousIndentation, IsWhereTheWidthOfATabDecides) {
  EXPECT_EQ(LineOfTabError("if x:\n\ta()\n        b()\n"), 3U);
  EXPECT_EQ(LineOfTabError("if x:\n    if y:\n\ta()\n"), 3U);
  EXPECT_EQ(LineOfTabError("def f():\n\tif x:\n\t\ta()\n        else:\n\t\tb()\n"), 4U);
}

TEST(AmbiguousIndentation, IsNotWhereTabsAndBlanksSayTheSame) {
  for (const char* text :
       {"if x:\n\ta()\n\tb()\n", "if x:\n\ta()\nif y:\n    b()\n", "if x:\n\tif y:\n\t    a()\n",
        "def f():\n    '''a\n\tb\n    '''\n    g()\n", "if x:\n\ta()\n        # c\n\tb()\n",
        "if x:\n\ta(1,\n          2)\n\tb()\n"}) {
    EXPECT_EQ(LineOfTabError(text), 0U) << text;
  }
}

}  // namespace
}  // namespace transplt
