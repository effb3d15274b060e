// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "runtime/src/block_statistics.h"
#include "runtime/src/tensor_type.h"

namespace transplt::capture {

/// Where the blocks of a payload go.
class BlockSink {
 public:
  BlockSink() = default;
  BlockSink(const BlockSink&) = delete;
  BlockSink& operator=(const BlockSink&) = delete;
  virtual ~BlockSink() = default;

  /// Takes the next bytes; false ends the pass.
  virtual bool Take(std::string_view bytes) = 0;
  /// Where the next `size` bytes can be written to instead, then Wrote() is called; or null.
  virtual char* Room(size_t size) = 0;
  virtual void Wrote(size_t size) = 0;
};

/// Walks once over the elements in C order, in blocks that stay in the cache: statistics, CRC and
/// `sink`, as far as they are wanted. Memory that is not contiguous is gathered block by block.
class TensorPass {
 public:
  TensorPass(const TensorView& view, uint32_t want);

  /// `sink` may be null. False if it ended the pass: then there is no result.
  bool Run(BlockSink* sink);
  /// Into `result`, which is zero but for its struct_size.
  void Report(transplt_statistics& result) const;

 private:
  bool Walk(BlockSink* sink);
  bool Take(const char* data, size_t size, BlockSink* sink);
  bool RunGathered(BlockSink* sink);

  const TensorView& view_;
  uint32_t want_;
  bool has_statistics_;
  bool is_complete_ = false;
  uint32_t crc_ = 0;
  RunningStatistics statistics_;
};

}  // namespace transplt::capture
