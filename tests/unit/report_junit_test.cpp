// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "report_fixture.h"
#include "transplt/report/junit.h"

namespace transplt {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string Xml(const RunResult& run, std::string_view root = "") {
  std::string text;
  WriteJunit(run, root, [&](std::string_view piece) { text.append(piece); });
  return text;
}

RunResult RunOf(Severity severity, const std::string& message = "no counterpart on the NPU") {
  RunResult run;
  run.records = {LeftOpen("a.py", 7, Operation::kUnsupported),
                 LeftOpen("b.py", 9, Operation::kUnsupported)};
  for (ChangeRecord& record : run.records) {
    record.severity = severity;
    record.message.en = message;
  }
  return run;
}

TEST(Junit, FailsACauseThatStopsTheRunAndNamesItsPlaces) {
  EXPECT_EQ(
      Xml(RunOf(Severity::kStopsRun), "src/"),
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"transplt\" tests=\"1\" failures=\"1\" errors=\"0\">\n"
      "  <testsuite name=\"transplt\" tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\">\n"
      "    <testcase classname=\"transplt.stops-run\" name=\"torch.cuda.jiterator\">\n"
      "      <failure type=\"stops-run\" message=\"no counterpart on the NPU\">"
      "src/a.py:7: no counterpart on the NPU\nsrc/b.py:9: no counterpart on the NPU\n"
      "</failure>\n    </testcase>\n  </testsuite>\n</testsuites>\n");
}

TEST(Junit, PassesACauseThatStopsNothing) {
  for (const Severity severity :
       {Severity::kMayGoWrong, Severity::kSlower, Severity::kNoEffect, Severity::kNote}) {
    const std::string xml = Xml(RunOf(severity));
    EXPECT_THAT(xml, HasSubstr("failures=\"0\""));
    EXPECT_THAT(xml, Not(HasSubstr("<failure")));
    EXPECT_THAT(xml, HasSubstr("<system-out>a.py:7: no counterpart"));
  }
  EXPECT_THAT(Xml(RunOf(Severity::kStopsImport)), HasSubstr("<failure type=\"stops-import\""));
}

TEST(Junit, CallsAFileThatWasNotLookedAtAnError) {
  const std::string xml = Xml(SampleRun(), "src/");
  EXPECT_THAT(xml, HasSubstr("errors=\"2\""));
  EXPECT_THAT(xml, Not(HasSubstr("name=\"file\"")));
  EXPECT_THAT(xml, HasSubstr("name=\"src/bin.py\">\n      <error type=\"skipped\" "
                             "message=\"binary file\"/>"));
  EXPECT_THAT(xml, HasSubstr("<error type=\"failed\""));
}

TEST(Junit, EscapesWhatXmlReadsOrCannotHold) {
  const std::string xml = Xml(RunOf(Severity::kStopsRun, "a<b> & \"c\" ]]>\n\x01\xFF\uFFFE𝄞"));
  EXPECT_THAT(xml, HasSubstr("message=\"a&#60;b&#62; &#38; &#34;c&#34; ]]&#62;&#10;"
                             "\uFFFD\uFFFD\uFFFD𝄞\""));
}

TEST(Junit, HasATestCaseWhereNothingIsLeft) {
  EXPECT_THAT(Xml(RunResult()), HasSubstr("tests=\"1\" failures=\"0\" errors=\"0\""));
  EXPECT_THAT(Xml(RunResult()), HasSubstr("name=\"nothing is left for a person\"/>"));
}

}  // namespace
}  // namespace transplt
