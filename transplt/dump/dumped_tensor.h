// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/dump/number_type.h"

namespace transplt {

/// More dimensions than any framework knows.
inline constexpr size_t kMaxRank = 64;

/// What a dump says about the values of a tensor. A number that it does not give is NaN.
struct TensorStatistics {
  double max = 0;
  double min = 0;
  double mean = 0;
  double norm = 0;
};

/// How a device keeps a tensor: in blocks, whose last ones are filled up.
enum class DeviceFormat : uint8_t { kPlain, kNc1hwc0, kFractalZ, kFractalNz };

/// Where element `i` of an axis stands: `(i / block) * outer + (i % block) * inner` elements from
/// the first one.
struct AxisSteps {
  uint64_t block = 1;
  uint64_t outer = 0;
  uint64_t inner = 0;
};

/// Where the values of a tensor stand on disk, and how.
struct TensorPlace {
  std::string file;              ///< empty: the dump holds no values of this tensor
  uint64_t offset = 0;           ///< of the first value
  uint64_t bytes = 0;            ///< of all values
  bool column_major = false;     ///< the first index varies fastest
  std::vector<AxisSteps> steps;  ///< of each axis, if the values stand in blocks; else empty
  bool big_endian = false;
  std::string dataset;  ///< of a HDF5 file whose values are not one piece of it, else empty
};

/// The output of an operator of the framework that fusion has made part of another.
struct OriginalOutput {
  std::string op;  ///< empty: the dump does not say
  uint64_t index = 0;
};

/// One tensor of a dump: name, form, and where its values are.
struct DumpedTensor {
  std::string folder;  ///< of the dump, "" or "step0/rank0": tensors of others are not compared
  std::string name;    ///< "Conv2D.conv1.3.12.output.0"
  NumberType type = NumberType::kOther;
  std::string type_name;  ///< as the dump spells it, if NumberType has no name for it
  std::vector<uint64_t> shape;
  DeviceFormat format = DeviceFormat::kPlain;  ///< of `shape`
  TensorPlace place;
  std::optional<TensorStatistics> statistics;
  std::string checksum;  ///< "md5" of msprobe, or ""
  std::optional<bool> requires_grad;
  OriginalOutput original;  ///< of an output in a dump of GE
};

/// An argument of an operation that is no tensor: a number, a text, None, a slice.
struct DumpedArgument {
  std::string folder;  ///< as that of a tensor
  std::string name;    ///< "Functional.softmax.0.forward.input.dim"
  std::string type;    ///< as msprobe calls it: "<class 'int'>", "torch.Size", "None"
  std::string shape;   ///< the same: "[]", "(3,)" of a slice
  std::string value;   ///< as Python writes it
  bool is_device = false;
};

/// Elements of the tensor; the largest number if it has more than 2^63.
uint64_t ElementsOf(const std::vector<uint64_t>& shape);

/// "(2, 3)", as Python writes it.
std::string ShapeText(const std::vector<uint64_t>& shape);

}  // namespace transplt
