// SPDX-License-Identifier: Apache-2.0
#include "runtime/src/payload_frames.h"

#include <algorithm>

namespace transplt::capture {

bool PayloadFrames::HasFrame() {
  if (kept_ && left_in_frame_ == 0) {
    left_in_frame_ = std::min<uint64_t>(kDataFrame, left_);
    left_ -= left_in_frame_;
    kept_ = log_.Reserve(static_cast<uint32_t>(left_in_frame_), deadline_);
  }
  return kept_;
}

void PayloadFrames::Count(size_t size) {
  left_in_frame_ -= size;
  if (left_in_frame_ == 0) log_.Commit(type_, record_);
}

bool PayloadFrames::Take(std::string_view bytes) {
  if (!HasFrame()) return goes_on_;
  log_.Fill(bytes);
  Count(bytes.size());
  return true;
}

char* PayloadFrames::Room(size_t size) { return HasFrame() ? log_.Room(size) : nullptr; }

void PayloadFrames::Wrote(size_t size) {
  log_.Filled(size);
  Count(size);
}

}  // namespace transplt::capture
