// SPDX-License-Identifier: Apache-2.0
#include "transplt/frontends/markdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace transplt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// "device=cuda" for each setting, as it stands in `text`.
std::vector<std::string> SettingsIn(const std::string& text) {
  const Result<SourceFile> document = SourceFile::FromBytes("README.md", text);
  if (!document) {
    ADD_FAILURE() << document.error().what.en;
    return {};
  }
  std::vector<std::string> lines;
  for (const Setting& setting : MarkdownSettings(*document)) {
    EXPECT_EQ(setting.name_range.In(text), setting.name);
    EXPECT_EQ(setting.value_range.In(text), setting.value_range.empty() ? "" : setting.value);
    if (setting.kind == Setting::Kind::kCommand) continue;
    lines.push_back(setting.name + "=" + setting.value);
  }
  return lines;
}

TEST(MarkdownSettings, AreThoseOfCommandsAndNotOfSentences) {
  EXPECT_THAT(SettingsIn("Set `A=1 b --c d`, E=2.\n\n```sh\nF=3 g --h i\n```\n\n    J=4 k\n"),
              ElementsAre("F=3", "h=i", "J=4"));
}

TEST(MarkdownSettings, StandBehindPromptsIndentationAndMarksOfQuotations) {
  EXPECT_THAT(SettingsIn("- a\n  > ```console\n  > (env) $ B=1 c \\\n  >   --d e\n  > ```\n"),
              ElementsAre("B=1", "d=e"));
}

TEST(MarkdownSettings, AreFoundInLinesThatEndWithCrLf) {
  EXPECT_THAT(SettingsIn("```sh\r\nA=1 b \\\r\n  --c d\r\n```\r\n"), ElementsAre("A=1", "c=d"));
}

TEST(MarkdownSettings, KeepWhatAReaderFillsIn) {
  EXPECT_THAT(SettingsIn("```Bash\na --data <your data> --b c\n```\n"),
              ElementsAre("data=<your data>", "b=c"));
}

TEST(MarkdownSettings, HaveNoPlaceInTheDocumentWhereAValueIsOverMarkedLines) {
  EXPECT_THAT(SettingsIn("> ```sh\n> A='b\n> c'\n> ```\n"), ElementsAre("A=b\nc"));
}

TEST(MarkdownSettings, ComeFromOtherLanguagesBehindAPromptOnly) {
  EXPECT_THAT(SettingsIn("```python\ndevice=1\n```\n```yaml\na: b --c d\n```\n"), IsEmpty());
  EXPECT_THAT(SettingsIn("```Python\ndevice=1\n```\n```ini\ndevice=1\n```\n"), IsEmpty());
  EXPECT_THAT(SettingsIn("```text\nA=1\n$ B=2 c\n```\n"), ElementsAre("B=2"));
}

TEST(MarkdownSettings, OfABlockWithoutLanguageNeedAScript) {
  EXPECT_THAT(SettingsIn("```\nA=1 b && (C=2 d)\n```\n"), ElementsAre("A=1", "C=2"));
  EXPECT_THAT(SettingsIn("```\nmain(\n    device=\"cuda\"\n)\nA=1\n```\n"), IsEmpty());
}

TEST(MarkdownSettings, OfABlockWithoutLanguageThatStartsPythonStandBesideWhatDoesNotParse) {
  EXPECT_THAT(SettingsIn("```\npython a.py --b c\n--d=1 --e=\"f\"\n```\n"), ElementsAre("b=c"));
  EXPECT_THAT(SettingsIn("```\nmain(\n    b --c d\n```\n"), IsEmpty());
}

TEST(MarkdownSettings, OfOddDocumentsAreHarmless) {
  for (const char* text : {"", "```", "```sh", "```sh\n", "```sh\n\n```", "```sh\n\"\n```\n",
                           "\xEF\xBB\xBF```sh\na", "```sh\n\xff=1\n```\n", "```sh\r\r```\r",
                           "\t\tA=1\n", "> ```sh\na", "1. \tA=1 b\n\n\t\tC=2 d"}) {
    SettingsIn(text);
  }
}

TEST(PythonInMarkdown, IsThatOfItsCommands) {
  const std::string text = "```sh\n$ python -c \"print(1)\"\n```\n```python\nprint(2)\n```\n";
  const Result<SourceFile> document = SourceFile::FromBytes("README.md", text);
  ASSERT_TRUE(document);
  const std::vector<TextRange> programs = PythonInMarkdown(*document);
  ASSERT_EQ(programs.size(), 1U);
  EXPECT_EQ(programs.front().In(text), "print(1)");
}

}  // namespace
}  // namespace transplt
