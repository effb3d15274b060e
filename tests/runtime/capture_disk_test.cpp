// SPDX-License-Identifier: Apache-2.0
// The capture library on a system that fails: a disk that hangs, is full or goes away, a kernel
// that lacks something. The library calls the functions of this program instead of the C library's.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <thread>

#include "tests/runtime/capture_fixture.h"

namespace {

/// What the system refuses now.
struct System {
  std::atomic<bool> disk_hangs{false};
  std::atomic<uint64_t> free_bytes{0};  ///< 0: as it is
  std::atomic<int> syncfs_error{0};
  std::atomic<int> write_error{0};
  std::atomic<bool> lacks_wipe_on_fork{false};
};

System& TheSystem() {
  static System system;
  return system;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) ssize_t pwrite(  // NOLINT: a name of C
    int file, const void* bytes, size_t size, off_t offset) {
  while (TheSystem().disk_hangs) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return ::syscall(SYS_pwrite64, file, bytes, size, offset);
}

__attribute__((visibility("default"))) ssize_t write(  // NOLINT: a name of C
    int file, const void* bytes, size_t size) {
  while (TheSystem().disk_hangs) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (TheSystem().write_error != 0) {
    errno = TheSystem().write_error;
    return -1;
  }
  return ::syscall(SYS_write, file, bytes, size);
}

__attribute__((visibility("default"))) int statvfs(  // NOLINT: a name of C
    const char* path, struct statvfs* result) noexcept {
  (void)path;
  const uint64_t free_bytes = TheSystem().free_bytes;
  *result = {};
  result->f_frsize = 1;
  result->f_bavail = free_bytes == 0 ? uint64_t{1} << 40 : free_bytes;
  return 0;
}

__attribute__((visibility("default"))) int syncfs(int file) noexcept {  // NOLINT: a name of C
  (void)file;
  errno = TheSystem().syncfs_error;
  return errno == 0 ? 0 : -1;
}

__attribute__((visibility("default"))) int madvise(  // NOLINT: a name of C
    void* memory, size_t size, int advice) noexcept {
  if (advice == MADV_WIPEONFORK && TheSystem().lacks_wipe_on_fork) {
    errno = EINVAL;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_madvise, memory, size, advice));
}
}

namespace {

using testing::HasSubstr;
using transplt::capture_tests::Capture;
using transplt::capture_tests::Counters;
using transplt::capture_tests::Put;
using transplt::capture_tests::Tensor;
namespace fs = std::filesystem;

class CaptureOnABadSystem : public Capture {
 public:
  ~CaptureOnABadSystem() override {
    TheSystem().disk_hangs = false;
    TheSystem().free_bytes = 0;
    TheSystem().syncfs_error = 0;
    TheSystem().write_error = 0;
    TheSystem().lacks_wipe_on_fork = false;
  }

 protected:
  static constexpr size_t kMiB = size_t{1} << 20;
  const std::vector<float> big_ = std::vector<float>(4 * kMiB, 1);
  const std::vector<int64_t> big_shape_{4 * kMiB};
  const transplt_tensor big_tensor_ = Tensor(big_.data(), TRANSPLT_FLOAT32, big_shape_);
};

TEST_F(CaptureOnABadSystem, CountsWhatTheRingHoldsAsStillToBeWritten) {
  const std::vector<float> data(kMiB / 4, 1);
  for (const uint32_t writes : {1U, 2U}) {
    TheSystem().free_bytes = 16 * kMiB;
    root_ = folder_.path("writes" + std::to_string(writes));
    options_ = transplt::capture_tests::Options(root_);
    options_.block_milliseconds = 50;
    // Into the log and from there into its file.
    options_.power_loss_safe = writes == 2 ? 1 : 0;
    ASSERT_EQ(Open(options_), TRANSPLT_OK);
    TheSystem().disk_hangs = true;
    for (int i = 0; i < 32; ++i) {
      Put(capture_, std::to_string(i).c_str(), Tensor(data.data(), TRANSPLT_FLOAT32, {kMiB / 4}));
    }
    TheSystem().disk_hangs = false;
    const transplt_counters counters = Counters(capture_);
    EXPECT_EQ(counters.payloads + counters.full, 32U);
    EXPECT_GT(counters.payloads, 8U / writes);
    EXPECT_LE(writes * counters.payload_bytes, 16 * kMiB);
    Close();
  }
}

TEST_F(CaptureOnABadSystem, KeepsATensorInTheLogWhoseFileCannotBeMade) {
  fs::create_directories(root_);
  std::ofstream(root_ + "/folder") << "no folder";
  options_.allow_existing = 1;
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  ASSERT_EQ(Put(capture_, "folder/big", big_tensor_), TRANSPLT_OK);
  EXPECT_EQ(transplt_capture_step(capture_, 0), TRANSPLT_IO);
  EXPECT_EQ(Counters(capture_).lost_in_files, 1U);
  EXPECT_EQ(Close(), TRANSPLT_OK);
  fs::remove(root_ + "/folder");
  uint64_t files = 0;
  EXPECT_EQ(transplt_capture_recover(root_.c_str(), &files), TRANSPLT_OK);
  EXPECT_EQ(files, 1U);
  EXPECT_EQ(fs::file_size(root_ + "/folder/big.npy"), 16 * kMiB + 128);
}

TEST_F(CaptureOnABadSystem, TellsOfATensorThatTheDiskHasRefusedOnItsWayToItsFile) {
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  TheSystem().write_error = ENOSPC;
  ASSERT_EQ(Put(capture_, "a", big_tensor_), TRANSPLT_OK);
  EXPECT_EQ(transplt_capture_flush(capture_), TRANSPLT_FULL);
  TheSystem().write_error = 0;
  ASSERT_EQ(Put(capture_, "b", big_tensor_), TRANSPLT_OK);
  EXPECT_EQ(transplt_capture_step(capture_, 0), TRANSPLT_FULL);
  EXPECT_THAT(transplt_capture_last_error(), HasSubstr("a.npy"));
  const transplt_counters counters = Counters(capture_);
  EXPECT_EQ(counters.full, 1U);
  EXPECT_EQ(counters.payloads, 1U);
  EXPECT_EQ(counters.lost_bytes, 16 * kMiB);
  EXPECT_EQ(counters.error, static_cast<uint64_t>(ENOSPC));
  EXPECT_FALSE(fs::exists(root_ + "/a.npy"));
  EXPECT_TRUE(fs::exists(root_ + "/b.npy"));
  EXPECT_EQ(transplt_capture_step(capture_, 1), TRANSPLT_OK) << "that was another step";
}

TEST_F(CaptureOnABadSystem, WaitsOnceForADiskThatHangs) {
  options_.ring_bytes = 1;
  options_.block_milliseconds = 1500;
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  TheSystem().disk_hangs = true;
  // 16 MiB do not fit into a ring of 2 MiB.
  EXPECT_EQ(Put(capture_, "a", big_tensor_), TRANSPLT_STATS_ONLY);
  std::thread later([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    TheSystem().disk_hangs = false;
  });
  EXPECT_EQ(Put(capture_, "b", big_tensor_), TRANSPLT_STATS_ONLY) << "who waits gets room now";
  later.join();
  EXPECT_EQ(transplt_capture_flush(capture_), TRANSPLT_OK);
  EXPECT_EQ(Put(capture_, "c", big_tensor_), TRANSPLT_OK) << "the disk goes on";
}

TEST_F(CaptureOnABadSystem, RemembersTheStepOfASegmentWhoseRingIsFull) {
  options_.ring_bytes = 1;
  options_.back_pressure = TRANSPLT_KEEP_STATS;
  options_.format = TRANSPLT_FORMAT_MINDSPORE_SYNC;
  options_.net_name = "net";
  // Where the files of a step cannot be written, only the segment tells its number.
  const pid_t child = ::fork();
  if (child == 0) {
    if (Open(options_) != TRANSPLT_OK) ::_exit(1);
    transplt_record record{};
    record.struct_size = sizeof record;
    record.name = "small";
    record.direction = TRANSPLT_OUTPUT;
    record.want = TRANSPLT_WANT_PAYLOAD;
    record.tensor = &tensor_;
    transplt_capture_put(capture_, &record, nullptr);
    TheSystem().disk_hangs = true;
    record.tensor = &big_tensor_;
    transplt_capture_put(capture_, &record, nullptr);
    const std::string path(60, 'x');
    while (transplt_capture_text_begin(capture_, path.c_str(), "", "", "") == TRANSPLT_OK) {
    }
    std::thread([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      TheSystem().disk_hangs = false;
    }).detach();
    // The public files find no folder: their segment stays.
    fs::create_directories(root_ + "/net/device_0");
    std::ofstream(root_ + "/net/device_0/iteration_9") << "no folder";
    transplt_capture_step(capture_, 9);
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  fs::remove_all(root_ + "/net");
  uint64_t files = 0;
  EXPECT_EQ(transplt_capture_recover(root_.c_str(), &files), TRANSPLT_OK)
      << transplt_capture_last_error();
  EXPECT_TRUE(fs::exists(root_ + "/net/device_0/iteration_9"));
}

TEST_F(CaptureOnABadSystem, CountsWhatWasInASegmentThatIsGone) {
  options_.power_loss_safe = 1;  // all is in the segment
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  ASSERT_EQ(Put(capture_, "a", tensor_), TRANSPLT_OK);
  ASSERT_EQ(transplt_capture_text_begin(capture_, "t", "", "", ""), TRANSPLT_OK);
  ASSERT_EQ(transplt_capture_text(capture_, "t", "x", 1), TRANSPLT_OK);
  fs::remove_all(root_);
  EXPECT_EQ(transplt_capture_step(capture_, 0), TRANSPLT_IO);
  EXPECT_EQ(Counters(capture_).lost_in_files, 1U);
  EXPECT_EQ(Counters(capture_).texts_lost, 1U);
  // Nor is there a folder for the next segment.
  EXPECT_EQ(Put(capture_, "b", tensor_), TRANSPLT_FULL);
  EXPECT_THAT(transplt_capture_last_error(), HasSubstr("No such file"));
  EXPECT_EQ(transplt_capture_text(capture_, "t", "x", 1), TRANSPLT_FULL);
  EXPECT_EQ(Counters(capture_).full, 1U);
  EXPECT_EQ(Counters(capture_).texts_lost, 2U);
  EXPECT_NE(transplt_capture_flush(capture_), TRANSPLT_OK);
  // As soon as there is one, it goes on.
  fs::create_directories(root_ + "/.transplt_capture");
  EXPECT_NE(transplt_capture_step(capture_, 1), TRANSPLT_OK) << "step 1 has lost something";
  EXPECT_EQ(Put(capture_, "c", tensor_), TRANSPLT_OK);
  EXPECT_EQ(Close(), TRANSPLT_OK) << transplt_capture_last_error();
  EXPECT_TRUE(fs::exists(root_ + "/c.npy"));
}

TEST_F(CaptureOnABadSystem, KeepsTheSegmentUntilItsFilesAreSafeFromPowerLoss) {
  options_.power_loss_safe = 1;
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  ASSERT_EQ(Put(capture_, "a", tensor_), TRANSPLT_OK);
  TheSystem().syncfs_error = EIO;
  EXPECT_EQ(transplt_capture_step(capture_, 0), TRANSPLT_IO);
  EXPECT_TRUE(fs::exists(root_ + "/.transplt_capture/000000000.segment"));
  TheSystem().syncfs_error = 0;
  ASSERT_EQ(Put(capture_, "b", tensor_), TRANSPLT_OK);
  EXPECT_EQ(transplt_capture_step(capture_, 1), TRANSPLT_OK);
  EXPECT_FALSE(fs::exists(root_ + "/.transplt_capture/000000001.segment"));
}

TEST_F(CaptureOnABadSystem, IsInertInAForkedChildOfAnOldKernel) {
  TheSystem().lacks_wipe_on_fork = true;
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(Put(capture_, "child", tensor_) == TRANSPLT_INERT ? 0 : 1);
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Put(capture_, "parent", tensor_), TRANSPLT_OK);
}

TEST_F(CaptureOnABadSystem, LeavesItsLockToNoForkedChild) {
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  const pid_t child = ::fork();
  if (child == 0) {
    for (const fs::directory_entry& entry : fs::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      if (fs::read_symlink(entry.path(), gone) == root_ + "/.transplt_capture/lock") ::_exit(1);
    }
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  transplt_capture* second = nullptr;
  EXPECT_EQ(transplt_capture_open(&options_, &second), TRANSPLT_CLASH) << "the parent holds it";
}

}  // namespace
