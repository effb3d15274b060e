// SPDX-License-Identifier: Apache-2.0
#include "runtime/src/session.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <ctime>
#include <utility>

#include "runtime/src/byte_string.h"
#include "runtime/src/payload_frames.h"
#include "runtime/src/recover.h"
#include "runtime/src/tensor_file.h"

namespace transplt::capture {
namespace {

constexpr uint64_t kDefaultRing = uint64_t{64} << 20;
constexpr uint64_t kDefaultFree = uint64_t{16} << 20;
constexpr uint32_t kDefaultBlock = 30000;
// For the folders, the lock and the counters.
constexpr uint64_t kFreeBesideTexts = 4 * kDiskBlock;
constexpr uint64_t kLargestBudget = uint64_t{64} << 20;
// A new file takes longer than the bytes of a small tensor: where many wait for theirs, the log
// takes them faster.
constexpr uint64_t kLargeTensor = uint64_t{64} << 10;
constexpr uint64_t kMostWaiting = 256;

std::string OrEmpty(const char* text) { return text == nullptr ? "" : text; }

std::string TimeNow() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  std::string text(15, '\0');
  text.resize(std::strftime(text.data(), text.size(), "%Y%m%d%H%M%S", &local));
  return text;
}

uint64_t Microseconds() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(
                                   std::chrono::system_clock::now().time_since_epoch())
                                   .count());
}

Layout LayoutOf(const transplt_options& options) {
  Layout layout;
  layout.format = options.format;
  layout.model_name = OrEmpty(options.model_name);
  layout.net_name = OrEmpty(options.net_name);
  layout.time_folder = options.time_folder == nullptr ? TimeNow() : options.time_folder;
  layout.hdf5_file = options.hdf5_file == nullptr ? "capture.h5" : options.hdf5_file;
  layout.device_id = options.device_id;
  layout.model_id = options.model_id;
  layout.hdf5_device = options.hdf5_device;
  return layout;
}

/// What stands in paths must not lead out of the root.
Status CheckLayout(const Layout& layout) {
  const bool mindspore = layout.format == TRANSPLT_FORMAT_MINDSPORE_SYNC ||
                         layout.format == TRANSPLT_FORMAT_MINDSPORE_ASYNC;
  if (mindspore && layout.net_name.empty()) {
    return Invalid("options: the paths of MindSpore need net_name");
  }
  Status status;
  if (mindspore) status = CheckRelativePath(layout.net_name);
  if (layout.format == TRANSPLT_FORMAT_GE) status = CheckRelativePath(layout.time_folder);
  if (layout.format == TRANSPLT_FORMAT_HDF5) status = CheckRelativePath(layout.hdf5_file);
  if (!status.ok()) status.message.insert(0, "options: ");
  return status;
}

/// What a file of the format cannot be without.
Status CheckPayload(const transplt_record& record, transplt_format format) {
  const std::string name = OrEmpty(record.name);
  if (format == TRANSPLT_FORMAT_NONE) {
    return {TRANSPLT_UNSUPPORTED, name + ": the format has no files for tensors"};
  }
  if (HasFilePerTensor(format)) return CheckRelativePath(name);
  if (name.empty()) return Invalid("record: name is empty");
  if (record.direction != TRANSPLT_INPUT && record.direction != TRANSPLT_OUTPUT) {
    return Invalid(name + ": direction is neither TRANSPLT_INPUT nor TRANSPLT_OUTPUT");
  }
  const bool names_type = format == TRANSPLT_FORMAT_GE || format == TRANSPLT_FORMAT_MINDSPORE_ASYNC;
  if (names_type && OrEmpty(record.op_type).empty()) {
    return Invalid(name + ": op_type is empty, which the file's name needs");
  }
  if (format == TRANSPLT_FORMAT_HDF5 && !HasHdf5Type(record.tensor->type)) {
    return {TRANSPLT_UNSUPPORTED,
            name + ": msaccucmp's HDF5 has no code for " + NamesOf(record.tensor->type)->mindspore};
  }
  return {};
}

transplt_options WithDefaults(transplt_options options) {
  if (options.ring_bytes == 0) options.ring_bytes = kDefaultRing;
  if (options.block_milliseconds == 0) options.block_milliseconds = kDefaultBlock;
  return options;
}

/// False if the name of its file has to be a shorter one.
bool FitsInAName(const RecordMeta& meta) {
  return meta.name.size() - (meta.name.rfind('/') + 1) + 4 <= NAME_MAX;
}

}  // namespace

Session::Session(const transplt_options& options)
    : options_(WithDefaults(options)),
      layout_(LayoutOf(options)),
      existing_(options.allow_existing != 0 ? Existing::kReplace : Existing::kKeep),
      // What need not be on the disk at once is read back from the page cache at step(), and often
      // is deleted before the disk has seen it.
      log_(options_.ring_bytes, options_.power_loss_safe != 0 && options_.buffered_io == 0,
           direct_) {}

Status Session::CheckOptions(const transplt_options& options) {
  if (options.root == nullptr || *options.root == '\0') return Invalid("options: root is empty");
  if (options.format > TRANSPLT_FORMAT_PT) {
    return {TRANSPLT_UNSUPPORTED,
            "options: format " + std::to_string(options.format) + " is not known"};
  }
  if (options.back_pressure > TRANSPLT_DROP) return Invalid("options: back_pressure is not known");
  if (options.format == TRANSPLT_FORMAT_HDF5) {
    if (Status status = CheckHdf5(); !status.ok()) return status;
  }
  return CheckLayout(LayoutOf(options));
}

Status Session::Check(const transplt_options& options) {
  if (Status status = CheckOptions(options); !status.ok()) return status;
  return RunFolder::Check(options.root, options.device_id, options.allow_existing != 0);
}

Status Session::Open(const transplt_options& options, std::unique_ptr<Session>* session) {
  if (Status status = CheckOptions(options); !status.ok()) return status;
  std::unique_ptr<Session> made(new Session(options));
  if (Status status =
          made->folder_.Open(options.root, options.device_id, options.allow_existing != 0);
      !status.ok()) {
    return status;
  }
  made->layout_.root = made->folder_.root();
  made->direct_.SetPlace(made->layout_.root, made->layout_.format, made->existing_);
  made->options_.root = nullptr;  // the caller's memory
  if (Status status = made->Begin(); !status.ok()) {
    // Nothing is in the segment, which would look like that of an interrupted run.
    if (made->has_segment_) ::unlink(made->segment_path_.c_str());
    made->folder_.Close();
    return status;
  }
  *session = std::move(made);
  return {};
}

Status Session::Begin() {
  // Of a small disk the floor is a small part.
  const uint64_t floor = std::clamp(folder_.Space().total / 64, kFreeBesideTexts, kDefaultFree);
  payload_budget_.floor = options_.min_free_bytes == 0 ? floor : options_.min_free_bytes;
  text_budget_.floor = std::min(kFreeBesideTexts, payload_budget_.floor);
  if (Status status = OpenSegment(); !status.ok()) return status;
  return options_.power_loss_safe != 0 ? SyncFileSystem(layout_.root) : Status{};
}

Status Session::OpenSegment() {
  segment_path_ = folder_.NewSegmentPath();
  in_segment_ = 0;
  segment_bytes_ = 0;
  texts_in_segment_ = 0;
  text_files_ = 0;
  progress_ = {};
  payload_budget_.left = 0;
  text_budget_.left = 0;
  if (Status status = log_.Open(segment_path_); !status.ok()) {
    NoteError(status);
    return status;
  }
  has_segment_ = true;
  // The ring is empty.
  if (!log_.Append(FrameType::kSegment, 0, layout_.Serialise(), SegmentLog::Never())) {
    return Invalid("options: the names are longer than the log takes");
  }
  return options_.power_loss_safe != 0 ? SyncFolder(folder_.log()) : Status{};
}

SegmentLog::Deadline Session::Deadline() const {
  const auto now = std::chrono::steady_clock::now();
  const bool hangs = has_given_up_ && log_.written() == written_then_;
  if (options_.back_pressure != TRANSPLT_BLOCK || hangs) return now;
  return now + std::chrono::milliseconds(options_.block_milliseconds);
}

void Session::GiveUp() {
  has_given_up_ = true;
  written_then_ = log_.written();
}

/// False if the disk has no room for `bytes` beside what it is owed: what the ring holds goes to
/// the log, and the log once more to the public files, in whole blocks.
bool Session::Spend(uint64_t bytes, Budget& budget) {
  if (bytes > budget.left) {
    const uint64_t free = folder_.Space().free;
    const uint64_t waiting = direct_put_ - direct_.ended();
    const uint64_t blocks = in_segment_ + text_files_ + 2 * waiting;
    const uint64_t owed = log_.pending() + log_.bytes() + blocks * kDiskBlock;
    for (Budget* one : {&payload_budget_, &text_budget_}) {
      const uint64_t room = free - std::min(free, owed + one->floor);
      // Others write to the disk too: what is large against the room is looked up each time.
      one->left = &budget == one && bytes <= room
                      ? bytes + std::min(room - bytes, kLargestBudget) / 16
                      : std::min(room, kLargestBudget) / 16;
    }
  }
  if (bytes > budget.left) return false;
  for (Budget* one : {&payload_budget_, &text_budget_}) one->left -= std::min(one->left, bytes);
  return true;
}

/// Makes files of the tensors in the segment before the step ends, so that the disk does not hold
/// them twice. False if there are none or nothing was gained.
bool Session::MakeRoom() {
  CollectDirect();
  if (!HasFilePerTensor(layout_.format) || in_segment_ == progress_.done.size()) return false;
  if (!log_.IsWritten(Deadline())) {
    GiveUp();
    return false;
  }
  if (!log_.Flush().ok()) return false;
  CollectDirect();
  SegmentEnd end{log_.bytes(), log_.frames()};
  Status status = log_.CloseFile(options_.power_loss_safe != 0);
  const bool is_smaller = status.ok() && ExportTensorsOfSegment(&end);
  if (status.ok()) status = log_.Continue(segment_path_, end.bytes, end.frames);
  NoteError(status);
  if (!is_smaller) return false;
  counters_.acknowledged = counters_.payloads;
  progress_.done.clear();
  in_segment_ = 0;
  segment_bytes_ = 0;
  payload_budget_.left = 0;
  text_budget_.left = 0;
  return true;
}

bool Session::ExportTensorsOfSegment(SegmentEnd* end) {
  SegmentReader segment;
  if (!segment.Open(segment_path_).ok() || !segment.damage().ok()) return false;
  ExportResult result = ExportTensors(segment, layout_, existing_, &progress_);
  counters_.files += result.files;
  counters_.lost_in_files += result.lost_records;
  counters_.lost_bytes += result.lost_bytes;
  if (first_refusal_.ok()) first_refusal_ = std::move(result.first_refusal);
  Status status = std::move(result.first_error);
  if (status.ok() && options_.power_loss_safe != 0) status = SyncFileSystem(layout_.root);
  if (status.ok()) status = ReplaceByTexts(segment, segment_path_, end);
  if (status.ok() && options_.power_loss_safe != 0) status = SyncFileSystem(layout_.root);
  NoteError(status);
  return status.ok();
}

/// True once what tensors on their way to their files need is no estimate any more.
bool Session::WaitForFiles() {
  if (direct_put_ == direct_.ended()) return false;
  const bool is_written = log_.IsWritten(Deadline());
  if (!is_written) GiveUp();
  payload_budget_.left = 0;
  return is_written;
}

/// Each byte is written once then. What is to survive a loss of power goes to one synced file.
bool Session::MayGoDirect(const RecordMeta& meta) const {
  if (!HasFilePerTensor(layout_.format) || options_.power_loss_safe != 0) return false;
  if (meta.bytes < kLargeTensor && direct_put_ - direct_.ended() > kMostWaiting) return false;
  return FitsInAName(meta) && !progress_.taken.contains(direct_.PathOf(meta));
}

Session::Place Session::PlaceFor(const RecordMeta& meta) {
  const uint64_t bytes = meta.bytes;
  if (log_.failed()) return Place::kNowhere;
  if (options_.max_payload_bytes != 0 &&
      counters_.payload_bytes + bytes > options_.max_payload_bytes) {
    return Place::kNowhere;
  }
  const uint64_t in_file = RoundUp(bytes, kDiskBlock) + kDiskBlock;
  const uint64_t in_both = bytes + in_file + kDiskBlock;
  if (MayGoDirect(meta)) {
    const uint64_t with_log = in_file + kDiskBlock;
    if (Spend(with_log, payload_budget_)) return Place::kDirect;
    if ((WaitForFiles() || MakeRoom()) && Spend(with_log, payload_budget_)) return Place::kDirect;
  }
  if (Spend(in_both, payload_budget_)) return Place::kLog;
  const bool may_fit = folder_.Space().free >= payload_budget_.floor + in_file;
  if (may_fit && MakeRoom() && Spend(in_both, payload_budget_)) return Place::kLog;
  const bool may_be_alone =
      HasFilePerTensor(layout_.format) && in_segment_ == progress_.done.size();
  if (may_fit && may_be_alone && !log_.failed() && Spend(in_file, payload_budget_)) {
    return Place::kFile;
  }
  if (counters_.error == 0) counters_.error = ENOSPC;
  return Place::kNowhere;
}

void Session::NoteError(const Status& status) {
  if (counters_.error == 0) counters_.error = static_cast<uint64_t>(status.error);
}

Status Session::NotKept(const std::string& what) {
  Status failure = log_.Failure();
  NoteError(failure);
  return {TRANSPLT_FULL,
          layout_.root + ": " + what +
              " is not kept: " + (failure.ok() ? "disk or quota is full" : failure.message),
          failure.error};
}

Status Session::Put(const transplt_record& record, transplt_statistics* result) {
  TensorView view;
  if (Status status = MakeView(record.tensor, &view); !status.ok()) return status;
  if ((record.want & TRANSPLT_WANT_PAYLOAD) != 0) {
    if (Status status = CheckPayload(record, layout_.format); !status.ok()) return status;
  }
  TensorPass pass(view, record.want);
  Status status;
  {
    const std::lock_guard lock(mutex_);
    ++counters_.records;
    if ((record.want & TRANSPLT_WANT_PAYLOAD) == 0) {
      pass.Run(nullptr);
    } else {
      RecordMeta meta;
      meta.name = OrEmpty(record.name);
      meta.op_type = OrEmpty(record.op_type);
      meta.parameter = OrEmpty(record.parameter);
      meta.layout = OrEmpty(record.layout);
      meta.direction = record.direction;
      meta.index = record.index;
      meta.order = record.order;
      meta.stream_id = record.stream_id;
      meta.time = Microseconds();
      meta.type = view.type;
      meta.shape = view.shape;
      meta.bytes = view.bytes();
      status = PutPayload(meta, pass);
    }
  }
  if (result != nullptr) pass.Report(*result);
  return status;
}

Status Session::PutPayload(const RecordMeta& meta, TensorPass& pass) {
  switch (PlaceFor(meta)) {
    case Place::kLog:
      return KeepInLog(meta, pass);
    case Place::kDirect:
      return KeepDirect(meta, pass);
    case Place::kFile:
      return KeepInFile(meta, pass);
    case Place::kNowhere:
      break;
  }
  pass.Run(nullptr);
  ++counters_.full;
  counters_.lost_bytes += meta.bytes;
  return NotKept("the tensor");
}

/// Where the disk has room for one more file, and not for the log and the file.
Status Session::KeepInFile(const RecordMeta& meta, TensorPass& pass) {
  const std::string path = layout_.root + "/" + meta.name + EndingOf(layout_.format);
  TensorFile file;
  Status status;
  struct stat what {};
  if (!FitsInAName(meta)) {
    status = {TRANSPLT_FULL, path + ": the disk has no room to write it with a shorter name",
              ENOSPC};
  } else if (progress_.taken.contains(path) ||
             (existing_ == Existing::kKeep && ::lstat(path.c_str(), &what) == 0)) {
    status = {TRANSPLT_DROPPED, path + ": is there already; the first is kept"};
  } else {
    status = file.Create(meta, layout_.format, path);
  }
  pass.Run(status.ok() ? &file : nullptr);
  if (status.ok()) status = file.Finish();
  if (!status.ok()) return Refused(meta, std::move(status));
  progress_.taken.insert(path);
  ++counters_.payloads;
  ++counters_.files;
  counters_.payload_bytes += meta.bytes;
  return {};
}

Status Session::Refused(const RecordMeta& meta, Status status) {
  counters_.lost_bytes += meta.bytes;
  if (status.code == TRANSPLT_DROPPED) {
    ++counters_.lost_in_files;
    if (first_refusal_.ok()) first_refusal_ = status;
    return status;
  }
  NoteError(status);
  ++counters_.full;
  status.code = TRANSPLT_FULL;
  return status;
}

Status Session::AfterRefusal(const RecordMeta& meta, TensorPass& pass, bool pass_has_run) {
  GiveUp();
  counters_.lost_bytes += meta.bytes;
  if (options_.back_pressure == TRANSPLT_DROP) {
    ++counters_.dropped;
    return {TRANSPLT_DROPPED, "the writer is too slow: the record is dropped"};
  }
  ++counters_.stats_only;
  if (!pass_has_run) pass.Run(nullptr);
  return {TRANSPLT_STATS_ONLY, "the writer is too slow: the tensor is not kept"};
}

Status Session::PutFrames(const RecordMeta& meta, TensorPass& pass, bool is_direct) {
  const SegmentLog::Deadline deadline = Deadline();
  const uint64_t record = next_record_++;
  if (!log_.Append(is_direct ? FrameType::kFileBegin : FrameType::kBegin, record, meta.Serialise(),
                   deadline)) {
    return AfterRefusal(meta, pass, false);
  }
  PayloadFrames frames(log_, is_direct ? FrameType::kFileData : FrameType::kData, record,
                       meta.bytes, deadline, options_.back_pressure != TRANSPLT_DROP);
  pass.Run(&frames);
  // Reserve() has kept room for this frame.
  log_.Append(is_direct ? FrameType::kFileEnd : FrameType::kEnd, record, frames.kept() ? "\1" : "",
              deadline, true);
  if (is_direct) ++direct_put_;
  if (!frames.kept()) return AfterRefusal(meta, pass, true);
  ++counters_.payloads;
  counters_.payload_bytes += meta.bytes;
  return {};
}

Status Session::KeepInLog(const RecordMeta& meta, TensorPass& pass) {
  Status status = PutFrames(meta, pass, false);
  if (!status.ok()) return status;
  ++in_segment_;
  segment_bytes_ += meta.bytes;
  return {};
}

Status Session::KeepDirect(const RecordMeta& meta, TensorPass& pass) {
  Status status = PutFrames(meta, pass, true);
  if (status.ok()) progress_.taken.insert(direct_.PathOf(meta));
  return status;
}

/// Learns what the writer has made of the records that were to go to their files.
void Session::CollectDirect() {
  DirectFiles::Outcome outcome = direct_.Collect();
  counters_.files += outcome.files;
  counters_.full += outcome.lost_records;
  counters_.payloads -= outcome.lost_records;
  counters_.lost_bytes += outcome.lost_bytes;
  NoteError(outcome.first_error);
  if (direct_error_.ok()) direct_error_ = std::move(outcome.first_error);
  for (const DirectFiles::Stayed& record : outcome.stayed) {
    progress_.taken.erase(record.path);
    ++in_segment_;
    segment_bytes_ += record.bytes;
  }
}

Status Session::AppendText(FrameType type, std::string_view payload) {
  const std::lock_guard lock(mutex_);
  // In the log, and in its file.
  const uint64_t needed =
      2 * FrameBytes(payload.size()) + (type == FrameType::kTextBegin ? kDiskBlock : 0);
  const bool has_room = !log_.failed() && (Spend(needed, text_budget_) ||
                                           (MakeRoom() && Spend(needed, text_budget_)));
  if (log_.failed() || !has_room || !log_.Append(type, 0, payload, Deadline())) {
    ++counters_.texts_lost;
    if (!has_room && !log_.failed() && counters_.error == 0) counters_.error = ENOSPC;
    if (log_.failed() || !has_room) return NotKept("a text");
    if (!log_.Holds(payload.size())) {
      return {TRANSPLT_DROPPED, layout_.root + ": a text of " + std::to_string(payload.size()) +
                                    " bytes is not kept; it needs a larger ring_bytes"};
    }
    GiveUp();
    return {TRANSPLT_DROPPED, layout_.root + ": the writer is too slow: a text is not kept"};
  }
  ++(type == FrameType::kText ? texts_in_segment_ : text_files_);
  return {};
}

Status Session::BeginText(const char* path, const char* prefix, const char* separator,
                          const char* suffix) {
  if (Status status = CheckRelativePath(OrEmpty(path)); !status.ok()) return status;
  ByteWriter out;
  for (const char* text : {path, prefix, separator, suffix}) out.Text(OrEmpty(text));
  return AppendText(FrameType::kTextBegin, out.bytes());
}

Status Session::AddText(const char* path, std::string_view text) {
  ByteWriter out;
  out.Text(OrEmpty(path));
  out.Text(text);
  return AppendText(FrameType::kText, out.bytes());
}

Status Session::Flush() {
  const std::lock_guard lock(mutex_);
  Status status = log_.Flush();
  CollectDirect();
  if (status.ok()) counters_.acknowledged = counters_.payloads;
  return status.ok() ? direct_error_ : status;
}

/// The segment is on the disk and closed, as far as the disk allows.
Status Session::EndSegment(uint64_t step) {
  has_segment_ = false;
  if (!log_.is_open()) return log_.Failure();
  ByteWriter number;
  number.Number(step);
  // The end of a step waits for the disk in any case.
  log_.Append(FrameType::kStep, 0, number.bytes(), SegmentLog::Never());
  Status status = log_.CloseFile(options_.power_loss_safe != 0);
  CollectDirect();
  if (status.ok()) counters_.acknowledged = counters_.payloads;
  NoteError(status);
  return status;
}

/// Of the records that were committed to the segment, those that its file does not hold.
uint64_t Session::CountWhatIsTorn(const SegmentReader& segment) {
  uint64_t texts = 0;
  for (const StoredText& text : segment.texts()) texts += text.items.size();
  uint64_t bytes = 0;
  for (const StoredRecord& record : segment.records()) bytes += record.meta.bytes;
  const uint64_t torn = in_segment_ - std::min<uint64_t>(in_segment_, segment.records().size());
  counters_.full += torn;
  counters_.payloads -= torn;
  counters_.lost_bytes += segment_bytes_ - std::min(segment_bytes_, bytes);
  counters_.texts_lost += texts_in_segment_ - std::min(texts_in_segment_, texts);
  return torn;
}

/// Where nobody can tell what the file holds.
void Session::CountUnreadSegment(bool is_whole) {
  const uint64_t unsure =
      is_whole ? 0 : std::min(in_segment_, counters_.payloads - counters_.acknowledged);
  counters_.full += unsure;
  counters_.payloads -= unsure;
  counters_.lost_in_files += in_segment_ - unsure;
  counters_.lost_bytes += segment_bytes_;
  counters_.texts_lost += texts_in_segment_;
}

Status Session::ExportSegment(uint64_t step) {
  // What was put meanwhile is counted already.
  if (!has_segment_) return log_.Failure();
  Status status = EndSegment(step);
  SegmentReader segment;
  if (Status read = segment.Open(segment_path_); !read.ok()) {
    NoteError(read);
    CountUnreadSegment(status.ok());
    return read;
  }
  const uint64_t torn = CountWhatIsTorn(segment);
  const ExportResult result = Export(segment, layout_, step, existing_, &progress_);
  counters_.texts_lost += result.lost_texts;
  counters_.files += result.files;
  counters_.lost_in_files += result.lost_records;
  counters_.lost_bytes += result.lost_bytes;
  NoteError(result.first_error);
  // What has not become a file stays for a recovery.
  if (!result.first_error.ok()) return result.first_error;
  if (Status removed = RemoveSegment(segment); !removed.ok()) {
    NoteError(removed);
    return removed;
  }
  if (status.ok()) status = first_refusal_.ok() ? result.first_refusal : first_refusal_;
  first_refusal_ = {};
  if (status.ok()) status = std::exchange(direct_error_, {});
  if (status.ok()) status = segment.damage();
  if (torn > 0 && status.ok()) {
    status = {TRANSPLT_IO, segment_path_ + ": " + std::to_string(torn) + " records are torn"};
  }
  return status;
}

/// Once its files are as safe as it is.
Status Session::RemoveSegment(const SegmentReader& segment) {
  if (options_.power_loss_safe != 0) {
    if (Status status = SyncFileSystem(layout_.root); !status.ok()) return status;
  }
  if (!segment.damage().ok()) return SetAside(segment_path_);
  return ::unlink(segment_path_.c_str()) == 0 ? Status{} : IoError(segment_path_, errno);
}

Status Session::Step(uint64_t step) {
  const std::lock_guard lock(mutex_);
  Status status = ExportSegment(step);
  layout_.next_step = step + 1;
  Status opened = OpenSegment();
  return status.ok() ? opened : status;
}

Status Session::WriteCounters() {
  const transplt_counters& c = counters_;
  std::string text = "{\n";
  const auto add = [&text](const char* name, uint64_t value, const char* end) {
    text += std::string("  \"") + name + "\": " + std::to_string(value) + end;
  };
  add("records", c.records, ",\n");
  add("payloads", c.payloads, ",\n");
  add("stats_only", c.stats_only, ",\n");
  add("dropped", c.dropped, ",\n");
  add("full", c.full, ",\n");
  add("lost_in_files", c.lost_in_files, ",\n");
  add("texts_lost", c.texts_lost, ",\n");
  add("payload_bytes", c.payload_bytes, ",\n");
  add("lost_bytes", c.lost_bytes, ",\n");
  add("error", c.error, ",\n");
  add("files", c.files, "\n}\n");
  OutputFile file;
  Status status = file.Create(
      layout_.root + "/transplt_capture" +
      (layout_.device_id == 0 ? "" : "." + std::to_string(layout_.device_id)) + ".json");
  if (status.ok()) status = file.Write(text);
  return status.ok() ? file.Finish() : status;
}

Status Session::Close() {
  const std::lock_guard lock(mutex_);
  Status status = ExportSegment(layout_.next_step);
  Status written = WriteCounters();
  folder_.Close();
  return status.ok() ? written : status;
}

transplt_counters Session::counters() {
  const std::lock_guard lock(mutex_);
  return counters_;
}

}  // namespace transplt::capture
