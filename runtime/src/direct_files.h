// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/src/exporter.h"
#include "runtime/src/record_meta.h"
#include "runtime/src/segment_log.h"
#include "runtime/src/tensor_file.h"

namespace transplt::capture {

/// Writes tensors once, from the ring to their files, in the thread that writes the log.
class DirectFiles : public DirectRecords {
 public:
  /// A record that was to have a file, and is in the log.
  struct Stayed {
    std::string path;  ///< of the file
    uint64_t bytes = 0;
  };
  /// What has become of records since it was last asked for.
  struct Outcome {
    uint64_t files = 0;
    uint64_t lost_records = 0;
    uint64_t lost_bytes = 0;
    Status first_error;
    std::vector<Stayed> stayed;
  };

  /// Before the first record.
  void SetPlace(const std::string& root, transplt_format format, Existing existing);
  std::string PathOf(const RecordMeta& meta) const;

  bool Begin(std::string_view meta) override;
  void Take(std::string_view piece) override;
  void End(bool is_complete) override;

  Outcome Collect();
  /// Records that have ended, ever.
  uint64_t ended() const { return ended_.load(std::memory_order_relaxed); }

 private:
  /// False if something is there that the file must not replace: the end of the step tells of it.
  bool IsFree(const std::string& path) const;

  std::string root_;
  transplt_format format_ = TRANSPLT_FORMAT_NONE;
  Existing existing_ = Existing::kKeep;
  // The record that has begun.
  RecordMeta meta_;
  std::optional<TensorFile> file_;
  std::atomic<uint64_t> ended_{0};
  std::mutex mutex_;
  Outcome outcome_;
};

}  // namespace transplt::capture
