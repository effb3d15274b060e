// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "report_fixture.h"
#include "transplt/report/unsupported_xlsx.h"

namespace transplt {
namespace {

using nlohmann::json;

/// {"names": [...], "sheets": {name: {"rows": [[...]], "freeze": "A2", "filter": "A1:J4"}},
///  "types": the data types of all cells}, as openpyxl reads them.
constexpr char kReader[] = R"(
import json, openpyxl, sys
book = openpyxl.load_workbook(sys.argv[1])
sheets = {}
types = set()
for sheet in book:
    rows = [[cell.value for cell in row] for row in sheet.iter_rows()]
    types |= {cell.data_type for row in sheet.iter_rows() for cell in row if cell.value is not None}
    sheets[sheet.title] = {"rows": rows, "freeze": sheet.freeze_panes,
                           "filter": sheet.auto_filter.ref,
                           "width": sheet.column_dimensions["A"].width}
print(json.dumps({"names": book.sheetnames, "sheets": sheets, "types": sorted(types)}))
)";

json ReadBack(const RunResult& run, size_t rows_per_sheet = kSheetRows) {
  TempFolder folder;
  const std::string path = folder / "book.xlsx";
  const Result<Done> written = WriteUnsupportedXlsx(run, path, rows_per_sheet);
  if (!written) {
    ADD_FAILURE() << written.error().what.en;
    return {};
  }
  WriteBytes(folder / "read.py", kReader);
  return json::parse(OutputOf("/usr/bin/python3 " + (folder / "read.py") + " " + path));
}

json BeforeCellOfSheet(const std::string& before) {
  RunResult run;
  run.records = {Edited("a.py", 1)};
  run.records[0].before = before;
  return ReadBack(run)["sheets"]["Changes"]["rows"][1][8];
}

TEST(UnsupportedXlsx, HasAllSheetsWithHeadersWhenNothingWasFound) {
  const json book = ReadBack(RunResult());
  EXPECT_EQ(book["names"],
            json::parse(R"(["Summary", "Changes", "Unsupported", "Unknown", "Files"])"));
  EXPECT_EQ(book["sheets"]["Changes"]["rows"],
            json::parse(R"([["File", "Start Line", "End Line", "Operation Type", "Message",
                             "Column", "Rule ID", "Applicability", "Before", "After", "Cause", "Severity",
                             "Decision"]])"));
  EXPECT_EQ(book["sheets"]["Unknown"]["rows"],
            json::parse(R"([["File", "Start Line", "End Line", "Column", "OP", "Tips", "Rule ID",
                             "Source Line"]])"));
  EXPECT_EQ(book["sheets"]["Files"]["rows"],
            json::parse(R"([["File", "Status", "Edits", "Left Open", "Reason"]])"));
}

TEST(UnsupportedXlsx, FreezesAndFiltersTheHeaderOfEverySheet) {
  const json sheets = ReadBack(SampleRun())["sheets"];
  ASSERT_EQ(sheets.size(), 5U);
  for (const json& sheet : sheets) {
    EXPECT_EQ(sheet["freeze"], "A2");
    EXPECT_GE(sheet["width"], 16);
    const std::string last_row = std::to_string(sheet["rows"].size());
    EXPECT_THAT(sheet["filter"].get<std::string>(), testing::MatchesRegex("A1:[A-Z]" + last_row));
  }
}

TEST(UnsupportedXlsx, RepeatsTheChangeListWithNumbersAsNumbers) {
  const json rows = ReadBack(SampleRun())["sheets"]["Changes"]["rows"];
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[1], json::parse(R"(["a.py", 3, 3, "MODIFY", "change module cuda to npu", 5,
                                     "torch.cuda", "safe", "torch.cuda", "torch.npu",
                                     "torch.cuda", null, null])"));
  EXPECT_EQ(rows[4], json::parse(R"(["bin.py", null, null, "SKIPPED", "binary file", null,
                                     "file", "display-only", null, null, "file",
                                     "may-go-wrong", null])"));
}

TEST(UnsupportedXlsx, ListsUnsupportedAndUnknownApisApart) {
  const json sheets = ReadBack(SampleRun())["sheets"];
  EXPECT_EQ(sheets["Unsupported"]["rows"].size(), 2U);
  EXPECT_EQ(sheets["Unsupported"]["rows"][1],
            json::parse(R"(["a.py", 7, 7, 1, "torch.cuda.jiterator", "no counterpart on the NPU",
                            "torch.cuda.jiterator",
                            "    torch.cuda.jiterator._create_jit_fn(code)  "])"));
  EXPECT_EQ(sheets["Unknown"]["rows"].size(), 2U);
  EXPECT_EQ(sheets["Unknown"]["rows"][1][6], "unknown-api");
}

TEST(UnsupportedXlsx, ListsFilesWithTheirReasons) {
  const json rows = ReadBack(SampleRun())["sheets"]["Files"]["rows"];
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[1], json::parse(R"(["a.py", "migrated", 1, 2, null])"));
  EXPECT_EQ(rows[3], json::parse(R"(["broken.py", "failed", 0, 0, "the result does not parse"])"));
}

TEST(UnsupportedXlsx, SumsUpTheRun) {
  RunResult run = SampleRun();
  run.records.push_back(Edited("z.py", 1));
  const json rows = ReadBack(run)["sheets"]["Summary"]["rows"];
  for (const char* row :
       {R"(["Run", "Tool version", "0.1.0"])", R"(["Run", "Framework", "pytorch"])",
        R"(["Run", "Torch version", "2.8"])", R"(["Operation", "MODIFY", 2])",
        R"(["Operation", "DELETE", 0])", R"(["Files", "failed", 1])", R"(["Files", "ignored", 4])",
        R"(["Ignored folder", ".git/", null])", R"(["Top rules", "torch.cuda", 2])"}) {
    EXPECT_THAT(rows, testing::Contains(json::parse(row)));
  }
}

TEST(UnsupportedXlsx, ContinuesALongTableInAnotherSheet) {
  RunResult run;
  for (uint32_t line = 1; line <= 5; ++line) run.records.push_back(Edited("a.py", line));
  const json book = ReadBack(run, 2);
  EXPECT_THAT(book["names"],
              testing::IsSupersetOf({json("Changes"), json("Changes 2"), json("Changes 3")}));
  EXPECT_EQ(book["sheets"]["Changes"]["rows"].size(), 3U);
  EXPECT_EQ(book["sheets"]["Changes 3"]["rows"].size(), 2U);
  EXPECT_EQ(book["sheets"]["Changes 3"]["rows"][1][1], 5);
}

TEST(UnsupportedXlsx, DoesNotStartASheetForNoRows) {
  RunResult run;
  for (uint32_t line = 1; line <= 4; ++line) run.records.push_back(Edited("a.py", line));
  const json book = ReadBack(run, 4);
  EXPECT_THAT(book["names"], testing::Not(testing::Contains(json("Changes 2"))));
}

TEST(UnsupportedXlsx, CutsTextThatNoCellHolds) {
  EXPECT_EQ(BeforeCellOfSheet(std::string(32'767, 'x')), std::string(32'767, 'x'));
  EXPECT_EQ(BeforeCellOfSheet(std::string(32'768, 'x')), std::string(32'761, 'x') + " [...]");
}

TEST(UnsupportedXlsx, CountsCharactersBeyondTheBasicPlaneTwiceWhenItCuts) {
  std::string text;
  std::string cut;
  for (int i = 0; i < 20'000; ++i) text += "𝄞";
  for (int i = 0; i < 16'380; ++i) cut += "𝄞";
  EXPECT_EQ(BeforeCellOfSheet(text), cut + " [...]");
}

TEST(UnsupportedXlsx, HoldsNoFormula) {
  RunResult run;
  run.records = {Edited("=1+1.py", 1)};
  run.records[0].before = "{=SUM(1)}";
  run.records[0].after = "http://example.com/x";
  const json book = ReadBack(run);
  EXPECT_EQ(book["types"], json::parse(R"(["n", "s"])"));
  EXPECT_EQ(book["sheets"]["Changes"]["rows"][1][0], " =1+1.py");
  EXPECT_EQ(book["sheets"]["Changes"]["rows"][1][8], "{=SUM(1)}");
}

TEST(UnsupportedXlsx, KeepsTextThatXmlCannotCarryReadable) {
  EXPECT_EQ(BeforeCellOfSheet("a<b>&\"c\"\r\nd\re\x01\xFF"), "a<b>&\"c\"\nd\ne\uFFFD\uFFFD");
  EXPECT_EQ(BeforeCellOfSheet("  中文 "), "  中文 ");
}

TEST(UnsupportedXlsx, EscapesWhatWouldBeReadAsAnEscape) {
  // openpyxl shows what is in the file; Excel and LibreOffice show "_x0041_ _x004".
  EXPECT_EQ(BeforeCellOfSheet("_x0041_ _x004"), "_x005F_x0041_ _x004");
}

TEST(UnsupportedXlsx, GivesTheSameBytesForTheSameRun) {
  TempFolder folder;
  ASSERT_TRUE(WriteUnsupportedXlsx(SampleRun(), folder / "first.xlsx"));
  usleep(1'100'000);  // into another second
  RunResult later = SampleRun();
  later.seconds = 99;
  ASSERT_TRUE(WriteUnsupportedXlsx(later, folder / "second.xlsx"));
  EXPECT_TRUE(ReadBytes(folder / "first.xlsx") == ReadBytes(folder / "second.xlsx"));
}

TEST(UnsupportedXlsx, LeavesNoTemporaryFileBeside) {
  TempFolder folder;
  ASSERT_TRUE(WriteUnsupportedXlsx(SampleRun(), folder / "book.xlsx"));
  const std::filesystem::directory_iterator entries(folder.path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST(UnsupportedXlsx, SaysWhyItCannotWrite) {
  TempFolder folder;
  const Result<Done> written = WriteUnsupportedXlsx(SampleRun(), folder / "missing/book.xlsx");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Error::Code::kIo);
  EXPECT_EQ(written.error().where, folder / "missing/book.xlsx");
  EXPECT_THAT(written.error().what.en, testing::HasSubstr("No such file or directory"));
}

TEST(UnsupportedXlsx, NoticesThatItsTemporaryFileCannotGrow) {
  RunResult run;
  for (uint32_t line = 1; line <= 5'000; ++line) run.records.push_back(Edited("a.py", line));
  TempFolder folder;
  // The rows need more than this, the compressed workbook less.
  const rlim_t limit = 200'000;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{limit, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const Result<Done> written = WriteUnsupportedXlsx(run, folder / "book.xlsx");
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_FALSE(written);
  ASSERT_TRUE(WriteUnsupportedXlsx(run, folder / "book.xlsx"));
  EXPECT_LT(std::filesystem::file_size(folder / "book.xlsx"), limit);
}

TEST(UnsupportedXlsx, NoticesThatTheDiskIsFull) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "/dev/full is not there";
  EXPECT_FALSE(WriteUnsupportedXlsx(SampleRun(), "/dev/full"));
}

}  // namespace
}  // namespace transplt
