// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "runtime/src/block_statistics.h"
#include "runtime/src/tensor_type.h"

namespace transplt::capture {

/// Takes the next bytes of a payload; false ends the pass.
using BlockSink = std::function<bool(const char* data, size_t size)>;

/// Walks once over the elements in C order, in blocks that stay in the cache: statistics, CRC and
/// `sink`, as far as they are wanted. Memory that is not contiguous is gathered block by block.
class TensorPass {
 public:
  TensorPass(const TensorView& view, uint32_t want);

  /// False if the sink ended the pass: then there is no result.
  bool Run(const BlockSink& sink);
  /// Into `result`, which is zero but for its struct_size.
  void Report(transplt_statistics& result) const;

 private:
  bool Walk(const BlockSink& sink);
  bool Take(const char* data, size_t size, const BlockSink& sink);
  bool RunGathered(const BlockSink& sink);

  const TensorView& view_;
  uint32_t want_;
  bool has_statistics_;
  bool is_complete_ = false;
  uint32_t crc_ = 0;
  RunningStatistics statistics_;
};

}  // namespace transplt::capture
