// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "runtime/python/native/native.h"

namespace transplt::capture_python {

/// A transplt_tensor over the memory of a Python object, which has to stay alive: what has
/// data_ptr(), shape and stride() as tensors of torch do, or numpy's __array_interface__.
class TensorOfObject {
 public:
  TensorOfObject() = default;
  TensorOfObject(const TensorOfObject&) = delete;
  TensorOfObject& operator=(const TensorOfObject&) = delete;

  /// False with a Python error.
  bool Adopt(const ModuleState& state, PyObject* object);

  const ElementType& element() const { return *element_; }
  const transplt_tensor& tensor() const { return tensor_; }

 private:
  using Sizes = std::array<int64_t, TRANSPLT_MAX_DIMENSIONS>;

  static bool ReadSizes(const Reference& sequence, Sizes& sizes, uint32_t& count);
  bool AdoptTensor(const ModuleState& state, PyObject* object, PyObject* address);
  bool AdoptArray(PyObject* object);
  bool CountInElements(PyObject* array);

  transplt_tensor tensor_{};
  const ElementType* element_ = nullptr;
  Sizes shape_{};
  Sizes strides_{};
};

}  // namespace transplt::capture_python
