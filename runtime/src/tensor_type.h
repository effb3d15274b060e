// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/src/status.h"

namespace transplt::capture {

/// How one type of elements is called in each public format.
struct TypeNames {
  transplt_type type;
  uint8_t size;
  const char* npy;        ///< numpy's descr
  const char* mindspore;  ///< in names of synchronous dumps
  uint8_t ge;             ///< toolkit.dumpdata.OutputDataType, which is not ge::DataType
  int32_t hdf5;           ///< msaccucmp's DataType; -1: it has none
  const char* torch;      ///< the class of its storage; where there is none, the type itself
};

/// Null for a number that is no type.
const TypeNames* NamesOf(transplt_type type);

/// A checked copy of a transplt_tensor.
struct TensorView {
  const char* data = nullptr;
  transplt_type type = TRANSPLT_FLOAT32;
  uint8_t element_size = 0;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  ///< in elements
  uint64_t elements = 1;

  uint64_t bytes() const { return elements * element_size; }
};

Status MakeView(const transplt_tensor* tensor, TensorView* view);

}  // namespace transplt::capture
