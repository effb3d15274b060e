// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/src/segment_log.h"
#include "runtime/src/tensor_pass.h"

namespace transplt::capture {

/// Takes the blocks of one payload into data frames of the log.
class PayloadFrames : public BlockSink {
 public:
  /// `goes_on`: the pass does, where the log has no room, for the statistics.
  PayloadFrames(SegmentLog& log, FrameType type, uint64_t record, uint64_t bytes,
                SegmentLog::Deadline deadline, bool goes_on)
      : log_(log),
        type_(type),
        record_(record),
        left_(bytes),
        deadline_(deadline),
        goes_on_(goes_on) {}

  bool Take(std::string_view bytes) override;
  char* Room(size_t size) override;
  void Wrote(size_t size) override;

  /// False once a frame has found no room until the deadline.
  bool kept() const { return kept_; }

 private:
  /// Reserves the next frame if none is open.
  bool HasFrame();
  void Count(size_t size);

  SegmentLog& log_;
  FrameType type_;
  uint64_t record_;
  uint64_t left_;  ///< of the payload, frames that are reserved left out
  SegmentLog::Deadline deadline_;
  bool goes_on_;
  bool kept_ = true;
  uint64_t left_in_frame_ = 0;
};

}  // namespace transplt::capture
