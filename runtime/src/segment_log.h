// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "runtime/src/frame.h"
#include "runtime/src/output_file.h"

namespace transplt::capture {

/// Takes the records that go straight to their files from the thread that writes the log. Each has
/// a Begin(), its pieces in order, and an End().
class DirectRecords {
 public:
  virtual ~DirectRecords() = default;
  /// False if the record is to stay in the log. Then only End() follows.
  virtual bool Begin(std::string_view meta) = 0;
  virtual void Take(std::string_view piece) = 0;
  virtual void End(bool is_complete) = 0;
};

/// A bounded ring of frames that one thread writes to a file. The ring holds the bytes of the file,
/// aligned as the disk wants them, so nothing is copied twice; records that go straight to their
/// files leave it in the same order, so the file never names one that has none. Producers call in
/// turn; who calls sees to that.
class SegmentLog {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  /// `direct_io`: around the page cache, where the file system can. `direct_records` lives longer.
  SegmentLog(uint64_t ring_bytes, bool direct_io, DirectRecords& direct_records);
  SegmentLog(const SegmentLog&) = delete;
  SegmentLog& operator=(const SegmentLog&) = delete;
  ~SegmentLog();

  /// A new file. If it fails, failed() is true until the next file is open.
  Status Open(const std::string& path);
  /// Goes on behind the `frames` frames of a file, which end at `size`: a multiple of kDiskBlock.
  Status Continue(const std::string& path, uint64_t size, uint64_t frames);
  bool is_open() const { return file_.is_open(); }
  /// flush(), then no file is open.
  Status CloseFile(bool sync);

  /// Room for a frame of `size` bytes of payload, without it being visible yet. False if there is
  /// none at the deadline. Some room stays free for a small last frame, which Append() uses.
  bool Reserve(uint32_t size, Deadline deadline);
  /// Copies the next bytes of the reserved frame.
  void Fill(std::string_view bytes);
  /// Where the next `size` bytes of the reserved frame belong, if that is one piece and starts at a
  /// multiple of kFrameAlignment; else null. Who has copied them there calls Filled().
  char* Room(size_t size);
  void Filled(size_t size) { filled_ += size; }
  void Commit(FrameType type, uint64_t record);

  /// Reserve, Fill, Commit. `last_room`: may take the room that Reserve() keeps free.
  bool Append(FrameType type, uint64_t record, std::string_view payload, Deadline deadline,
              bool last_room = false);
  /// Everything committed is in the file.
  Status Flush();
  /// As Flush(), but false if that has not come about at the deadline. A failure counts as written.
  bool IsWritten(Deadline deadline);

  /// True after a write has failed: what is committed from then on is thrown away.
  bool failed() const { return error_.load(std::memory_order_relaxed) != 0; }
  /// Why.
  Status Failure() const;
  /// All bytes that ever left the ring.
  uint64_t written() const { return written_.load(std::memory_order_relaxed); }
  /// Bytes that are in the ring only.
  uint64_t pending() const { return committed_.load(std::memory_order_relaxed) - written(); }
  /// For what waits as long as it takes.
  static Deadline Never();
  /// True if a frame of `size` bytes fits into the empty ring.
  bool Holds(uint64_t size) const;
  /// Bytes that were committed to the open file.
  uint64_t bytes() const {
    return committed_.load(std::memory_order_relaxed) - file_start_ -
           elsewhere_.load(std::memory_order_relaxed);
  }
  /// Frames of the open file.
  uint64_t frames() const { return sequence_; }

 private:
  struct Unmap {
    size_t size;
    void operator()(char* memory) const;
  };

  Status Take(const std::string& path, FileDescriptor file, uint64_t size, uint64_t frames);
  bool WaitForRoom(uint64_t size, Deadline deadline);
  void WriterLoop();
  void PrepareRing(uint64_t used);
  void Seal(uint64_t until);
  void SealFrame();
  bool TakeDirect(FrameHeader* header, std::string_view first, std::string_view second);
  void WriteOut(uint64_t until);
  int WriteRange(uint64_t from, uint64_t until);
  int WriteAt(std::string_view bytes, uint64_t offset);
  char* At(uint64_t position) { return ring_.get() + position % capacity_; }
  void CopyIn(uint64_t position, std::string_view bytes);

  const uint64_t capacity_;
  const uint64_t write_chunk_;  ///< the writer is woken for this much
  const bool direct_io_;
  std::unique_ptr<char, Unmap> ring_;
  std::string path_;
  FileDescriptor file_;
  uint64_t file_start_ = 0;  ///< position of the file's first byte, modulo 2^64
  uint64_t sequence_ = 0;
  uint64_t reserved_ = 0;  ///< payload of the frame that is being filled
  uint64_t filled_ = 0;

  // Positions count all bytes ever; position modulo capacity is the place in the ring.
  std::atomic<uint64_t> committed_{0};
  std::atomic<uint64_t> written_{0};
  std::atomic<uint64_t> elsewhere_{0};  ///< bytes since file_start_ that the file does not get
  // The writer's.
  struct Gap {
    uint64_t begin;
    uint64_t end;
  };
  uint64_t prepared_ = 0;    ///< bytes of the ring that have memory
  uint64_t sealed_ = 0;      ///< frames up to here have their CRC
  std::deque<Gap> gaps_;     ///< what the file does not get, from written_ on
  uint64_t file_size_ = 0;   ///< so far
  bool stays_here_ = false;  ///< the record that is being sealed was to have a file, and has none
  DirectRecords& direct_records_;
  std::atomic<int> error_{0};

  std::mutex mutex_;
  std::condition_variable wake_writer_;
  std::condition_variable progress_;
  bool flush_wanted_ = false;
  bool stop_ = false;
  std::thread writer_;
};

}  // namespace transplt::capture
