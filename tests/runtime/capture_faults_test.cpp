// SPDX-License-Identifier: Apache-2.0
// A short capture, in which each call that changes the disk fails once.
#include <cerrno>
#include <cstring>
#include <iterator>

#include "tests/runtime/capture_fixture.h"
#include "tests/runtime/disk_faults.h"

namespace {

using testing::AnyOf;
using testing::Eq;
using transplt::capture_tests::Content;
using transplt::capture_tests::Counters;
using transplt::capture_tests::Options;
using transplt::capture_tests::Put;
using transplt::capture_tests::TempFolder;
using transplt::capture_tests::Tensor;
namespace fs = std::filesystem;

constexpr const char* kKinds[] = {"open",   "write", "read",   "fsync", "ftruncate", "mkdir",
                                  "rename", "link",  "unlink", "chmod", "close",     "any"};
constexpr int kErrors[] = {ENOSPC, EIO};
constexpr int kTensors = 4;

struct Case {
  const char* name;
  transplt_format format;
  bool power_loss_safe;
  uint64_t disk;  ///< bytes of the disk; 0: no limit
};

void PrintTo(const Case& value, std::ostream* out) { *out << value.name; }

/// What a run has told of itself.
struct Outcome {
  bool is_open = false;
  bool all_ok = true;
  transplt_counters counters{};
};

class CaptureWithFaults : public testing::TestWithParam<Case> {
 public:
  ~CaptureWithFaults() override {
    disk_faults_arm("any", 0, 0, 0);
    disk_faults_disk(0);
  }

 protected:
  /// Two steps, the tensors n and n + 10, and a text of the first.
  Outcome Run(const std::string& root) {
    transplt_options options = Options(root);
    options.format = GetParam().format;
    options.power_loss_safe = GetParam().power_loss_safe ? 1 : 0;
    options.net_name = "net";
    options.time_folder = "20260102030405";
    options.ring_bytes = 1;
    Outcome outcome;
    transplt_capture* capture = nullptr;
    outcome.is_open = transplt_capture_open(&options, &capture) == TRANSPLT_OK;
    if (!outcome.is_open) return outcome;
    for (int step = 0; step < 2; ++step) {
      const std::string text = "t" + std::to_string(step) + ".json";
      Note(transplt_capture_text_begin(capture, text.c_str(), "[", ",", "]"), &outcome);
      for (int i = 0; i < kTensors; ++i) {
        Note(PutNumber(capture, 10 * step + i), &outcome);
        Note(transplt_capture_text(capture, text.c_str(), "1", 1), &outcome);
      }
      Note(transplt_capture_step(capture, static_cast<uint64_t>(step)), &outcome);
    }
    outcome.counters = Counters(capture);
    Note(transplt_capture_close(capture), &outcome);
    return outcome;
  }

  static void Note(transplt_status status, Outcome* outcome) {
    outcome->all_ok = outcome->all_ok && status == TRANSPLT_OK;
    EXPECT_THAT(status, AnyOf(Eq(TRANSPLT_OK), Eq(TRANSPLT_IO), Eq(TRANSPLT_FULL)));
  }

  static transplt_status PutNumber(transplt_capture* capture, int number) {
    const std::vector<float> data(kElements, static_cast<float>(number));
    const std::vector<int64_t> shape{kElements};
    const transplt_tensor tensor = Tensor(data.data(), TRANSPLT_FLOAT32, shape);
    transplt_record record{};
    record.struct_size = sizeof record;
    const std::string name = "op" + std::to_string(number);
    record.name = name.c_str();
    record.op_type = "Add";
    record.direction = TRANSPLT_OUTPUT;
    record.order = static_cast<uint64_t>(number);
    record.want = TRANSPLT_WANT_PAYLOAD | TRANSPLT_WANT_STATISTICS;
    record.tensor = &tensor;
    transplt_statistics statistics{};
    statistics.struct_size = sizeof statistics;
    const transplt_status status = transplt_capture_put(capture, &record, &statistics);
    EXPECT_EQ(statistics.maximum, number) << "the statistics need no disk";
    return status;
  }

  /// Files with the elements of a tensor, each of which must be whole.
  static size_t WholeTensors(const std::string& root) {
    size_t count = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
      const std::string name = entry.path().filename();
      if (!entry.is_regular_file() || name.find("op") == std::string::npos) continue;
      const std::string content = Content(entry.path());
      EXPECT_GE(content.size(), kElements * sizeof(float)) << entry.path();
      float last = 0;
      std::memcpy(&last, content.data() + content.size() - sizeof last, sizeof last);
      EXPECT_NE(name.find("op" + std::to_string(static_cast<int>(last))), std::string::npos);
      ++count;
    }
    return count;
  }

  static void ExpectWholeTexts(const std::string& root) {
    for (const char* name : {"/t0.json", "/t1.json"}) {
      if (!fs::exists(root + name)) continue;
      const std::string content = Content(root + name);
      EXPECT_EQ(content.front(), '[');
      EXPECT_EQ(content.back(), ']');
    }
  }

  /// The capture has told all of its losses, and what it kept can be read.
  void Check(const std::string& root, const Outcome& outcome, bool may_be_more) {
    disk_faults_arm("any", 0, 0, 0);
    disk_faults_disk(0);
    if (!outcome.is_open) {
      EXPECT_EQ(WholeTensors(fs::exists(root) ? root : folder_.path("")), 0U);
      return;
    }
    const transplt_counters& counters = outcome.counters;
    EXPECT_EQ(counters.records, 2U * kTensors);
    EXPECT_EQ(counters.payloads + counters.full + counters.dropped, counters.records);
    const bool lost = counters.full + counters.lost_in_files + counters.texts_lost > 0;
    EXPECT_FALSE(lost && outcome.all_ok) << "a loss that no call has told";
    EXPECT_EQ(lost, counters.lost_bytes > 0 || counters.texts_lost > 0);
    EXPECT_FALSE(lost && counters.error == 0);
    if (!fs::exists(root)) return;
    ExpectWholeTexts(root);
    EXPECT_GE(WholeTensors(root), counters.payloads - counters.lost_in_files);
    const transplt_status recovered = transplt_capture_recover(root.c_str(), nullptr);
    EXPECT_EQ(recovered, TRANSPLT_OK) << transplt_capture_last_error();
    ExpectWholeTexts(root);
    EXPECT_GE(WholeTensors(root), counters.payloads);
    // A log that could neither be written nor read may hold more than it is trusted with.
    if (!may_be_more) {
      EXPECT_EQ(WholeTensors(root), counters.payloads);
    }
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
      EXPECT_FALSE(entry.path().extension() == ".segment") << entry.path();
    }
  }

  uint64_t Sweep(const char* kind, int error, bool lasts) {
    uint64_t number = 0;
    for (bool is_met = true; is_met && !HasFailure();) {
      ++number;
      const std::string root = folder_.path("run" + std::to_string(runs_++));
      disk_faults_under(root.c_str());
      disk_faults_disk(GetParam().disk);
      disk_faults_arm(kind, number, error, lasts ? 1 : 0);
      const std::string trace = std::string(kind) + " " + std::to_string(number) + " fails with " +
                                std::strerror(error) + (lasts ? ", and all after it" : "");
      SCOPED_TRACE(trace);
      const Outcome outcome = Run(root);
      is_met = disk_faults_seen(kind) >= number;
      Check(root, outcome, kind == std::string_view("any"));
      if (fs::exists(root)) fs::remove_all(root);
    }
    return number - 1;
  }

  static constexpr int64_t kElements = 2000;
  TempFolder folder_;
  int runs_ = 0;
};

TEST_P(CaptureWithFaults, TellsWhatEachCallThatFailsHasCostAndKeepsTheRest) {
  fs::create_directories(folder_.path(""));
  uint64_t calls = 0;
  for (const char* kind : kKinds) {
    for (const int error : kErrors) {
      for (const bool lasts : {false, true}) calls += Sweep(kind, error, lasts);
    }
  }
  EXPECT_GT(calls, 200U) << "the library has met the calls";
}

TEST_P(CaptureWithFaults, FillsASmallDiskAndGoesOn) {
  fs::create_directories(folder_.path(""));
  for (uint64_t blocks = 1; blocks <= 40; ++blocks) {
    const std::string root = folder_.path("disk" + std::to_string(blocks));
    disk_faults_under(root.c_str());
    disk_faults_arm("any", 0, 0, 0);
    disk_faults_disk(blocks * 4096);
    SCOPED_TRACE(std::to_string(blocks) + " blocks");
    Check(root, Run(root), false);
  }
}

TEST(CaptureOnASmallDisk, KeepsAMegabyteWhereALittleMoreIsFree) {
  constexpr uint64_t kDisk = 1'200'000;
  const TempFolder folder;
  const std::string root = folder.path();
  disk_faults_under(root.c_str());
  disk_faults_disk(kDisk);
  transplt_options options = Options(root);
  options.min_free_bytes = 0;
  transplt_capture* capture = nullptr;
  ASSERT_EQ(transplt_capture_open(&options, &capture), TRANSPLT_OK);
  const std::vector<float> data(10'000, 1);
  for (int i = 0; i < 60; ++i) {
    const transplt_status status = Put(capture, ("t" + std::to_string(i)).c_str(),
                                       Tensor(data.data(), TRANSPLT_FLOAT32, {10'000}));
    EXPECT_THAT(status, AnyOf(Eq(TRANSPLT_OK), Eq(TRANSPLT_FULL)));
  }
  EXPECT_EQ(transplt_capture_step(capture, 0), TRANSPLT_OK) << transplt_capture_last_error();
  const transplt_counters counters = Counters(capture);
  EXPECT_EQ(transplt_capture_close(capture), TRANSPLT_OK) << transplt_capture_last_error();
  disk_faults_disk(0);
  EXPECT_GE(counters.payload_bytes, 1'000'000U);
  EXPECT_EQ(counters.payload_bytes + counters.lost_bytes, 60U * 40'000);
  EXPECT_EQ(counters.files, counters.payloads);
  EXPECT_EQ(counters.error, static_cast<uint64_t>(ENOSPC));
}

INSTANTIATE_TEST_SUITE_P(
    Formats, CaptureWithFaults,
    testing::Values(Case{"Npy", TRANSPLT_FORMAT_NPY, false, 0},
                    Case{"NpySafeFromPowerLoss", TRANSPLT_FORMAT_NPY, true, 0},
                    Case{"NpyOnASmallDisk", TRANSPLT_FORMAT_NPY, false, 72 * 1024},
                    Case{"MindSpore", TRANSPLT_FORMAT_MINDSPORE_SYNC, false, 0},
                    Case{"Ge", TRANSPLT_FORMAT_GE, false, 0}),
    [](const testing::TestParamInfo<Case>& of) { return std::string(of.param.name); });

}  // namespace
