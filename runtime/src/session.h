// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "runtime/src/exporter.h"
#include "runtime/src/own_process.h"
#include "runtime/src/run_folder.h"
#include "runtime/src/segment_log.h"
#include "runtime/src/tensor_pass.h"

namespace transplt::capture {

/// What a handle of the C interface stands for.
class Session {
 public:
  static Status Open(const transplt_options& options, std::unique_ptr<Session>* session);

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

  Status OpenSegment();
  bool MayKeepPayload(uint64_t bytes);
  Status KeepPayload(const RecordMeta& meta, TensorPass& pass);
  Status AfterRefusal(TensorPass& pass, bool pass_has_run);
  Status NotKept(const std::string& what) const;
  Status AppendText(FrameType type, std::string_view payload);
  Status ExportSegment(uint64_t step);
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
  SegmentLog log_;
  transplt_counters counters_{};
  uint64_t next_record_ = 1;
  uint64_t in_segment_ = 0;  ///< payloads that were committed to the open segment
  uint64_t texts_in_segment_ = 0;
  uint64_t free_bytes_ = 0;       ///< when last looked
  uint64_t until_next_look_ = 0;  ///< payload bytes until the disk is looked at again
  bool has_given_up_ = false;  ///< waiting for the writer, until it has gone on from written_then_
  uint64_t written_then_ = 0;
  OwnProcess process_;
};

}  // namespace transplt::capture
