// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "transplt/dump/byte_source.h"
#include "transplt/dump/dumped_tensor.h"

namespace transplt {

/// Reads the values of a dumped tensor in pieces, in the order of their indices. Complex numbers
/// count as two. Not for use by two threads.
class TensorValues {
 public:
  /// Opens the file. Fails if the values cannot be read, or are no numbers.
  static Result<TensorValues> Open(const DumpedTensor& tensor);

  uint64_t count() const { return count_; }
  /// True if float32 holds every value exactly.
  bool fits_float() const { return fits_float_; }

  /// Reads `count` values from `start` on. A pointer is to `count` values; it stays good until the
  /// next call. Null if the file ends early or cannot be read. Floats() only if fits_float().
  const float* Floats(uint64_t start, size_t count);
  const double* Doubles(uint64_t start, size_t count);
  /// The same as bytes of the tensor's own type, little endian, `width()` for each value.
  const char* Raw(uint64_t start, size_t count);
  size_t width() const { return width_; }

 private:
  TensorValues() = default;
  Result<Done> OpenPlace(const DumpedTensor& tensor);
  Result<Done> TurnToRowMajor(const DumpedTensor& tensor, const std::vector<AxisSteps>& steps);

  NumberType type_ = NumberType::kOther;
  size_t width_ = 0;
  uint64_t count_ = 0;
  uint64_t offset_ = 0;
  bool fits_float_ = false;
  bool big_endian_ = false;
  std::unique_ptr<ByteSource> source_;
  std::string whole_;  // values that could not be read in pieces
  std::vector<char> raw_;
  std::vector<float> floats_;
  std::vector<double> doubles_;
};

}  // namespace transplt
