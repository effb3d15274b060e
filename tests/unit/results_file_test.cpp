// SPDX-License-Identifier: Apache-2.0
#include "transplt/batch/results_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include "tests/unit/temp_folder.h"

namespace transplt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Line(size_t number, const std::string& name, const std::string& inputs = "i") {
  const Error error{Error::Code::kIo, "w", {"why", ""}};
  return RecordLine({number, name, "path/" + name, inputs, "r"},
                    ErrorBody(ProjectOutcome::kFailed, error), RunCost{1.5, 1, 4096, ""});
}

ResultsFile OpenNew(const std::string& path) {
  return *ResultsFile::Open(
      path, [](const RecordHead& head) { return Result(std::optional(head.number)); }, true);
}

std::vector<std::string> Names(const std::string& path) {
  std::vector<std::string> names;
  const Result<Done> done =
      ReadResults(path, [&](const RecordHead& head, std::string_view, const RecordPlace&) {
        names.push_back(head.name);
        return std::optional<Error>();
      });
  if (!done) names.push_back(done.error().where + ": " + done.error().what.en);
  return names;
}

TEST(ResultsFile, StandsInTheOrderOfTheManifestAfterSorting) {
  const TempFolder folder;
  ResultsFile results = OpenNew(folder / "r");
  for (const size_t number : {3U, 1U, 2U}) {
    ASSERT_TRUE(results.Append(number, Line(number, "p" + std::to_string(number))));
  }
  EXPECT_THAT(Names(folder / "r"), ElementsAre("p3", "p1", "p2"));
  ASSERT_TRUE(results.Sort());
  EXPECT_THAT(Names(folder / "r"), ElementsAre("p1", "p2", "p3"));
  ASSERT_TRUE(results.Append(4, Line(4, "p4")));
  EXPECT_THAT(Names(folder / "r"), ElementsAre("p1", "p2", "p3", "p4"));
}

TEST(ResultsFile, LeavesOutALastLineThatWasCutOffAtAnyPlace) {
  const TempFolder folder;
  const std::string whole = Line(1, "a") + Line(2, "b");
  const size_t first = Line(1, "a").size();
  for (size_t size = first; size < whole.size(); ++size) {
    folder.Write("r", whole.substr(0, size));
    ASSERT_TRUE(OpenNew(folder / "r").Append(3, Line(3, "c")));
    ASSERT_THAT(Names(folder / "r"), ElementsAre("a", "c")) << size;
  }
}

TEST(ResultsFile, RefusesAFileThatHoldsSomethingElseAndLeavesItAlone) {
  const TempFolder folder;
  const std::string text = Line(1, "a") + "my notes\n";
  folder.Write("r", text);
  const auto opened = ResultsFile::Open(
      folder / "r", [](const RecordHead& head) { return Result(std::optional(head.number)); },
      true);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().where, folder / "r:2");
  EXPECT_EQ(folder.Read("r"), text);
  EXPECT_FALSE(folder.Exists("r.partial"));
}

TEST(ResultsFile, KeepsWhatItIsToldToUnderTheNumberOfToday) {
  const TempFolder folder;
  folder.Write("r", Line(1, "a") + Line(2, "b", "other") + Line(3, "c"));
  const auto keep = [](const RecordHead& head) -> Result<std::optional<size_t>> {
    if (head.inputs != "i") return std::optional<size_t>();
    return std::optional<size_t>(head.number + 10);
  };
  ASSERT_TRUE(ResultsFile::Open(folder / "r", keep, false));
  EXPECT_THAT(Names(folder / "r"), ElementsAre("a", "c"));
  EXPECT_THAT(folder.Read("r"), HasSubstr("\"number\":13"));
  EXPECT_THAT(folder.Read("r"), testing::Not(HasSubstr("\"run\"")));
}

TEST(ResultsFile, TakesAPartOfALineOffAgainIfTheDiskIsFull) {
  const TempFolder folder;
  const std::string answer = InChild([&] {
    signal(SIGXFSZ, SIG_IGN);
    ResultsFile results = OpenNew(folder / "r");
    if (!results.Append(1, Line(1, "a"))) return std::string("no first");
    const rlimit limit{Line(1, "a").size() + 20, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto second = results.Append(2, Line(2, "b"));
    return second ? std::string("no error") : second.error().what.en;
  });
  EXPECT_THAT(answer, HasSubstr("larger than the file size limit"));
  EXPECT_EQ(folder.Read("r"), Line(1, "a"));
}

TEST(ProjectRecord, DiffersOnlyInItsLastMemberFromRunToRun) {
  const RecordKey key{1, "n", "p", "i", "r"};
  const std::string body = ErrorBody(ProjectOutcome::kUnreadable, {Error::Code::kIo, "w", {}});
  const std::string without = RecordLine(key, body, std::nullopt);
  const std::string with = RecordLine(key, body, RunCost{2, 1, 5, "said"});
  EXPECT_EQ(AdaptedRecord(with, 1, false), without);
  EXPECT_THAT(with, HasSubstr(R"("run":{"wall_seconds":2.0,"cpu_seconds":1.0,)"));
  EXPECT_THAT(with, testing::StartsWith(without.substr(0, without.size() - 2)));
}

TEST(ProjectRecord, IsOneLineWhateverTheNamesHold) {
  const RecordKey key{1, "n\n\xff", "p\xc3", "i", "r"};
  const std::string line =
      RecordLine(key, AbnormalBody(ProjectOutcome::kCrashed, SIGSEGV, {"a\nb", ""}), std::nullopt);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_THAT(line, HasSubstr("\"signal\":\"SIGSEGV\""));
  const auto head = ReadRecordHead(line);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->outcome, ProjectOutcome::kCrashed);
}

}  // namespace
}  // namespace transplt
