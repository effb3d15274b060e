// SPDX-License-Identifier: Apache-2.0
#include "transplt/frontends/notebook.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace transplt {
namespace {

Edit Replace(uint32_t start, uint32_t end, std::string text) {
  return {{start, end}, std::move(text)};
}
Edit Insert(uint32_t at, std::string text) { return {{at, at}, std::move(text)}; }

Notebook Read(std::string_view json) {
  Result<Notebook> notebook = Notebook::FromJson("a.ipynb", json);
  if (!notebook) {
    ADD_FAILURE() << notebook.error().where << ": " << notebook.error().what.en;
    return *Notebook::FromJson("none.ipynb", R"({"cells": []})");
  }
  return *std::move(notebook);
}

Error Refused(std::string_view json) {
  const Result<Notebook> notebook = Notebook::FromJson("a.ipynb", json);
  EXPECT_FALSE(notebook);
  return notebook ? Error{} : notebook.error();
}

std::string Apply(std::string_view text, const std::vector<Edit>& edits) {
  EditList list;
  for (const Edit& edit : edits) EXPECT_EQ(list.TryAdd({{edit}}, "rule"), std::nullopt);
  return list.ApplyTo(text);
}

/// A notebook whose code cells have these sources, each written in JSON.
std::string WithSources(const std::vector<std::string>& sources) {
  std::string cells;
  for (const std::string& source : sources) {
    if (!cells.empty()) cells += ",\n";
    cells += R"({"cell_type": "code", "source": )" + source + "}";
  }
  return R"({"cells": [)" + cells + R"(], "nbformat": 4})";
}

/// The Python text of one cell with this code.
std::string Masked(const std::string& code) {
  return Read(WithSources({nlohmann::json(code).dump()})).python();
}

uint32_t Find(const Notebook& notebook, std::string_view text) {
  const size_t at = notebook.python().find(text);
  EXPECT_NE(at, std::string::npos) << text;
  return static_cast<uint32_t>(at);
}

uint32_t EndOf(const Notebook& notebook) { return static_cast<uint32_t>(notebook.python().size()); }

/// The notebook after the edits, which must be possible and do in Python what they say.
std::string Edited(const std::string& json, const std::vector<Edit>& edits) {
  const Notebook notebook = Read(json);
  const std::optional<std::vector<Edit>> json_edits = notebook.ToJson(edits);
  if (!json_edits) {
    ADD_FAILURE() << "the edits cannot be made";
    return json;
  }
  std::string result = Apply(json, *json_edits);
  EXPECT_EQ(Read(result).python(), Apply(notebook.python(), edits));
  return result;
}

/// The same for the one cell with this source.
std::string EditedSource(const std::string& source, const std::vector<Edit>& edits) {
  const std::string before = R"({"cells": [{"cell_type": "code", "source": )";
  const std::string after = R"(}], "nbformat": 4})";
  const std::string result = Edited(before + source + after, edits);
  EXPECT_TRUE(result.starts_with(before) && result.ends_with(after)) << result;
  return result.substr(before.size(), result.size() - before.size() - after.size());
}

bool CanEdit(const std::string& json, const Edit& edit) {
  return Read(json).ToJson({edit}).has_value();
}

/// As Jupyter writes it.
constexpr std::string_view kNotebook = R"json({
 "cells": [
  {
   "cell_type": "markdown",
   "id": "b0",
   "metadata": {},
   "source": [
    "# Training\n",
    "import torch"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 1,
   "id": "b1",
   "metadata": {
    "scrolled": true
   },
   "outputs": [
    {
     "name": "stdout",
     "source": ["import os"],
     "text": [
      "x.cuda()\n"
     ]
    }
   ],
   "source": [
    "import torch\n",
    "print(\"x\\n\")"
   ]
},
  {
   "cell_type": "raw",
   "source": ["y.cuda()"]
  },
  {
   "cell_type": "code",
   "execution_count": null,
   "metadata": {},
   "outputs": [],
   "source": "model.cuda()\n"
  }
 ],
 "metadata": {
  "kernelspec": {
   "display_name": "Python 3",
   "language": "python",
   "name": "python3"
  },
  "language_info": {
   "name": "python"
  }
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
)json";

constexpr std::string_view kFormat3 = R"({
 "metadata": {"name": ""},
 "nbformat": 3,
 "worksheets": [
  {"cells": [
    {"cell_type": "heading", "source": ["T"]},
    {"cell_type": "code", "input": ["a = 1\n", "b = 2"], "language": "python", "outputs": []},
    {"cell_type": "code", "input": ["puts 1"], "language": "ruby", "outputs": []}
  ]},
  {"cells": [{"cell_type": "code", "input": "c = 3", "source": "d = 4"}]}
 ]
})";

TEST(Notebook, ReadsCodeCellsOneAfterTheOther) {
  EXPECT_EQ(Read(kNotebook).python(), "import torch\nprint(\"x\\n\")\nmodel.cuda()\n");
}

TEST(Notebook, ReadsFormat3AndItsLanguagePerCell) {
  EXPECT_EQ(Read(kFormat3).python(), "a = 1\nb = 2\nc = 3\n");
}

TEST(Notebook, LeavesOutCellsThatTheEditorRunsInAnotherLanguage) {
  EXPECT_EQ(Read(R"({"cells": [
    {"cell_type": "code", "metadata": {"vscode": {"languageId": "shellscript"}},
     "source": ["python train.py --gpu 0"]},
    {"cell_type": "code", "source": "a = 1",
     "metadata": {"vscode": {"languageId": "python"}}},
    {"cell_type": "code", "source": "b = 2", "metadata": {"other": {"languageId": "ruby"}}}
  ], "metadata": {}, "nbformat": 4})")
                .python(),
            "a = 1\nb = 2\n");
}

TEST(Notebook, ReadsEveryEscape) {
  EXPECT_EQ(Read(WithSources({R"("a = '\u4e2d\ud83d\ude00\u00e9\u0041\/\t\"\\\\'")"})).python(),
            "a = '中😀éA/\t\"\\\\'\n");
}

TEST(Notebook, LeavesOutCellsWithoutText) {
  EXPECT_EQ(Read(WithSources({"[]", "\"\"", "[\"\"]", "\"x\""})).python(), "x\n");
}

TEST(Notebook, CanBeWithoutAnyCode) {
  const Notebook notebook = Read(R"({"cells": []})");
  EXPECT_EQ(notebook.python(), "");
  EXPECT_EQ(notebook.ToJson({Insert(0, "import torch_npu\n")}), std::nullopt);
  EXPECT_EQ(notebook.PlaceOf(0), Notebook::Place());
  EXPECT_EQ(notebook.ToJsonOffset(0), 0u);
}

TEST(Notebook, TakesTheLastOfDuplicateKeys) {
  EXPECT_EQ(Read(R"({"cells": [{"cell_type": "code", "source": "old"}],
                     "cells": [{"cell_type": "code", "source": ["a"], "source": "b = 1",
                                "cell_type": "markdown", "cell_type": "code"}]})")
                .python(),
            "b = 1\n");
}

TEST(Notebook, RefusesWhatIsNotJsonAndNamesTheLine) {
  const Error error = Refused("{\n\"cells\": [\n<<<<<<< HEAD\n]}");
  EXPECT_EQ(error.where, "a.ipynb:3");
  EXPECT_EQ(error.code, Error::Code::kBadInput);
  EXPECT_NE(error.what.en.find("not valid JSON"), std::string::npos);
}

TEST(Notebook, RefusesJsonWithoutCells) {
  for (std::string_view json : {"[]", "1", "\"cells\"", R"({"nbformat": 4})", R"({"cells": {}})"}) {
    EXPECT_NE(Refused(json).what.en.find("no Jupyter notebook"), std::string::npos) << json;
  }
}

TEST(Notebook, RefusesAnEmptyFileAndUtf16) {
  EXPECT_NE(Refused("").what.en.find("empty"), std::string::npos);
  EXPECT_NE(Refused(std::string_view("\xFF\xFE{\0}\0", 6)).what.en.find("UTF-16"),
            std::string::npos);
}

TEST(Notebook, RefusesAKernelThatIsNotPython) {
  const std::string by_kernel =
      R"({"cells": [], "metadata": {"kernelspec": {"language": "R", "name": "ir"}}})";
  const std::string by_language =
      R"({"cells": [], "metadata": {"language_info": {"name": "julia"}}})";
  EXPECT_NE(Refused(by_kernel).what.en.find("\"R\""), std::string::npos);
  EXPECT_NE(Refused(by_language).what.en.find("\"julia\""), std::string::npos);
}

TEST(Notebook, RefusesCodeThatIsNoText) {
  for (const char* source : {"7", "null", "{}", "[\"a\", 7]", "[[\"a\"]]"}) {
    EXPECT_NE(Refused(WithSources({"\"a\"", source})).what.en.find("cell 2"), std::string::npos);
  }
}

TEST(Notebook, ReadsDeeplyNestedOutputs) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_EQ(Read(R"({"metadata": )" + deep +
                 R"(, "cells": [{"cell_type": "code", "source": "x", "outputs": )" + deep + "}]}")
                .python(),
            "x\n");
}

TEST(Notebook, ReadsLargeOutputsFast) {
  std::string outputs = "\"" + std::string(size_t{25} << 20, 'A') + "\", [0";
  for (int i = 0; i < 4'000'000; ++i) outputs += ", 0.25";
  const std::string json = R"({"cells": [{"cell_type": "code", "outputs": [)" + outputs +
                           R"(]], "source": ["x = 1"]}]})";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(Read(json).python(), "x = 1\n");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(Notebook, KeepsAPlaceForEveryByte) {
  const std::string raw = WithSources({R"(["a = '\u4e2d\n'\n", "b = \"c\""])"});
  const Notebook notebook = Read(raw);
  EXPECT_EQ(raw.substr(notebook.ToJsonOffset(0), 3), "a =");
  EXPECT_EQ(raw.substr(notebook.ToJsonOffset(5), 6), "\\u4e2d");
  EXPECT_EQ(raw.substr(notebook.ToJsonOffset(8), 2), "\\n");
  EXPECT_EQ(raw.substr(notebook.ToJsonOffset(9), 3), "'\\n");
  EXPECT_EQ(raw.substr(notebook.ToJsonOffset(Find(notebook, "b =")), 3), "b =");
  EXPECT_EQ(raw.substr(notebook.ToJsonOffset(Find(notebook, "c\"")), 3), "c\\\"");
  EXPECT_EQ(raw.substr(notebook.ToJsonOffset(EndOf(notebook))), "\"]}], \"nbformat\": 4}");
}

TEST(Notebook, CountsAllCellsInPlaces) {
  const Notebook notebook = Read(kNotebook);
  EXPECT_EQ(notebook.PlaceOf(0), (Notebook::Place{2, 1}));
  EXPECT_EQ(notebook.PlaceOf(Find(notebook, "print")), (Notebook::Place{2, 2}));
  EXPECT_EQ(notebook.PlaceOf(Find(notebook, "model")), (Notebook::Place{4, 1}));
  EXPECT_EQ(notebook.PlaceOf(EndOf(notebook)).cell, 4u);
}

TEST(NotebookMask, TurnsCommandsAndMagicsIntoComments) {
  EXPECT_EQ(Masked("!pip install x\n%matplotlib inline\n?torch\n!!ls\nx = 1"),
            "#pip install x\n#matplotlib inline\n#torch\n#!ls\nx = 1\n");
}

TEST(NotebookMask, KeepsAStatementInABlock) {
  EXPECT_EQ(Masked("if colab:\n    !pip install x\n    !a\n  %x"),
            "if colab:\n    None#install x\n    0#\n  0#\n");
}

TEST(NotebookMask, MasksWhatABackslashContinues) {
  EXPECT_EQ(Masked("!pip install \\\n   x \\\n\ny = 1"), "#pip install \\\n   # \\\n\ny = 1\n");
}

TEST(NotebookMask, GivesAValueToAnAssignmentOfACommand) {
  EXPECT_EQ(Masked("x = !nvidia-smi\ny = %env HOME\na, b =!ls"),
            "x = None#ia-smi\ny = None#HOME\na, b =0#s\n");
}

TEST(NotebookMask, MasksHelp) {
  EXPECT_EQ(Masked("torch.nn?\nx??\né?\ny = 1  # why?\nz = 'why?'"),
            "#orch.nn?\n#??\n##?\ny = 1  # why?\nz = 'why?'\n");
}

TEST(NotebookMask, KeepsPercentAndExclamationMarkWherePythonHasThem) {
  for (const char* code : {"x = ('%d'\n     % y)\n", "x = '''\n!ls\n%time\n'''\n",
                           "x = a \\\n  % b\n", "a %= 2\nb != a\nc = a % b\n", "# !x = !y\n",
                           "f(\n!ls\n)\n", "s = 'it\\'s' '# ' \"\"\"a\"b\n?\"\"\"\n"}) {
    EXPECT_EQ(Masked(code), code);
  }
}

TEST(NotebookMask, ReadsTheStatementThatAMagicRuns) {
  EXPECT_EQ(Masked("%time x = model.cuda()\n%timeit -n 2 f()\n%time for i in y: f(i)"),
            "0;    x = model.cuda()\n#timeit -n 2 f()\n#time for i in y: f(i)\n");
}

TEST(NotebookMask, ReadsTheBodyOfACellMagicThatRunsIt) {
  EXPECT_EQ(Masked("\n%%time\nx.cuda()"), "\n#%time\nx.cuda()\n");
  EXPECT_EQ(Masked("%%capture out --no-stderr\n!ls"), "#%capture out --no-stderr\n#ls\n");
}

TEST(NotebookMask, MasksCellsInAnotherLanguage) {
  EXPECT_EQ(Masked("%%bash\ncd x\n\n  ls \"y"), "#%bash\n#d x\n\n  #s \"y\n");
  EXPECT_EQ(Masked("%%writefile a.py\nx = 1"), "#%writefile a.py\n# = 1\n");
}

TEST(NotebookMask, MasksABareMagicThatStandsAlone) {
  EXPECT_EQ(Masked("pip install -U torch"), "#ip install -U torch\n");
  EXPECT_EQ(Masked("cd .."), "#d ..\n");
  for (const char* code : {"ls = 3\n", "pip in x\n", "ls\n", "cat.x\n", "pip install x\ny = 1\n"}) {
    EXPECT_EQ(Masked(code), code);
  }
}

TEST(NotebookMask, KeepsAnOpenCellFromDrawingInTheNext) {
  for (const char* code : {"x = '''a", "f(1,", "x = 1 + \\", "x = 1 + \\\n"}) {
    const std::string json = WithSources({nlohmann::json(code).dump(), "\"y = 2\""});
    const std::string python = Read(json).python();
    EXPECT_TRUE(python.starts_with('#')) << python;
    EXPECT_TRUE(python.ends_with("\ny = 2\n")) << python;
  }
}

TEST(NotebookMask, KeepsLengthAndLineEnds) {
  const std::string code =
      "!a\r\nif x:\r\n  !b\r\n  %c d \\\r\n  e\r\n  f?\r\ny = !g\r\nz = %env é\r\n  !é\r\n";
  const std::string masked = Masked(code);
  ASSERT_EQ(masked.size(), code.size());
  for (size_t i = 0; i < code.size(); ++i) {
    EXPECT_EQ(masked[i] == '\n', code[i] == '\n') << i;
    EXPECT_EQ(masked[i] == '\r', code[i] == '\r') << i;
  }
}

TEST(NotebookEdit, ChangesTextInAListElement) {
  EXPECT_EQ(EditedSource(R"(["a\n", "x.cuda()\n", "b"])", {Replace(4, 8, "npu")}),
            R"(["a\n", "x.npu()\n", "b"])");
}

TEST(NotebookEdit, AddsALineAsANewListElement) {
  EXPECT_EQ(EditedSource("[\n    \"a\\n\",\n    \"b\"\n   ]", {Insert(2, "import torch_npu\n")}),
            "[\n    \"a\\n\",\n    \"import torch_npu\\n\",\n    \"b\"\n   ]");
  EXPECT_EQ(EditedSource(R"(["a\n", "b"])", {Insert(0, "x\ny\n")}),
            R"(["x\n", "y\n", "a\n", "b"])");
}

TEST(NotebookEdit, SeparatesTheFirstTwoElementsAsTheFileDoes) {
  EXPECT_EQ(EditedSource("[\r\n\t\"b\"\r\n]", {Insert(0, "x\n")}),
            "[\r\n\t\"x\\n\",\r\n\t\"b\"\r\n]");
  EXPECT_EQ(EditedSource(R"(["b"])", {Insert(0, "x\n")}), R"(["x\n", "b"])");
  EXPECT_EQ(Edited(R"({"cells":[{"cell_type":"code","source":["b"]}]})", {Insert(0, "x\n")}),
            R"({"cells":[{"cell_type":"code","source":["x\n","b"]}]})");
}

TEST(NotebookEdit, AddsALineAtTheEndOfACell) {
  EXPECT_EQ(EditedSource(R"(["a\n", "b"])", {Insert(4, "c\n")}), R"(["a\n", "b\n", "c"])");
  EXPECT_EQ(EditedSource(R"(["a\n", "b"])", {Insert(3, "\nc")}), R"(["a\n", "b\n", "c"])");
  EXPECT_EQ(EditedSource(R"(["a\n", "b\n"])", {Insert(4, "c\n")}), R"(["a\n", "b\n", "c\n"])");
  EXPECT_EQ(EditedSource(R"("a\nb")", {Insert(4, "c\n")}), R"("a\nb\nc")");
}

TEST(NotebookEdit, InsertsInPlaceInAPlainString) {
  EXPECT_EQ(EditedSource(R"("a\nb\n")", {Insert(2, "x = \"\\\"\n")}), R"("a\nx = \"\\\"\nb\n")");
}

TEST(NotebookEdit, DeletesALineWithItsSeparator) {
  const std::string source = "[\n  \"a\\n\",\n  \"b\\n\",\n  \"c\"\n ]";
  EXPECT_EQ(EditedSource(source, {Replace(0, 2, "")}), "[\n  \"b\\n\",\n  \"c\"\n ]");
  EXPECT_EQ(EditedSource(source, {Replace(2, 4, "")}), "[\n  \"a\\n\",\n  \"c\"\n ]");
  EXPECT_EQ(EditedSource(source, {Replace(4, 6, "")}), "[\n  \"a\\n\",\n  \"b\"\n ]");
}

TEST(NotebookEdit, CanEmptyACell) {
  EXPECT_EQ(EditedSource("[\n  \"a\\n\",\n  \"b\"\n ]", {Replace(0, 4, "")}), "[]");
  EXPECT_EQ(EditedSource(R"("a\nb")", {Replace(0, 4, "")}), R"("")");
  EXPECT_EQ(EditedSource(R"(["a"])", {Replace(0, 1, "")}), R"(["\n"])");
}

TEST(NotebookEdit, JoinsLinesWhoseLineEndIsDeleted) {
  EXPECT_EQ(
      EditedSource(R"(["f(\n", "  a,\n", "b)\n", "c"])", {Replace(2, 5, ""), Replace(7, 8, "")}),
      R"(["f(a,b)\n", "c"])");
}

TEST(NotebookEdit, LeavesElementsBetweenTwoEditsAsTheyAre) {
  EXPECT_EQ(EditedSource(R"([ "a\n" ,"b\n",  "", "\u0063\/\n",
 "d"])",
                         {Replace(0, 1, "A"), Replace(7, 8, "D")}),
            R"([ "A\n" ,"b\n",  "", "\u0063\/\n",
 "D"])");
}

TEST(NotebookEdit, KeepsElementsThatHoldNoWholeLine) {
  EXPECT_EQ(EditedSource(R"(["a = ", "b\nc", " = d\n"])", {Replace(0, 1, "A"), Insert(6, "x\n")}),
            R"(["A = ", "b\n", "x\n", "c", " = d\n"])");
}

TEST(NotebookEdit, KeepsTheSpellingOfWhatStaysInAnElement) {
  EXPECT_EQ(EditedSource(R"(["\u0061\/b.cuda() # \u4E2D\u000a"])", {Replace(4, 8, "npu")}),
            R"(["\u0061\/b.npu() # \u4E2D\u000a"])");
  EXPECT_EQ(EditedSource(R"(["a\n", "b\u000a", "c"])", {Replace(4, 6, "")}), R"(["a\n", "b"])");
}

TEST(NotebookEdit, EscapesOtherCharactersIfTheFileDoes) {
  EXPECT_EQ(EditedSource(R"("a # \u00e9")", {Insert(1, "中😀")}),
            R"("a\u4e2d\ud83d\ude00 # \u00e9")");
  EXPECT_EQ(EditedSource(R"("a # é \u00e9")", {Insert(1, "中")}), R"("a中 # é \u00e9")");
  EXPECT_EQ(EditedSource(R"("a # \\u00e9")", {Insert(1, "中")}), R"("a中 # \\u00e9")");
}

TEST(NotebookEdit, KeepsAByteOrderMarkAndCrLf) {
  std::string json =
      "\xEF\xBB\xBF{\r\n\"cells\": [{\"cell_type\": \"code\",\r\n\"source\": "
      "[\r\n\"a\\r\\n\",\r\n\"b\"]}]}\r\n";
  const std::string edited = Edited(json, {Insert(3, "x\r\n")});
  json.insert(json.find("\"b\""), "\"x\\r\\n\",\r\n");
  EXPECT_EQ(edited, json);
}

TEST(NotebookEdit, KeepsMarkdownAndOutputsAsTheyAre) {
  const Notebook notebook = Read(kNotebook);
  const uint32_t cuda = Find(notebook, "cuda");
  std::string expected(kNotebook);
  expected.replace(expected.find("model.cuda") + 6, 4, "npu");
  expected.insert(expected.find("\"print"), "\"import torch_npu\\n\",\n    ");
  EXPECT_EQ(Edited(std::string(kNotebook), {Replace(cuda, cuda + 4, "npu"),
                                            Insert(Find(notebook, "print"), "import torch_npu\n")}),
            expected);
}

TEST(NotebookEdit, PutsALineAtABorderIntoTheLaterCell) {
  EXPECT_EQ(Edited(WithSources({"[\"a\"]", "[\"b\"]"}), {Insert(2, "x\n")}),
            WithSources({"[\"a\"]", R"(["x\n", "b"])"}));
}

TEST(NotebookEdit, GoesOnWithImportsAndBlocksOfTheEarlierCell) {
  EXPECT_EQ(
      Edited(WithSources({R"(["import torch"])", "[\"b\"]"}), {Insert(13, "import torch_npu\n")}),
      WithSources({R"(["import torch\n", "import torch_npu"])", "[\"b\"]"}));
  EXPECT_EQ(Edited(WithSources({R"(["if a:\n", "  b"])", "[\"b\"]"}), {Insert(10, "  c\n")}),
            WithSources({R"(["if a:\n", "  b\n", "  c"])", "[\"b\"]"}));
}

TEST(NotebookEdit, PutsNothingBeforeACellMagic) {
  const std::string json = WithSources({"[\"a\"]", R"(["%%time\n", "b"])"});
  EXPECT_EQ(Edited(json, {Insert(2, "x\n")}),
            WithSources({R"(["a\n", "x"])", R"(["%%time\n", "b"])"}));
  EXPECT_EQ(Edited(json, {Insert(9, "x\n")}),
            WithSources({"[\"a\"]", R"(["%%time\n", "x\n", "b"])"}));
  EXPECT_FALSE(CanEdit(WithSources({R"("%%time\nb")"}), Insert(0, "x\n")));
  EXPECT_FALSE(CanEdit(WithSources({R"("%%bash\nb")", R"("%%time\nb")"}), Insert(9, "x\n")));
}

TEST(NotebookEdit, RefusesToCrossTheBorderOfACell) {
  const std::string json = WithSources({"[\"a\"]", "[\"b\"]"});
  EXPECT_FALSE(CanEdit(json, Replace(0, 3, "")));
  EXPECT_FALSE(CanEdit(json, Replace(1, 2, ""))) << "would join the cells";
  EXPECT_FALSE(CanEdit(json, Replace(0, 2, "x"))) << "would join the cells";
  EXPECT_TRUE(CanEdit(json, Replace(0, 2, "")));
  EXPECT_TRUE(CanEdit(json, Replace(0, 2, "x\n")));
}

TEST(NotebookEdit, RefusesToTouchWhatIsMasked) {
  const std::string json = WithSources({R"("!ls a\nx = !b c\n%time y\n")"});
  const Notebook notebook = Read(json);
  ASSERT_EQ(notebook.python(), "#ls a\nx = None\n0;    y\n");
  EXPECT_FALSE(CanEdit(json, Replace(1, 3, "")));
  EXPECT_FALSE(CanEdit(json, Replace(0, 6, "")));
  EXPECT_FALSE(CanEdit(json, Insert(2, "x")));
  EXPECT_FALSE(CanEdit(json, Insert(0, "x")));
  EXPECT_FALSE(CanEdit(json, Insert(5, "x")));
  EXPECT_TRUE(CanEdit(json, Insert(0, "x\n")));
  EXPECT_TRUE(CanEdit(json, Insert(5, "\nx")));
  EXPECT_FALSE(CanEdit(json, Replace(10, 14, "1")));
  EXPECT_TRUE(CanEdit(json, Replace(6, 7, "z")));
  EXPECT_FALSE(CanEdit(json, Replace(15, 22, "")));
  EXPECT_TRUE(CanEdit(json, Insert(21, "f(")));
  EXPECT_TRUE(CanEdit(json, Replace(21, 22, "z")));
}

TEST(NotebookEdit, RefusesEditsThatOverlapOrSplitACharacter) {
  const Notebook notebook = Read(WithSources({R"("abcd # \u4e2d")"}));
  EXPECT_EQ(notebook.ToJson({Replace(0, 2, ""), Replace(1, 3, "")}), std::nullopt);
  EXPECT_EQ(notebook.ToJson({Replace(8, 9, "")}), std::nullopt);
  EXPECT_EQ(notebook.ToJson({Replace(0, 99, "")}), std::nullopt);
}

TEST(NotebookEdit, MakesEditsInAnyOrder) {
  EXPECT_EQ(EditedSource(R"(["ab\n", "cd"])", {Replace(4, 5, "D"), Replace(0, 1, "A")}),
            R"(["Ab\n", "cD"])");
}

/// The document without the text of its code cells.
nlohmann::json WithoutCode(nlohmann::json document) {
  const auto clear = [](nlohmann::json& cells) {
    for (nlohmann::json& cell : cells) {
      if (cell["cell_type"] != "code") continue;
      cell.erase("source");
      if (cell.contains("input") && cell.value("language", "python") == "python") {
        cell.erase("input");
      }
    }
  };
  if (document.contains("cells")) clear(document["cells"]);
  if (document.contains("worksheets")) {
    for (nlohmann::json& sheet : document["worksheets"]) clear(sheet["cells"]);
  }
  return document;
}

/// Random edits of the program: some between lines, some anywhere in them.
std::vector<Edit> RandomEdits(const std::string& python, std::mt19937& random) {
  static constexpr std::string_view kTexts[] = {"",     "x",    "a\n",        "\n",      "\nb = 1",
                                                "\"\\", "中\n", "# 😀\n# é\n", "y\r\n\t", "  z\n"};
  const auto below = [&](size_t limit) { return static_cast<uint32_t>(random() % limit); };
  EditList list;
  for (uint32_t count = below(4) + 1; count > 0; --count) {
    uint32_t start = below(python.size() + 1);
    if (below(2) == 0) start = static_cast<uint32_t>(python.rfind('\n', start) + 1);
    uint32_t end = start;
    if (below(3) > 0) end = std::min(start + below(12), static_cast<uint32_t>(python.size()));
    if (below(3) == 0) end = static_cast<uint32_t>(python.find('\n', start) + 1);
    if (end < start) continue;
    // A conflict leaves the list as it is.
    static_cast<void>(list.TryAdd({{{{start, end}, std::string(kTexts[below(10)])}}}, "rule"));
  }
  std::vector<Edit> edits;
  for (const EditList::Accepted& accepted : list.edits()) edits.push_back(accepted.edit);
  return edits;
}

TEST(NotebookEdit, DoesInPythonWhatItSaysWhateverTheEdits) {
  const std::vector<std::string> notebooks = {
      std::string(kFormat3),
      WithSources({R"(["a = 1\n", "\n", "b = 2\n", "c = 3"])", R"("d\ne\n")", R"(["f"])"}),
      WithSources({R"(["\u4e2d = 1\n","# \ud83d\ude00\n", "", "x\ny\n", "z", " = 4\n"])"}),
      "{\"cells\":[{\"source\":[\n\t\"a\\r\\n\",\n\t\"b\"\n],\"cell_type\":\"code\"},"
      "{\"cell_type\":\"markdown\",\"source\":[\"a\"]},"
      "{\"cell_type\":\"code\",\"outputs\":[\"é\"],\"source\":[\"\\n\\n\"]}]}"};
  std::mt19937 random(7);
  int made = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::string& json = notebooks[static_cast<size_t>(round) % notebooks.size()];
    const Notebook notebook = Read(json);
    const std::vector<Edit> edits = RandomEdits(notebook.python(), random);
    const std::optional<std::vector<Edit>> json_edits = notebook.ToJson(edits);
    if (!json_edits) continue;
    ++made;
    const std::string result = Apply(json, *json_edits);
    const std::string python = Apply(notebook.python(), edits);
    // A backslash may come to stand at the end of a cell, which is then masked.
    if (python.find('\\') == std::string::npos) {
      ASSERT_EQ(Read(result).python(), python) << json << "\n" << result;
    }
    ASSERT_EQ(WithoutCode(nlohmann::json::parse(result)), WithoutCode(nlohmann::json::parse(json)));
  }
  EXPECT_GT(made, 5'000);
}

TEST(NotebookEdit, ChangesNoByteOutsideTheStringsThatItTouches) {
  const std::string json(kNotebook);
  const Notebook notebook = Read(json);
  for (uint32_t at = 0; at < EndOf(notebook); ++at) {
    if (notebook.python()[at] < 'a') continue;  // a bracket or a quote would stay open
    const std::string edited = Edited(json, {Replace(at, at + 1, "_")});
    const uint32_t place = notebook.ToJsonOffset(at);
    const size_t before = json.rfind('\n', place) + 1;
    const size_t after = json.size() - json.find('\n', place);
    EXPECT_EQ(edited.substr(0, before), json.substr(0, before));
    EXPECT_EQ(edited.substr(edited.size() - after), json.substr(json.size() - after));
  }
}

}  // namespace
}  // namespace transplt
