// SPDX-License-Identifier: Apache-2.0
#include "runtime/src/tensor_pass.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>

namespace transplt::capture {
namespace {

bool IsContiguous(const TensorView& view) {
  int64_t expected = 1;
  for (size_t i = view.shape.size(); i-- > 0;) {
    if (view.shape[i] == 1) continue;
    if (view.strides[i] != expected) return false;
    expected *= view.shape[i];
  }
  return true;
}

/// True if the elements fill a range of memory in some order (a transposed tensor, NHWC).
bool IsDense(const TensorView& view) {
  std::vector<size_t> axes(view.shape.size());
  std::iota(axes.begin(), axes.end(), size_t{0});
  std::sort(axes.begin(), axes.end(),
            [&](size_t a, size_t b) { return view.strides[a] < view.strides[b]; });
  int64_t expected = 1;
  for (size_t axis : axes) {
    if (view.shape[axis] == 1) continue;
    if (view.strides[axis] != expected) return false;
    expected *= view.shape[axis];
  }
  return true;
}

template <size_t kSize>
void GatherRow(char* to, const char* from, int64_t stride, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(to + i * kSize, from + static_cast<int64_t>(i) * stride, kSize);
  }
}

void Gather(char* to, const char* from, int64_t stride, size_t count, size_t size) {
  switch (size) {
    case 1:
      return GatherRow<1>(to, from, stride, count);
    case 2:
      return GatherRow<2>(to, from, stride, count);
    case 4:
      return GatherRow<4>(to, from, stride, count);
    case 8:
      return GatherRow<8>(to, from, stride, count);
    default:
      return GatherRow<16>(to, from, stride, count);
  }
}

}  // namespace

TensorPass::TensorPass(const TensorView& view, uint32_t want)
    : view_(view),
      want_(want),
      has_statistics_((want & TRANSPLT_WANT_STATISTICS) != 0 && view.type != TRANSPLT_COMPLEX64 &&
                      view.type != TRANSPLT_COMPLEX128) {}

bool TensorPass::Take(const char* data, size_t size, BlockSink* sink) {
  char* room = sink != nullptr && has_statistics_ ? sink->Room(size) : nullptr;
  const size_t count = size / view_.element_size;
  if (room != nullptr) {
    AddAndCopyBlock(data, count, view_.type, statistics_, room);
    sink->Wrote(size);
  } else if (has_statistics_) {
    AddBlock(data, count, view_.type, statistics_);
  }
  if ((want_ & TRANSPLT_WANT_CRC) != 0) crc_ = Crc32(crc_, data, size);
  return sink == nullptr || room != nullptr || sink->Take({data, size});
}

bool TensorPass::Run(BlockSink* sink) {
  is_complete_ = Walk(sink);
  return is_complete_;
}

bool TensorPass::Walk(BlockSink* sink) {
  if (view_.elements == 0) return true;
  // Statistics alone do not depend on the order of the elements.
  const bool any_order = sink == nullptr && (want_ & TRANSPLT_WANT_CRC) == 0;
  if (!IsContiguous(view_) && !(any_order && IsDense(view_))) return RunGathered(sink);
  const uint64_t bytes = view_.bytes();
  for (uint64_t at = 0; at < bytes; at += kBlockBytes) {
    if (!Take(view_.data + at, std::min<uint64_t>(kBlockBytes, bytes - at), sink)) return false;
  }
  return true;
}

bool TensorPass::RunGathered(BlockSink* sink) {
  alignas(64) std::array<char, kBlockBytes> block;
  const size_t size = view_.element_size;
  const size_t last = view_.shape.size() - 1;
  const int64_t stride = view_.strides[last] * static_cast<int64_t>(size);
  std::vector<int64_t> index(view_.shape.size(), 0);
  size_t filled = 0;
  for (uint64_t left = view_.elements; left > 0;) {
    int64_t offset = 0;
    for (size_t i = 0; i <= last; ++i) offset += index[i] * view_.strides[i];
    const size_t count = std::min<size_t>((block.size() - filled) / size,
                                          static_cast<size_t>(view_.shape[last] - index[last]));
    Gather(block.data() + filled, view_.data + offset * static_cast<int64_t>(size), stride, count,
           size);
    filled += count * size;
    left -= count;
    index[last] += static_cast<int64_t>(count);
    for (size_t i = last; i > 0 && index[i] == view_.shape[i]; --i) {
      index[i] = 0;
      ++index[i - 1];
    }
    if (filled == block.size() || left == 0) {
      if (!Take(block.data(), filled, sink)) return false;
      filled = 0;
    }
  }
  return true;
}

void TensorPass::Report(transplt_statistics& result) const {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  result.elements = view_.elements;
  result.bytes = view_.bytes();
  result.minimum = result.maximum = result.mean = result.l2 = nan;
  // Of a tensor that was seen in part, nothing is known.
  if (!is_complete_) return;
  result.crc32 = crc_;
  result.has_statistics = has_statistics_ ? 1 : 0;
  result.nan_count = statistics_.nan_count;
  result.positive_infinities = statistics_.positive_infinities;
  result.negative_infinities = statistics_.negative_infinities;
  if (!has_statistics_ || view_.elements == 0 || statistics_.nan_count > 0) return;
  result.minimum = statistics_.minimum;
  result.maximum = statistics_.maximum;
  result.mean = static_cast<double>(statistics_.sum / static_cast<long double>(view_.elements));
  result.l2 = static_cast<double>(std::sqrt(statistics_.squares));
}

}  // namespace transplt::capture
