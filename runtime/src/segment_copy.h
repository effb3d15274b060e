// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "runtime/src/segment_reader.h"

namespace transplt::capture {

/// Where the frames of a segment end.
struct SegmentEnd {
  uint64_t bytes = 0;
  uint64_t frames = 0;
};

/// Puts a copy of `segment` that has its texts and no records in the place of the file at `path`,
/// which keeps its name at every moment. If that fails, the file is as it was.
Status ReplaceByTexts(const SegmentReader& segment, const std::string& path, SegmentEnd* end);

}  // namespace transplt::capture
