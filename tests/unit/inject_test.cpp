// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "transplt/inject/frameworks.h"
#include "transplt/inject/injected_parts.h"
#include "transplt/inject/option_table.h"
#include "transplt/inject/request.h"
#include "transplt/inject/step_list.h"

namespace transplt {
namespace {

std::vector<Finding> Removals(const std::string& text,
                              std::optional<std::string_view> tag = std::nullopt) {
  const Result<SourceFile> source = SourceFile::FromBytes("a.py", text);
  Parser parser;
  const SyntaxTree tree = SyntaxTree::Parse(*source, parser);
  return InjectedParts(tree).Removals(tag);
}

std::string WithoutParts(const std::string& text) {
  EditList edits;
  for (const Finding& finding : Removals(text)) {
    EXPECT_FALSE(edits.TryAdd(finding.fix, finding.rule_id));
  }
  return edits.ApplyTo(text);
}

TEST(InjectedParts, AreTakenOutLineByLine) {
  EXPECT_EQ(WithoutParts("a\n# transplt-inject: begin\nb\n# transplt-inject: end\nc\n"), "a\nc\n");
}

TEST(InjectedParts, GiveBackTheLinesThatTheyReplace) {
  EXPECT_EQ(
      WithoutParts("if x:\n  # transplt-inject: replaced 1\n  #|  f(\n  #|    )\n  f(1)\ng()\n"),
      "if x:\n  f(\n    )\ng()\n");
}

TEST(InjectedParts, KeepLineEndsAndAMissingLastOne) {
  EXPECT_EQ(WithoutParts("a\r\n# transplt-inject: replaced 1\r\n#|f()\r\nf(1)"), "a\r\nf()");
  EXPECT_EQ(WithoutParts("a\r\n# transplt-inject: begin\r\nb\r\n# transplt-inject: end"), "a");
}

TEST(InjectedParts, BearTheTagOfTheirTool) {
  const std::string text = "# transplt-inject: begin prof\nb\n# transplt-inject: end\n";
  EXPECT_EQ(Removals(text, "prof").size(), 1U);
  EXPECT_EQ(Removals(text, "ptdbg").size(), 0U);
}

TEST(InjectedParts, AreNotWhatAStringLiteralHolds) {
  for (const char* text :
       {"s = '''\n# transplt-inject: begin\nb\n# transplt-inject: end\n'''\n",
        "s = '''\n# transplt-inject: replaced 1\n#|a\nb\n'''\n",
        "s = f'''\n  # transplt-inject: begin\n{x}\n  # transplt-inject: end\n'''\n",
        "s = '''\n# transplt-inject: begin\n'''\nb\nc = '''\n# transplt-inject: end\n'''\n"}) {
    EXPECT_EQ(WithoutParts(text), text);
    EXPECT_THAT(Removals(text), testing::IsEmpty()) << text;
  }
}

TEST(InjectedParts, EndAtACommentAndNotAtOneInAStringLiteral) {
  EXPECT_EQ(WithoutParts("a\n# transplt-inject: begin\ns = '''\n# transplt-inject: end\n'''\n"
                         "# transplt-inject: end\nb\n"),
            "a\nb\n");
}

TEST(InjectedParts, LeaveABodyToABlockThatHoldsNothingElse) {
  const std::string part = "  # transplt-inject: begin\n  x()\n  # transplt-inject: end\n";
  EXPECT_EQ(WithoutParts("if 1:\n" + part + "y()\n"), "if 1:\n  pass\ny()\n");
  EXPECT_EQ(WithoutParts("if 1:\n" + part), "if 1:\n  pass\n");
  EXPECT_EQ(WithoutParts("if 1:\n" + part + part + "else:\n" + part + "y()\n"),
            "if 1:\n  pass\nelse:\n  pass\ny()\n");
  EXPECT_EQ(WithoutParts("if 1:\n  # a comment\n" + part + "y()\n"),
            "if 1:\n  # a comment\n  pass\ny()\n");
  EXPECT_EQ(WithoutParts("try:\r\n  # transplt-inject: begin\r\n  x()\r\n"
                         "  # transplt-inject: end\r\nfinally:\r\n  y()\r\n"),
            "try:\r\n  pass\r\nfinally:\r\n  y()\r\n");
}

TEST(InjectedParts, LeaveABlockWithAStatementOfItsOwnAsItWas) {
  const std::string part = "  # transplt-inject: begin\n  x()\n  # transplt-inject: end\n";
  EXPECT_EQ(WithoutParts("if 1:\n" + part + "  y()\n"), "if 1:\n  y()\n");
  EXPECT_EQ(WithoutParts("if 1:\n  y()\n" + part), "if 1:\n  y()\n");
  EXPECT_EQ(WithoutParts("# transplt-inject: begin\nif 1:\n  x()\n# transplt-inject: end\n"), "");
  EXPECT_EQ(WithoutParts("if 1:\n  # transplt-inject: replaced 1\n  #|  f()\n  f(1)\n"),
            "if 1:\n  f()\n");
}

TEST(InjectedParts, ThatWereEditedAreReportedAndStay) {
  const std::string text = "# transplt-inject: begin\nb\n";
  const std::vector<Finding> findings = Removals(text);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].applicability, Applicability::kDisplayOnly);
}

TEST(StepList, ExpandsRanges) { EXPECT_EQ(StepList("0|3-5|10"), "[0, 3, 4, 5, 10]"); }

TEST(OptionTable, NamesOnlyOptionsAndToolsThatExist) {
  const Result<OptionTable> table = OptionTable::Load();
  ASSERT_TRUE(table) << table.error().what.en;
  for (const OptionSpec& spec : table->options()) {
    const InjectFramework* framework = FindInjectFramework(spec.framework);
    ASSERT_NE(framework, nullptr) << spec.framework;
    for (const std::string& name : spec.needs) {
      EXPECT_NE(table->Find(spec.framework, name), nullptr) << spec.name << " needs " << name;
    }
    for (const std::string& name : spec.excludes) {
      EXPECT_NE(table->Find(spec.framework, name), nullptr) << spec.name << " excludes " << name;
    }
    if (!spec.goes_with.empty()) {
      EXPECT_NE(table->Find(spec.framework, spec.goes_with), nullptr) << spec.name;
    }
    for (const auto& tools : {spec.tools, spec.required}) {
      for (const std::string& tool : tools) {
        EXPECT_THAT(framework->tools, testing::Contains(tool)) << spec.name;
      }
    }
  }
}

TEST(OptionTable, NotesAreAboutOptionsAndValuesThatExist) {
  const Result<OptionTable> table = OptionTable::Load();
  ASSERT_TRUE(table) << table.error().what.en;
  EXPECT_FALSE(table->notes().empty());
  for (const OptionNote& note : table->notes()) {
    const OptionSpec* spec = table->Find(note.framework, note.option);
    ASSERT_NE(spec, nullptr) << note.option;
    const bool is_flag = note.without.starts_with("--");
    EXPECT_TRUE(note.without.empty() || is_flag ||
                table->Find(note.framework, note.without) != nullptr)
        << note.without;
    for (const std::string& value : note.values) {
      EXPECT_FALSE(MistakeIn(*spec, value)) << note.option << "=" << value;
    }
  }
}

TEST(OptionTable, RefusesARowWithAnUnknownField) {
  const Result<OptionTable> table =
      OptionTable::Parse("t.json",
                         R"({"options": [{"framework": "a", "name": "b", "type": "bool", "wat": 1,
          "what": "c", "what_zh": "d"}]})");
  ASSERT_FALSE(table);
  EXPECT_THAT(table.error().what.en, testing::HasSubstr("unknown field \"wat\""));
}

}  // namespace
}  // namespace transplt
