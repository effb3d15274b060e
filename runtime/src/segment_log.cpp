// SPDX-License-Identifier: Apache-2.0
#include "runtime/src/segment_log.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>

#include "runtime/src/block_statistics.h"

namespace transplt::capture {
namespace {

constexpr uint64_t kLargestWrite = uint64_t{4} << 20;
constexpr uint64_t kLastRoom = 256;
// Bytes do not stay in the ring longer than this, even if few come.
constexpr std::chrono::milliseconds kLinger{50};

/// False if the file is not written around the cache anyway.
bool LeaveDirect(int file) {
  const int flags = ::fcntl(file, F_GETFL);
  return (flags & O_DIRECT) != 0 && ::fcntl(file, F_SETFL, flags & ~O_DIRECT) == 0;
}

char* MapRing(size_t size) {
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  // Each step has a new ring: thousands of small pages would be asked for one by one.
  ::madvise(memory, size, MADV_HUGEPAGE);
  return static_cast<char*>(memory);
}

}  // namespace

void SegmentLog::Unmap::operator()(char* memory) const { ::munmap(memory, size); }

SegmentLog::SegmentLog(uint64_t ring_bytes, bool direct_io, DirectRecords& direct_records)
    // Several of the largest frames, so that filling and writing overlap.
    : capacity_(RoundUp(std::max<uint64_t>(ring_bytes, 8 * kDataFrame), kDiskBlock)),
      write_chunk_(std::min(kLargestWrite, capacity_ / 4)),
      direct_io_(direct_io),
      ring_(MapRing(capacity_), Unmap{capacity_}),
      direct_records_(direct_records),
      writer_([this] { WriterLoop(); }) {}

SegmentLog::~SegmentLog() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_writer_.notify_all();
  writer_.join();
}

Status SegmentLog::Open(const std::string& path) {
  constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
  FileDescriptor file;
  if (direct_io_) file = FileDescriptor(::open(path.c_str(), kFlags | O_DIRECT, kFileMode));
  // tmpfs and some network file systems refuse O_DIRECT, and may leave an empty file behind.
  if (!file.is_open()) {
    if (direct_io_ && errno == EINVAL) ::unlink(path.c_str());
    file = FileDescriptor(::open(path.c_str(), kFlags, kFileMode));
  }
  if (file.is_open() && ::fchmod(file.get(), kFileMode) != 0) {
    const int error = errno;
    // An empty segment would look like one that an interrupted run has left.
    ::unlink(path.c_str());
    file = FileDescriptor();
    errno = error;
  }
  return Take(path, std::move(file), 0, 0);
}

Status SegmentLog::Continue(const std::string& path, uint64_t size, uint64_t frames) {
  FileDescriptor file;
  if (direct_io_) file = FileDescriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_DIRECT));
  if (!file.is_open()) file = FileDescriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  return Take(path, std::move(file), size, frames);
}

Status SegmentLog::Take(const std::string& path, FileDescriptor file, uint64_t size,
                        uint64_t frames) {
  const int error = file.is_open() ? 0 : errno;
  const std::lock_guard lock(mutex_);
  path_ = path;
  error_ = error;
  if (error != 0) return Failure();
  file_ = std::move(file);
  file_start_ = committed_.load() - size;
  file_size_ = size;
  elsewhere_ = 0;
  sequence_ = frames;
  return {};
}

Status SegmentLog::CloseFile(bool sync) {
  Status status = Flush();
  const std::lock_guard lock(mutex_);
  if (status.ok() && sync && ::fdatasync(file_.get()) != 0) status = IoError(path_, errno);
  file_ = FileDescriptor();
  return status;
}

bool SegmentLog::WaitForRoom(uint64_t size, Deadline deadline) {
  const auto has_room = [&] {
    return committed_.load(std::memory_order_relaxed) + size -
               written_.load(std::memory_order_acquire) <=
           capacity_;
  };
  if (has_room()) return true;
  std::unique_lock lock(mutex_);
  wake_writer_.notify_one();
  return progress_.wait_until(lock, deadline, has_room);
}

bool SegmentLog::Reserve(uint32_t size, Deadline deadline) {
  if (!WaitForRoom(FrameBytes(size) + kLastRoom, deadline)) return false;
  reserved_ = size;
  filled_ = 0;
  return true;
}

void SegmentLog::CopyIn(uint64_t position, std::string_view bytes) {
  const size_t until_end = capacity_ - position % capacity_;
  const size_t first = std::min(bytes.size(), until_end);
  CopyAroundCache(At(position), bytes.data(), first);
  if (first < bytes.size()) {
    CopyAroundCache(ring_.get(), bytes.data() + first, bytes.size() - first);
  }
}

void SegmentLog::Fill(std::string_view bytes) {
  CopyIn(committed_.load(std::memory_order_relaxed) + sizeof(FrameHeader) + filled_, bytes);
  filled_ += bytes.size();
}

char* SegmentLog::Room(size_t size) {
  const uint64_t at = committed_.load(std::memory_order_relaxed) + sizeof(FrameHeader) + filled_;
  const bool is_one_piece = capacity_ - at % capacity_ >= size;
  return is_one_piece && at % kFrameAlignment == 0 ? At(at) : nullptr;
}

void SegmentLog::Commit(FrameType type, uint64_t record) {
  FrameHeader header;
  header.type = type;
  header.size = static_cast<uint32_t>(filled_);
  header.sequence = sequence_++;
  header.record = record;
  const uint64_t start = committed_.load(std::memory_order_relaxed);
  std::memcpy(At(start), &header, sizeof header);
  const uint64_t end = start + FrameBytes(filled_);
  // The padding goes to disk too: it must not hold what was in the ring before.
  static constexpr std::array<char, kFrameAlignment> kZeros{};
  const uint64_t used = start + sizeof header + filled_;
  CopyIn(used, {kZeros.data(), end - used});
  FinishCopies();
  elsewhere_ += FrameBytes(filled_) - LoggedBytes(header);
  committed_.store(end, std::memory_order_release);
  const uint64_t waiting = end - written_.load(std::memory_order_relaxed);
  // One wake for many small frames.
  if (waiting >= write_chunk_ && waiting - FrameBytes(filled_) < write_chunk_) {
    const std::lock_guard lock(mutex_);
    wake_writer_.notify_one();
  }
}

bool SegmentLog::Append(FrameType type, uint64_t record, std::string_view payload,
                        Deadline deadline, bool last_room) {
  const uint64_t wanted = FrameBytes(payload.size()) + (last_room ? 0 : kLastRoom);
  if (wanted + kDiskBlock > capacity_ || !WaitForRoom(wanted, deadline)) return false;
  filled_ = 0;
  Fill(payload);
  Commit(type, record);
  return true;
}

Status SegmentLog::Flush() {
  // The writer always makes room in the end: if the disk fails, it throws away.
  IsWritten(Never());
  return Failure();
}

bool SegmentLog::IsWritten(Deadline deadline) {
  const uint64_t end = committed_.load(std::memory_order_relaxed);
  const uint64_t rest = RoundUp(end, kDiskBlock) - end;
  if (rest > 0) {
    static constexpr std::array<char, kDiskBlock> kZeros{};
    const std::string_view padding(kZeros.data(), rest - sizeof(FrameHeader));
    if (!Append(FrameType::kPad, 0, padding, deadline, true)) return false;
  }
  std::unique_lock lock(mutex_);
  flush_wanted_ = true;
  wake_writer_.notify_one();
  const bool is_written =
      progress_.wait_until(lock, deadline, [&] { return written_.load() == committed_.load(); });
  // Or the writer would look for the end of a block that has none.
  if (!is_written) flush_wanted_ = false;
  return is_written;
}

Status SegmentLog::Failure() const {
  const int error = error_.load();
  if (error == 0) return {};
  return IoError(path_, error);
}

SegmentLog::Deadline SegmentLog::Never() {
  return std::chrono::steady_clock::now() + std::chrono::hours(24 * 365);
}

bool SegmentLog::Holds(uint64_t size) const {
  // The writer leaves less than a block behind until the next flush.
  return FrameBytes(size) + kLastRoom + kDiskBlock <= capacity_;
}

void SegmentLog::WriterLoop() {
  // Beyond RLIMIT_FSIZE the kernel would end the process; blocked, write() fails instead.
  sigset_t every;
  sigfillset(&every);
  pthread_sigmask(SIG_BLOCK, &every, nullptr);
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_writer_.wait_for(lock, kLinger, [&] {
      return stop_ || flush_wanted_ ||
             committed_.load(std::memory_order_acquire) - written_.load() >= write_chunk_;
    });
    const uint64_t until = committed_.load(std::memory_order_acquire);
    if (stop_ && until == written_.load()) return;
    lock.unlock();
    PrepareRing(until);
    do {
      Seal(std::min(until, sealed_ + write_chunk_));
      WriteOut(sealed_ / kDiskBlock * kDiskBlock);
    } while (sealed_ < until);
    lock.lock();
    if (stop_) written_ = until;
    if (written_.load() == committed_.load(std::memory_order_acquire)) flush_wanted_ = false;
    progress_.notify_all();
  }
}

/// Gives memory to what comes next in a ring that is filled for the first time: zeros that the
/// caller's thread need not wait for.
void SegmentLog::PrepareRing(uint64_t used) {
#ifdef MADV_POPULATE_WRITE
  constexpr uint64_t kAhead = uint64_t{16} << 20;
  if (used < write_chunk_ || prepared_ == capacity_) return;
  const uint64_t until = std::min(capacity_, used + kAhead);
  prepared_ = std::min(capacity_, std::max(prepared_, used / kDiskBlock * kDiskBlock));
  if (prepared_ < until) ::madvise(At(prepared_), until - prepared_, MADV_POPULATE_WRITE);
  prepared_ = std::max(prepared_, until / kDiskBlock * kDiskBlock);
#endif
}

void SegmentLog::Seal(uint64_t until) {
  while (sealed_ < until) SealFrame();
}

void SegmentLog::SealFrame() {
  FrameHeader header;
  std::memcpy(&header, At(sealed_), sizeof header);
  const uint64_t start = sealed_ + sizeof header;
  const uint64_t end = sealed_ + FrameBytes(header.size);
  const std::string_view first(At(start),
                               std::min<uint64_t>(header.size, capacity_ - start % capacity_));
  const std::string_view second(ring_.get(), header.size - first.size());
  const bool is_elsewhere = TakeDirect(&header, first, second);
  uint32_t crc = Crc32(0, &header, sizeof header);
  if (is_elsewhere) {
    gaps_.push_back({start, end});
  } else {
    crc = Crc32(Crc32(crc, first.data(), first.size()), second.data(), second.size());
  }
  header.crc = crc;
  std::memcpy(At(sealed_), &header, sizeof header);
  sealed_ = end;
}

/// True if the payload, in two pieces, belongs to a file and not to the log. A record for which
/// there is no file becomes one of the log.
bool SegmentLog::TakeDirect(FrameHeader* header, std::string_view first, std::string_view second) {
  switch (header->type) {
    case FrameType::kFileBegin:
      stays_here_ = !direct_records_.Begin(std::string(first).append(second));
      if (stays_here_) header->type = FrameType::kBegin;
      return false;
    case FrameType::kFileData:
      if (stays_here_) {
        header->type = FrameType::kData;
        elsewhere_ -= FrameBytes(header->size) - sizeof *header;
        return false;
      }
      direct_records_.Take(first);
      if (!second.empty()) direct_records_.Take(second);
      return true;
    case FrameType::kFileEnd:
      direct_records_.End(first == "\1");
      if (stays_here_) header->type = FrameType::kEnd;
      return false;
    default:
      return false;
  }
}

void SegmentLog::WriteOut(uint64_t until) {
  while (written_.load(std::memory_order_relaxed) < until) {
    const uint64_t from = written_.load(std::memory_order_relaxed);
    const uint64_t to = std::min({until, from + write_chunk_, from + capacity_ - from % capacity_});
    if (error_.load() == 0) error_ = WriteRange(from, to);
    written_.store(to, std::memory_order_release);
    const std::lock_guard lock(mutex_);
    progress_.notify_all();
  }
}

int SegmentLog::WriteRange(uint64_t from, uint64_t until) {
  while (!gaps_.empty() && gaps_.front().end <= from) gaps_.pop_front();
  std::string_view bytes(At(from), until - from);
  std::string without_gaps;
  if (!gaps_.empty() && gaps_.front().begin < until) {
    for (const Gap& gap : gaps_) {
      if (gap.begin > from) without_gaps.append(At(from), std::min(gap.begin, until) - from);
      from = std::max(from, std::min(gap.end, until));
    }
    without_gaps.append(At(from), until - from);
    bytes = without_gaps;
  }
  const int error = WriteAt(bytes, file_size_);
  file_size_ += bytes.size();
  return error;
}

int SegmentLog::WriteAt(std::string_view bytes, uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t count =
        ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    // Larger blocks than ours, or a limit of the file's size within a block: through the cache.
    if (count < 0 && errno == EINVAL && LeaveDirect(file_.get())) continue;
    if (count < 0) return errno;
    if (count == 0) return EIO;
    offset += static_cast<uint64_t>(count);
    bytes.remove_prefix(static_cast<size_t>(count));
    if (!bytes.empty() && offset % kDiskBlock != 0) LeaveDirect(file_.get());
  }
  return 0;
}

}  // namespace transplt::capture
