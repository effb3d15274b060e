// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "runtime/src/direct_files.h"
#include "runtime/src/exporter.h"
#include "runtime/src/own_process.h"
#include "runtime/src/run_folder.h"
#include "runtime/src/segment_copy.h"
#include "runtime/src/segment_log.h"
#include "runtime/src/tensor_pass.h"

namespace transplt::capture {

/// What may still be written before the disk is looked at again, and what has to stay free.
struct Budget {
  uint64_t floor = 0;
  uint64_t left = 0;
};

/// What a handle of the C interface stands for.
class Session {
 public:
  static Status Open(const transplt_options& options, std::unique_ptr<Session>* session);
  /// Why Open() would refuse the options, whatever the disk does. Makes nothing.
  static Status Check(const transplt_options& options);

  Status Put(const transplt_record& record, transplt_statistics* result);
  Status BeginText(const char* path, const char* prefix, const char* separator, const char* suffix);
  Status AddText(const char* path, std::string_view text);
  Status Flush();
  Status Step(uint64_t step);
  Status Close();
  transplt_counters counters();
  /// False in a process that was forked from the one that opened the session.
  bool is_alive() const { return process_.is_here(); }

 private:
  explicit Session(const transplt_options& options);
  static Status CheckOptions(const transplt_options& options);
  Status Begin();

  /// kDirect: by the writer into its file; kFile: at once into its file.
  enum class Place { kNowhere, kLog, kDirect, kFile };

  Status OpenSegment();
  Place PlaceFor(const RecordMeta& meta);
  bool WaitForFiles();
  bool MayGoDirect(const RecordMeta& meta) const;
  bool Spend(uint64_t bytes, Budget& budget);
  bool MakeRoom();
  bool ExportTensorsOfSegment(SegmentEnd* end);
  Status PutPayload(const RecordMeta& meta, TensorPass& pass);
  Status KeepInLog(const RecordMeta& meta, TensorPass& pass);
  Status KeepDirect(const RecordMeta& meta, TensorPass& pass);
  Status PutFrames(const RecordMeta& meta, TensorPass& pass, bool is_direct);
  void CollectDirect();
  Status KeepInFile(const RecordMeta& meta, TensorPass& pass);
  Status Refused(const RecordMeta& meta, Status status);
  Status AfterRefusal(const RecordMeta& meta, TensorPass& pass, bool pass_has_run);
  Status NotKept(const std::string& what);
  void NoteError(const Status& status);
  Status AppendText(FrameType type, std::string_view payload);
  Status ExportSegment(uint64_t step);
  Status EndSegment(uint64_t step);
  uint64_t CountWhatIsTorn(const SegmentReader& segment);
  void CountUnreadSegment(bool is_whole);
  Status RemoveSegment(const SegmentReader& segment);
  Status WriteCounters();
  SegmentLog::Deadline Deadline() const;
  void GiveUp();

  transplt_options options_;
  Layout layout_;
  Existing existing_;
  RunFolder folder_;
  std::string segment_path_;
  std::mutex mutex_;  ///< producers come one at a time
  DirectFiles direct_;
  SegmentLog log_;
  transplt_counters counters_{};
  uint64_t next_record_ = 1;
  bool has_segment_ = false;
  uint64_t in_segment_ = 0;     ///< payloads that were committed to the open segment
  uint64_t segment_bytes_ = 0;  ///< of their elements
  uint64_t texts_in_segment_ = 0;
  uint64_t text_files_ = 0;  ///< that were begun, perhaps more than once
  uint64_t direct_put_ = 0;  ///< records that were to go to their files, ever
  Status direct_error_;      ///< why one of the step's has no file
  ExportProgress progress_;  ///< of the step
  Status first_refusal_;     ///< of the step's tensors that were to have files before its end
  Budget payload_budget_;
  Budget text_budget_;
  bool has_given_up_ = false;  ///< waiting for the writer, until it has gone on from written_then_
  uint64_t written_then_ = 0;
  OwnProcess process_;
};

}  // namespace transplt::capture
