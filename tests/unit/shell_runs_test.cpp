// SPDX-License-Identifier: Apache-2.0
#include "transplt/frontends/shell_runs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transplt/frontends/code_blocks.h"

namespace transplt {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

/// "folder:program> a b c" of each command.
std::vector<std::string> Shown(const std::vector<ShellRun>& runs) {
  std::vector<std::string> shown;
  for (const ShellRun& run : runs) {
    shown.push_back(
        fmt::format("{}:{}> {}", run.folder, run.words[run.program], fmt::join(run.words, " ")));
  }
  return shown;
}

std::vector<std::string> RunsOf(const std::string& script) {
  const Result<SourceFile> source = SourceFile::FromBytes("run.sh", script);
  return source ? Shown(RunsIn(*source)) : std::vector<std::string>();
}

std::vector<std::string> ExamplesOf(const std::string& text) {
  ShellVariables variables;
  return Shown(RunsInExample(text, variables));
}

TEST(ShellRuns, FindTheProgramBehindWhatRunsIt) {
  EXPECT_THAT(RunsOf("A=1 nohup srun -n 4 python train.py --lr 1 > log 2>&1 &\n"),
              ElementsAre(":python> nohup srun -n 4 python train.py --lr 1"));
}

TEST(ShellRuns, TellTheVariablesThatACommandGets) {
  const Result<SourceFile> source =
      SourceFile::FromBytes("run.sh", "export A=1\nB=2\nC=3 python train.py\nA=4 python test.py\n");
  ASSERT_TRUE(source);
  const std::vector<ShellRun> runs = RunsIn(*source);
  ASSERT_EQ(runs.size(), 2U);
  using Variable = std::pair<const std::string, std::string>;
  EXPECT_THAT(runs[0].environment, ElementsAre(Variable("A", "1"), Variable("C", "3")));
  EXPECT_THAT(runs[1].environment, ElementsAre(Variable("A", "4")));
}

TEST(ShellRuns, PutInVariablesThatTheScriptSets) {
  EXPECT_THAT(RunsOf("OPTS=\"--lr 1\"\nLIST=(--a \"b c\")\n"
                     "torchrun train.py $OPTS \"${LIST[@]}\" --n ${N:-8} $1\n"),
              ElementsAre(":torchrun> torchrun train.py --lr 1 --a b c --n 8 $1"));
}

TEST(ShellRuns, LeaveVariablesThatOnlyTheShellKnows) {
  EXPECT_THAT(RunsOf("A=\nB=1\nA=`date`\nB=$(pwd)\npython train.py $A ${B}\n"),
              Contains(":python> python train.py $A ${B}"));
}

TEST(ShellRuns, FollowCdAndLeaveASubshell) {
  EXPECT_THAT(RunsOf("(cd a/b && python x.py)\ncd ./tools/../lib\npython y.py\n"),
              ElementsAre("a/b:python> python x.py", "lib:python> python y.py"));
}

TEST(ShellRuns, JoinContinuedLines) {
  EXPECT_THAT(RunsOf("python train.py \\\n  --a 1 \\\n  --b 2\n"),
              ElementsAre(":python> python train.py --a 1 --b 2"));
}

TEST(ShellRuns, OfAnExampleHavePromptsAndPlaceholders) {
  EXPECT_THAT(ExamplesOf("$ python a.py --data <your data>\n(env) $ python b.py\n!python c.py\n"),
              ElementsAre(":python> python a.py --data <your data>", ":python> python b.py",
                          ":python> python c.py"));
}

TEST(ShellRuns, OfAMakefileAreThoseOfItsRecipes) {
  const Result<SourceFile> makefile =
      SourceFile::FromBytes("Makefile", "NAME = python x.py\ntrain: data\n\t@python train.py\n");
  ASSERT_TRUE(makefile);
  const std::vector<ShellRun> runs = RunsInMakefile(*makefile);
  EXPECT_THAT(Shown(runs), ElementsAre(":python> python train.py"));
  EXPECT_EQ(runs.at(0).line, 3U);
}

TEST(ShellRuns, OfSomethingElseAreHarmless) {
  EXPECT_THAT(ExamplesOf(""), IsEmpty());
  for (const char* text : {"$", "\"", "<<", "<a", "((((", "${", "cd", "a=(", "`", "'\\", "<"}) {
    ExamplesOf(text);
    RunsOf(text);
  }
}

TEST(CodeBlocks, NameTheirLanguageAndLine) {
  const std::vector<CodeBlock> blocks = CodeBlocksOf(
      "# Title\n\nRun `python a.py`:\n\n```bash\npython b.py\n```\n\n    python c.py\n");
  ASSERT_EQ(blocks.size(), 3U);
  EXPECT_TRUE(blocks[0].in_sentence);
  EXPECT_EQ(blocks[0].text, "python a.py");
  EXPECT_EQ(blocks[1].language, "bash");
  EXPECT_EQ(blocks[1].text, "python b.py\n");
  EXPECT_EQ(blocks[1].line, 6U);
  EXPECT_EQ(blocks[2].text, "python c.py\n");
  EXPECT_EQ(blocks[2].line, 9U);
}

TEST(CodeBlocks, NameTheirLanguageHoweverItIsWritten) {
  for (const char* fence :
       {"bash", "bash title=x", "{.bash}", "{.bash .numbered}", ".bash", "bash,x"}) {
    const std::vector<CodeBlock> blocks = CodeBlocksOf(std::string("```") + fence + "\na\n```\n");
    ASSERT_EQ(blocks.size(), 1U);
    EXPECT_EQ(blocks[0].language, "bash") << fence;
  }
}

}  // namespace
}  // namespace transplt
