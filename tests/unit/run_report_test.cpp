// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/run_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace transplt {
namespace {

using testing::SizeIs;

constexpr std::string_view kStart = R"({"event":"start","argv":["a"],"pid":1,"parent":0})"
                                    "\n";
constexpr std::string_view kExit = R"({"event":"exit","code":0,"seconds":1.5})"
                                   "\n";

RunReport Read(std::initializer_list<std::string> processes) {
  RunReport report;
  for (const std::string& lines : processes) AddReport(lines, report);
  return report;
}

TEST(RunReport, CountsProcessesAndThoseThatDidNotEnd) {
  const std::string whole = std::string(kStart) + std::string(kExit);
  const RunReport report = Read({whole, std::string(kStart), ""});
  EXPECT_EQ(report.processes, 2U);
  EXPECT_EQ(report.unfinished, 1U);
}

TEST(RunReport, KnowsAfterWhichStepEachTrainingWasEnded) {
  const std::string trains = R"({"event":"trains"})"
                             "\n";
  const std::string fourth = R"({"event":"steps","count":4,"late":true})"
                             "\n";
  const std::string third = R"({"event":"steps","count":3,"late":true})"
                            "\n";
  const RunReport alike = Read({trains + fourth, trains + fourth, std::string(kStart)});
  EXPECT_EQ(alike.steps, 4U);
  EXPECT_TRUE(alike.is_late);
  EXPECT_TRUE(alike.HasOneLastStep());
  const RunReport apart = Read({trains + fourth, trains + third});
  EXPECT_EQ(apart.steps, 3U);
  EXPECT_FALSE(apart.HasOneLastStep());
  EXPECT_FALSE(Read({trains + fourth, trains}).HasOneLastStep());
}

TEST(RunReport, SaysHowAnOldSpellingIsWrittenToday) {
  const std::string old =
      R"({"event":"old_spelling","what":"numpy.float","now":"float","file":"a.py","line":2})"
      "\n";
  const RunReport report = Read({old, old});
  ASSERT_THAT(report.old_spellings, SizeIs(1));
  EXPECT_EQ(report.old_spellings[0].now, "float");
  EXPECT_EQ(report.old_spellings[0].count, 2U);
}

TEST(RunReport, ForgivesALastLineThatWasCutOff) {
  EXPECT_EQ(Read({std::string(kStart) + R"({"event":"resid)"}).unreadable, 0U);
  EXPECT_EQ(Read({"nonsense\n" + std::string(kStart)}).unreadable, 1U);
}

TEST(RunReport, AddsEqualPlacesOfProcessesInTheOrderOfFiles) {
  const std::string a = R"({"event":"residual","what":"x","file":"b.py","line":2,"count":1})"
                        "\n";
  const std::string b =
      R"({"event":"residual","what":"y","file":"a.py","line":9,"count":3,"harmless":true})"
      "\n";
  const RunReport report = Read({a + b, b + a});
  ASSERT_THAT(report.residual, SizeIs(2));
  EXPECT_EQ(report.residual[0].file, "a.py");
  EXPECT_EQ(report.residual[0].count, 6U);
  EXPECT_TRUE(report.residual[0].harmless);
  EXPECT_EQ(report.residual[1].line, 2U);
  EXPECT_EQ(report.residual[1].count, 2U);
}

TEST(RunReport, ReadsEveryKindOfEvent) {
  const RunReport report = Read(
      {R"({"event":"torch","version":"9","supported":false})"
       "\n"
       R"({"event":"device","device":"npu"})"
       "\n"
       R"({"event":"violation","what":"v","file":null,"line":null})"
       "\n"
       R"({"event":"unsimulated","what":"u","file":"a.py","line":1})"
       "\n"
       R"({"event":"fake_weights","what":"https://localhost/a.pth","file":"a.py","line":2})"
       "\n"
       R"({"event":"fake_download","what":"https://localhost/a.gz","file":"a.py","line":2})"
       "\n"
       R"({"event":"short_of_data","file":"a.py","line":5})"
       "\n"
       R"({"event":"wants_devices","count":4})"
       "\n"
       R"({"event":"wants_devices","count":2})"
       "\n"
       R"({"event":"slow_step","short_of_data":true})"
       "\n"
       R"({"event":"batches","count":128})"
       "\n"
       R"({"event":"batches","count":8})"
       "\n"
       R"({"event":"op","op":"torch.mm","dtype":["float64",7],"file":"a.py","line":3,"count":4,)"
       R"("support":"limited","note":"n"})"
       "\n"
       R"({"event":"exception","type":"E","message":"m","file":"a.py","line":5,"process":"child"})"
       "\n"});
  EXPECT_EQ(report.torch, "9");
  EXPECT_FALSE(report.torch_supported);
  EXPECT_TRUE(report.used_device);
  ASSERT_THAT(report.violations, SizeIs(1));
  EXPECT_EQ(report.violations[0].file, "");
  ASSERT_THAT(report.unsimulated, SizeIs(1));
  ASSERT_THAT(report.fake_weights, SizeIs(1));
  EXPECT_EQ(report.fake_weights[0].what, "https://localhost/a.pth");
  ASSERT_THAT(report.fake_downloads, SizeIs(1));
  EXPECT_EQ(report.fake_downloads[0].what, "https://localhost/a.gz");
  EXPECT_TRUE(report.short_of_data);
  EXPECT_EQ(report.wanted_devices, 4U);
  EXPECT_EQ(report.largest_batch, 128U);
  EXPECT_TRUE(report.is_slow);
  EXPECT_TRUE(report.has_few_data);
  ASSERT_THAT(report.operators, SizeIs(1));
  EXPECT_THAT(report.operators[0].types, testing::ElementsAre("float64"));
  EXPECT_EQ(report.operators[0].count, 4U);
  ASSERT_THAT(report.exceptions, SizeIs(1));
  EXPECT_EQ(report.exceptions[0].process, "child");
}

TEST(RunReport, KeepsTrainingOnTheCpuApartFromViolations) {
  const RunReport report = Read({R"({"event":"violation","kind":"cpu_only","what":"v","line":1})"
                                 "\n"
                                 R"({"event":"note","kind":"cpu_only","what":"n","line":2})"
                                 "\n"
                                 R"({"event":"stand_in","what":"apex","file":"a.py","line":3})"
                                 "\n"});
  EXPECT_THAT(report.violations, SizeIs(0));
  EXPECT_THAT(report.cpu_only, SizeIs(2));
  ASSERT_THAT(report.stand_ins, SizeIs(1));
  EXPECT_EQ(report.stand_ins[0].what, "apex");
}

TEST(RunReport, AddsTheWorkOfProcessesAndKeepsTheirDevicesAndExitCodes) {
  const std::string first = R"({"event":"device","device":"npu","index":1})"
                            "\n"
                            R"({"event":"work","index":1,"operators":5,"backwards":2})"
                            "\n"
                            R"({"event":"work","operators":0,"backwards":3,"file":"a.py","line":7})"
                            "\n"
                            R"({"event":"exit","code":-1,"seconds":1})"
                            "\n";
  const std::string second = R"({"event":"device","device":"npu","index":0})"
                             "\n"
                             R"({"event":"work","index":0,"operators":4,"backwards":1})"
                             "\n";
  const RunReport report = Read({first, second});
  EXPECT_THAT(report.device_indices,
              testing::ElementsAre(std::set<uint64_t>{0}, std::set<uint64_t>{1}));
  EXPECT_EQ(report.device_work.operators, 9U);
  EXPECT_EQ(report.device_work.backwards, 3U);
  EXPECT_EQ(report.cpu_work.backwards, 3U);
  EXPECT_EQ(report.cpu_work.file, "a.py");
  EXPECT_EQ(report.cpu_work.line, 7U);
  EXPECT_THAT(report.failed_exits, testing::ElementsAre(-1));
}

TEST(RunReport, IsRefusedWhereTheFolderIsGone) {
  EXPECT_FALSE(ReadRunReport("/nonexistent/folder"));
}

}  // namespace
}  // namespace transplt
