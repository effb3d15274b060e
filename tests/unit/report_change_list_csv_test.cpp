// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "report_fixture.h"
#include "transplt/report/change_list_csv.h"

namespace transplt {
namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr char kHeader[] =
    "File,Start Line,End Line,Operation Type,Message,Column,Rule ID,Applicability,Before,After,"
    "Cause,Severity,Decision\n";

RunResult RunWith(ChangeRecord record) {
  RunResult run;
  run.records = {std::move(record)};
  return run;
}

/// The cell "Before" of a row whose record has this text.
std::string BeforeCell(const std::string& before) {
  ChangeRecord record = Edited("a.py", 1);
  record.before = before;
  record.after = "END";
  const std::string csv = ChangeListCsv(RunWith(record));
  const size_t start = csv.find(",safe,") + 6;
  return csv.substr(start, csv.find(",END,") - start);
}

/// What Python's csv module reads.
Rows ReadWithPython(const std::string& csv) {
  TempFolder folder;
  WriteBytes(folder / "list.csv", csv);
  WriteBytes(folder / "read.py",
             "import csv, json, sys\n"
             "with open(sys.argv[1], newline='', encoding='utf-8') as f:\n"
             "    print(json.dumps(list(csv.reader(f, strict=True))))\n");
  return nlohmann::json::parse(
      OutputOf("/usr/bin/python3 " + (folder / "read.py") + " " + (folder / "list.csv")));
}

TEST(ChangeListCsv, HasOnlyTheHeaderWhenNothingWasFound) {
  EXPECT_EQ(ChangeListCsv(RunResult()), kHeader);
}

TEST(ChangeListCsv, WritesARowPerRecordInTheirOrder) {
  EXPECT_EQ(ChangeListCsv(SampleRun()),
            std::string(kHeader) +
                "a.py,3,3,MODIFY,change module cuda to npu,5,torch.cuda,safe,torch.cuda,"
                "torch.npu,torch.cuda,,\n"
                "a.py,7,7,UNSUPPORTED,no counterpart on the NPU,1,torch.cuda.jiterator,"
                "display-only,torch.cuda.jiterator,,torch.cuda.jiterator,stops-run,\n"
                "a.py,9,9,UNKNOWN,no counterpart on the NPU,1,unknown-api,display-only,"
                "torch.cuda.jiterator,,torch.cuda.jiterator,stops-run,\n"
                "bin.py,,,SKIPPED,binary file,,file,display-only,,,file,may-go-wrong,\n");
}

TEST(ChangeListCsv, QuotesOnlyFieldsThatNeedIt) {
  EXPECT_EQ(BeforeCell("a b 'c' [d]"), "a b 'c' [d]");
  EXPECT_EQ(BeforeCell("f(a, b)"), "\"f(a, b)\"");
  EXPECT_EQ(BeforeCell("d[\"cuda\"]"), "\"d[\"\"cuda\"\"]\"");
  EXPECT_EQ(BeforeCell("a\nb"), "\"a\nb\"");
  EXPECT_EQ(BeforeCell("a\rb"), "\"a\rb\"");
}

TEST(ChangeListCsv, PutsABlankBeforeWhatCouldStartAFormula) {
  for (std::string start : {"=", "+", "-", "%", "@", "＝", "＋", "－", "％", "＠", "\t"}) {
    EXPECT_EQ(BeforeCell(start + "cmd"), " " + start + "cmd") << start;
  }
  EXPECT_EQ(BeforeCell("\rcmd"), "\" \rcmd\"");
}

TEST(ChangeListCsv, PutsABlankWhereALocaleOrANewLineWouldStartAField) {
  EXPECT_EQ(BeforeCell("a;=cmd"), "a; =cmd");
  EXPECT_EQ(BeforeCell("a;＝cmd"), "a; ＝cmd");
  EXPECT_EQ(BeforeCell("a\n=cmd"), "\"a\n =cmd\"");
}

TEST(ChangeListCsv, KeepsNumbersAndTextThatStartsNoFormula) {
  for (std::string text : {"-1", "+1.5", "-1e5", "0", "a=b", "a - b", "x;y", " =x"}) {
    EXPECT_EQ(BeforeCell(text), text);
  }
  EXPECT_EQ(BeforeCell("-inf"), " -inf");
  EXPECT_EQ(BeforeCell("-1+2"), " -1+2");
  EXPECT_EQ(BeforeCell("--1"), " --1");
}

TEST(ChangeListCsv, NeutralizesFileNamesToo) {
  EXPECT_THAT(ChangeListCsv(RunWith(Edited("=HYPERLINK(1).py", 1))),
              testing::HasSubstr("\n =HYPERLINK(1).py,1,"));
}

TEST(ChangeListCsv, IsValidUtf8WhenAFileNameIsNot) {
  EXPECT_THAT(ChangeListCsv(RunWith(Edited("\xFF名.py", 1))),
              testing::HasSubstr("\n\xEF\xBF\xBD名.py,1,"));
}

TEST(ChangeListCsv, IsReadBackByPython) {
  ChangeRecord record = Edited("dir with, comma/\"quoted\" 文件.py", 12);
  record.before = "model.to(\n    \"cuda\",\r\n  )";
  record.after = "";
  const Rows rows = ReadWithPython(ChangeListCsv(RunWith(record)));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_THAT(rows[1],
              testing::ElementsAre("dir with, comma/\"quoted\" 文件.py", "12", "12", "MODIFY",
                                   "change module cuda to npu", "5", "torch.cuda", "safe",
                                   "model.to(\n    \"cuda\",\r\n  )", "", "torch.cuda", "", ""));
}

}  // namespace
}  // namespace transplt
