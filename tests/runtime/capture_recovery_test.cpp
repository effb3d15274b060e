// SPDX-License-Identifier: Apache-2.0
// What a recovery makes of runs that were interrupted, of runs that still go on, and of segments
// that somebody has damaged or made.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <functional>

#include "runtime/src/frame.h"
#include "tests/runtime/capture_fixture.h"

namespace {

using testing::HasSubstr;
using transplt::capture::FrameBytes;
using transplt::capture::FrameHeader;
using transplt::capture::FrameType;
using transplt::capture_tests::Capture;
using transplt::capture_tests::Content;
using transplt::capture_tests::Put;
namespace fs = std::filesystem;

std::string Number(uint64_t value) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &value, 8);
  return bytes;
}

std::string Text(const std::string& text) { return Number(text.size()) + text; }

/// The frames of a segment, as a file holds them.
class SegmentText {
 public:
  SegmentText& Add(FrameType type, uint64_t record, const std::string& payload) {
    FrameHeader header;
    header.type = type;
    header.size = static_cast<uint32_t>(payload.size());
    header.sequence = sequence_++;
    header.record = record;
    header.crc = transplt_capture_crc32(0, &header, sizeof header);
    header.crc = transplt_capture_crc32(header.crc, payload.data(), payload.size());
    const size_t begin = bytes_.size();
    bytes_.append(reinterpret_cast<const char*>(&header), sizeof header).append(payload);
    bytes_.resize(begin + FrameBytes(payload.size()));
    return *this;
  }
  /// The first frame.
  SegmentText& Layout(transplt_format format, const std::string& net_name = "",
                      const std::string& time_folder = "", const std::string& hdf5_file = "") {
    return Add(FrameType::kSegment, 0,
               Text("") + Text(net_name) + Text(time_folder) + Text(hdf5_file) + Number(format) +
                   Number(0) + Number(0) + Number(0) + Number(0));
  }
  /// A record of one float.
  SegmentText& Record(const std::string& name, uint64_t elements_said = 1) {
    Add(FrameType::kBegin, 1,
        Text(name) + Text("Type") + Text("") + Text("") + Number(2) + Number(0) + Number(0) +
            Number(0) + Number(0) + Number(TRANSPLT_FLOAT32) + Number(4) + Number(1) +
            Number(elements_said));
    Add(FrameType::kData, 1, std::string(4, '\0'));
    return Add(FrameType::kEnd, 1, "\1");
  }
  SegmentText& TextFile(const std::string& path) {
    Add(FrameType::kTextBegin, 0, Text(path) + Text("") + Text("") + Text(""));
    return Add(FrameType::kText, 0, Text(path) + Text("evil"));
  }
  void WriteTo(const std::string& log_folder, const std::string& name) const {
    fs::create_directories(log_folder);
    std::ofstream(log_folder + "/" + name, std::ios::binary) << bytes_;
  }

 private:
  std::string bytes_;
  uint64_t sequence_ = 0;
};

class CaptureRecovery : public Capture {
 protected:
  CaptureRecovery() {
    // All tensors are in the log, and none has its file before the end of the step.
    options_.power_loss_safe = 1;
    options_.buffered_io = 1;
  }
  /// A process that captures `count` tensors r0, r1 ... and ends without closing.
  void Interrupt(int count = 10) {
    const pid_t child = ::fork();
    if (child == 0) {
      transplt_options options = options_;
      if (transplt_capture_open(&options, &capture_) != TRANSPLT_OK) ::_exit(1);
      for (int i = 0; i < count; ++i) {
        Put(capture_, ("r" + std::to_string(i)).c_str(), tensor_);
      }
      ::_exit(transplt_capture_flush(capture_) == TRANSPLT_OK ? 0 : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
  }
  transplt_status Recover() { return transplt_capture_recover(root_.c_str(), &files_); }
  std::string Log() const { return root_ + "/.transplt_capture"; }
  std::string Segment() const { return Log() + "/000000000.segment"; }
  /// Where the record's name is: with its length before it, which no checksum or time is by chance.
  static size_t PlaceOf(const std::string& name, const std::string& bytes) {
    const uint64_t length = name.size();
    const std::string number(reinterpret_cast<const char*>(&length), sizeof length);
    return bytes.find(number + name) + number.size();
  }
  /// Changes the segment's bytes.
  void Edit(const std::function<void(std::string&)>& change) const {
    std::string bytes = Content(Segment());
    change(bytes);
    std::ofstream(Segment(), std::ios::binary | std::ios::trunc) << bytes;
  }

  uint64_t files_ = 0;
};

TEST_F(CaptureRecovery, LeavesARunningCaptureAlone) {
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  ASSERT_EQ(Put(capture_, "a", tensor_), TRANSPLT_OK);
  ASSERT_EQ(transplt_capture_flush(capture_), TRANSPLT_OK);
  EXPECT_EQ(Recover(), TRANSPLT_CLASH);
  EXPECT_THAT(transplt_capture_last_error(), HasSubstr(Log()));
  EXPECT_THAT(transplt_capture_last_error(), HasSubstr(std::to_string(::getpid())));
  EXPECT_EQ(files_, 0U);
  ASSERT_EQ(Put(capture_, "b", tensor_), TRANSPLT_OK);
  EXPECT_EQ(transplt_capture_step(capture_, 0), TRANSPLT_OK) << transplt_capture_last_error();
  EXPECT_TRUE(fs::exists(root_ + "/a.npy"));
  EXPECT_TRUE(fs::exists(root_ + "/b.npy"));
  transplt_capture* second = nullptr;
  options_.allow_existing = 1;
  EXPECT_EQ(transplt_capture_open(&options_, &second), TRANSPLT_CLASH) << "the lock is still held";
}

TEST_F(CaptureRecovery, GoesOnWithTheFolderOfAnotherDeviceBesideARunningOne) {
  options_.allow_existing = 1;
  options_.device_id = 1;
  Interrupt(1);
  options_.device_id = 0;
  ASSERT_EQ(Open(options_), TRANSPLT_OK) << transplt_capture_last_error();
  EXPECT_EQ(Recover(), TRANSPLT_CLASH);
  EXPECT_EQ(files_, 1U);
  EXPECT_TRUE(fs::exists(root_ + "/r0.npy"));
}

TEST_F(CaptureRecovery, RefusesWhatIsNoFolder) {
  EXPECT_EQ(Recover(), TRANSPLT_IO);
  EXPECT_THAT(transplt_capture_last_error(), HasSubstr(root_));
  std::ofstream(root_.c_str()) << "text";
  EXPECT_EQ(Recover(), TRANSPLT_IO);
  fs::remove(root_);
  fs::create_directories(root_);
  EXPECT_EQ(Recover(), TRANSPLT_OK) << "nothing to do";
}

TEST_F(CaptureRecovery, TakesATornEndForTheEndOfTheRun) {
  Interrupt(3);
  Edit([](std::string& bytes) { bytes.resize(PlaceOf("r2", bytes) + 1000); });
  EXPECT_EQ(Recover(), TRANSPLT_OK) << transplt_capture_last_error();
  EXPECT_EQ(files_, 2U);
  EXPECT_FALSE(fs::exists(Log()));
}

TEST_F(CaptureRecovery, TakesZerosAtTheEndForTheEndOfTheRun) {
  Interrupt(3);
  Edit([](std::string& bytes) {
    const size_t begin = (PlaceOf("r2", bytes) / 64 - 1) * 64;
    std::fill(bytes.begin() + static_cast<ptrdiff_t>(begin), bytes.end(), '\0');
  });
  EXPECT_EQ(Recover(), TRANSPLT_OK) << transplt_capture_last_error();
  EXPECT_EQ(files_, 2U);
}

TEST_F(CaptureRecovery, GoesOnBehindDamageAndKeepsTheSegment) {
  Interrupt(10);
  size_t damage = 0;
  Edit([&](std::string& bytes) { bytes[damage = PlaceOf("r3", bytes)] ^= 1; });
  EXPECT_EQ(Recover(), TRANSPLT_IO);
  EXPECT_THAT(transplt_capture_last_error(), HasSubstr(Segment()));
  EXPECT_THAT(transplt_capture_last_error(),
              HasSubstr("byte " + std::to_string(damage / 64 * 64 - 64)));
  EXPECT_EQ(files_, 9U);
  EXPECT_FALSE(fs::exists(root_ + "/r3.npy"));
  EXPECT_TRUE(fs::exists(root_ + "/r9.npy"));
  EXPECT_FALSE(fs::exists(Segment()));
  EXPECT_TRUE(fs::exists(Segment() + ".damaged"));
  EXPECT_EQ(Recover(), TRANSPLT_OK) << "once is enough";
}

TEST_F(CaptureRecovery, KeepsASegmentWhoseBeginItCannotRead) {
  Interrupt(2);
  Edit([](std::string& bytes) { bytes[0] ^= 1; });
  EXPECT_EQ(Recover(), TRANSPLT_IO);
  EXPECT_EQ(files_, 0U) << "where the files go is not known";
  EXPECT_TRUE(fs::exists(Segment() + ".damaged"));
}

TEST_F(CaptureRecovery, DoesNotStopAtTheFirstSegmentThatCannotBeRead) {
  Interrupt(2);
  fs::create_directories(Log() + "/00.segment");
  EXPECT_EQ(Recover(), TRANSPLT_IO);
  EXPECT_EQ(files_, 2U);
  EXPECT_FALSE(fs::exists(Segment()));
}

TEST_F(CaptureRecovery, RemovesTheUnfinishedFilesOfTheRun) {
  Interrupt(1);
  const std::string process = Content(Log() + "/lock");
  fs::create_directories(root_ + "/deep/er");
  std::ofstream(root_ + "/deep/er/.tmp-" + process + "-0") << "half";
  std::ofstream(root_ + "/.tmp-" + process + "-12") << "half";
  std::ofstream(root_ + "/.tmp-1-0") << "of another process";
  EXPECT_EQ(Open(options_), TRANSPLT_CLASH) << "a run that is refused leaves all as it was";
  EXPECT_EQ(Recover(), TRANSPLT_OK);
  EXPECT_FALSE(fs::exists(root_ + "/deep/er/.tmp-" + process + "-0"));
  EXPECT_FALSE(fs::exists(root_ + "/.tmp-" + process + "-12"));
  EXPECT_TRUE(fs::exists(root_ + "/.tmp-1-0"));
}

/// Where a crafted segment wants to write, one format and field at a time.
TEST_F(CaptureRecovery, WritesNothingOutOfTheRootWhateverTheSegmentSays) {
  const std::string out = "../escaped";
  const std::vector<SegmentText> segments{
      SegmentText().Layout(TRANSPLT_FORMAT_NPY).TextFile(out),
      SegmentText().Layout(TRANSPLT_FORMAT_NPY).TextFile("/" + folder_.path("escaped")),
      SegmentText().Layout(TRANSPLT_FORMAT_NPY).Record("a/../" + out),
      SegmentText().Layout(TRANSPLT_FORMAT_MINDSPORE_SYNC, out).Record("a"),
      SegmentText().Layout(TRANSPLT_FORMAT_MINDSPORE_ASYNC, "../" + out).Record("a"),
      SegmentText().Layout(TRANSPLT_FORMAT_GE, "", out).Record("a"),
      SegmentText().Layout(TRANSPLT_FORMAT_HDF5, "", "", out).Record("a")};
  for (size_t i = 0; i < segments.size(); ++i) {
    segments[i].WriteTo(Log(), "1.segment");
    EXPECT_NE(Recover(), TRANSPLT_OK) << i;
    EXPECT_EQ(files_, 0U) << i;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_.path(""))) {
      EXPECT_EQ(entry.path().filename(), "run") << i;
    }
  }
}

TEST_F(CaptureRecovery, TakesNoRecordWhoseShapeIsNotThatOfItsBytes) {
  SegmentText()
      .Layout(TRANSPLT_FORMAT_NPY)
      .Record("a")
      .Record("b", 1000)
      .WriteTo(Log(), "1.segment");
  EXPECT_EQ(Recover(), TRANSPLT_OK) << transplt_capture_last_error();
  EXPECT_EQ(files_, 1U);
}

}  // namespace
