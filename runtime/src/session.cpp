// SPDX-License-Identifier: Apache-2.0
#include "runtime/src/session.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>

#include "runtime/src/byte_string.h"
#include "runtime/src/payload_frames.h"
#include "runtime/src/recover.h"

namespace transplt::capture {
namespace {

constexpr uint64_t kDefaultRing = uint64_t{64} << 20;
constexpr uint64_t kDefaultFree = uint64_t{16} << 20;
constexpr uint32_t kDefaultBlock = 30000;

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
  if (format == TRANSPLT_FORMAT_NPY) return CheckRelativePath(name);
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
  if (options.min_free_bytes == 0) options.min_free_bytes = kDefaultFree;
  if (options.block_milliseconds == 0) options.block_milliseconds = kDefaultBlock;
  return options;
}

}  // namespace

Session::Session(const transplt_options& options)
    : options_(WithDefaults(options)),
      existing_(options.allow_existing != 0 ? Existing::kReplace : Existing::kKeep),
      // What need not be on the disk at once is read back from the page cache at step(), and often
      // is deleted before the disk has seen it.
      log_(options_.ring_bytes, options_.power_loss_safe != 0 && options_.buffered_io == 0) {
  layout_.format = options.format;
  layout_.model_name = OrEmpty(options.model_name);
  layout_.net_name = OrEmpty(options.net_name);
  layout_.time_folder = options.time_folder == nullptr ? TimeNow() : options.time_folder;
  layout_.hdf5_file = options.hdf5_file == nullptr ? "capture.h5" : options.hdf5_file;
  layout_.device_id = options.device_id;
  layout_.model_id = options.model_id;
  layout_.hdf5_device = options.hdf5_device;
}

Status Session::Open(const transplt_options& options, std::unique_ptr<Session>* session) {
  if (options.root == nullptr || *options.root == '\0') return Invalid("options: root is empty");
  if (options.format > TRANSPLT_FORMAT_NONE) {
    return {TRANSPLT_UNSUPPORTED,
            "options: format " + std::to_string(options.format) + " is not known"};
  }
  if (options.back_pressure > TRANSPLT_DROP) return Invalid("options: back_pressure is not known");
  if (options.format == TRANSPLT_FORMAT_HDF5) {
    if (Status status = CheckHdf5(); !status.ok()) return status;
  }
  std::unique_ptr<Session> made(new Session(options));
  if (Status status = CheckLayout(made->layout_); !status.ok()) return status;
  if (Status status =
          made->folder_.Open(options.root, options.device_id, options.allow_existing != 0);
      !status.ok()) {
    return status;
  }
  made->layout_.root = made->folder_.root();
  made->options_.root = nullptr;  // the caller's memory
  if (Status status = made->OpenSegment(); !status.ok()) return status;
  if (options.power_loss_safe != 0) {
    if (Status status = SyncFileSystem(made->layout_.root); !status.ok()) return status;
  }
  *session = std::move(made);
  return {};
}

Status Session::OpenSegment() {
  segment_path_ = folder_.NewSegmentPath();
  in_segment_ = 0;
  texts_in_segment_ = 0;
  until_next_look_ = 0;
  if (Status status = log_.Open(segment_path_); !status.ok()) return status;
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

/// The public files need as much room again as the segment, and whole blocks.
bool Session::MayKeepPayload(uint64_t bytes) {
  if (log_.failed()) return false;
  if (options_.max_payload_bytes != 0 &&
      counters_.payload_bytes + bytes > options_.max_payload_bytes) {
    return false;
  }
  if (bytes >= until_next_look_) {
    free_bytes_ = folder_.FreeBytes();
    // What the ring holds is not yet on the disk, neither there nor in a file.
    const uint64_t needed = options_.min_free_bytes + log_.bytes() + log_.pending() +
                            (in_segment_ + 1) * kDiskBlock + 2 * bytes;
    if (free_bytes_ < needed) return false;
    until_next_look_ = bytes + std::min<uint64_t>(free_bytes_ - needed, uint64_t{64} << 20) / 4;
  }
  until_next_look_ -= bytes;
  return true;
}

Status Session::NotKept(const std::string& what) const {
  return {TRANSPLT_FULL, layout_.root + ": " + what + " is not kept: " +
                             (log_.failed() ? log_.Failure().message : "disk or quota is full")};
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
    } else if (!MayKeepPayload(view.bytes())) {
      ++counters_.full;
      pass.Run(nullptr);
      status = NotKept("the tensor");
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
      status = KeepPayload(meta, pass);
    }
  }
  if (result != nullptr) pass.Report(*result);
  return status;
}

Status Session::AfterRefusal(TensorPass& pass, bool pass_has_run) {
  GiveUp();
  if (options_.back_pressure == TRANSPLT_DROP) {
    ++counters_.dropped;
    return {TRANSPLT_DROPPED, "the writer is too slow: the record is dropped"};
  }
  ++counters_.stats_only;
  if (!pass_has_run) pass.Run(nullptr);
  return {TRANSPLT_STATS_ONLY, "the writer is too slow: the tensor is not kept"};
}

Status Session::KeepPayload(const RecordMeta& meta, TensorPass& pass) {
  const SegmentLog::Deadline deadline = Deadline();
  const uint64_t record = next_record_++;
  if (!log_.Append(FrameType::kBegin, record, meta.Serialise(), deadline)) {
    return AfterRefusal(pass, false);
  }
  PayloadFrames frames(log_, record, meta.bytes, deadline, options_.back_pressure != TRANSPLT_DROP);
  pass.Run(&frames);
  // Reserve() has kept room for this frame.
  log_.Append(FrameType::kEnd, record, frames.kept() ? "\1" : "", deadline, true);
  if (!frames.kept()) return AfterRefusal(pass, true);
  ++counters_.payloads;
  ++in_segment_;
  counters_.payload_bytes += meta.bytes;
  return {};
}

Status Session::AppendText(FrameType type, std::string_view payload) {
  const std::lock_guard lock(mutex_);
  if (log_.failed() || !log_.Append(type, 0, payload, Deadline())) {
    ++counters_.texts_lost;
    if (log_.failed()) return NotKept("a text");
    if (!log_.Holds(payload.size())) {
      return {TRANSPLT_DROPPED, layout_.root + ": a text of " + std::to_string(payload.size()) +
                                    " bytes is not kept; it needs a larger ring_bytes"};
    }
    GiveUp();
    return {TRANSPLT_DROPPED, layout_.root + ": the writer is too slow: a text is not kept"};
  }
  if (type == FrameType::kText) ++texts_in_segment_;
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
  if (status.ok()) counters_.acknowledged = counters_.payloads;
  return status;
}

Status Session::ExportSegment(uint64_t step) {
  // What was put meanwhile is counted already.
  if (!log_.is_open()) return log_.Failure();
  ByteWriter number;
  number.Number(step);
  // The end of a step waits for the disk in any case.
  log_.Append(FrameType::kStep, 0, number.bytes(), SegmentLog::Never());
  Status status = log_.CloseFile(options_.power_loss_safe != 0);
  if (status.ok()) counters_.acknowledged = counters_.payloads;
  SegmentReader segment;
  if (Status read = segment.Open(segment_path_); !read.ok()) {
    counters_.lost_in_files += in_segment_;
    counters_.texts_lost += texts_in_segment_;
    return read;
  }
  uint64_t texts = 0;
  for (const StoredText& text : segment.texts()) texts += text.items.size();
  const uint64_t torn = in_segment_ - std::min<uint64_t>(in_segment_, segment.records().size());
  const ExportResult result = Export(segment, layout_, step, existing_);
  counters_.full += torn;
  counters_.payloads -= torn;
  counters_.texts_lost += texts_in_segment_ - std::min(texts_in_segment_, texts);
  counters_.texts_lost += result.lost_texts;
  counters_.files += result.files;
  counters_.lost_in_files += result.lost_records;
  // What has not become a file stays for a recovery.
  if (!result.first_error.ok()) return result.first_error;
  if (Status removed = RemoveSegment(segment); !removed.ok()) return removed;
  if (status.ok()) status = result.first_refusal;
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
