// SPDX-License-Identifier: Apache-2.0
#include "runtime/python/native/tensor_of_object.h"

namespace transplt::capture_python {

bool TensorOfObject::Adopt(const ModuleState& state, PyObject* object) {
  const Reference dtype(PyObject_GetAttr(object, state.dtype.get()));
  if (!dtype) return false;
  PyObject* index = PyDict_GetItemWithError(state.type_indices.get(), dtype.get());
  if (index == nullptr) {
    if (PyErr_Occurred() == nullptr) {
      PyErr_Format(PyExc_TypeError, "elements of type %R are not captured", dtype.get());
    }
    return false;
  }
  element_ = &state.types[PyLong_AsSize_t(index)];
  tensor_.struct_size = sizeof tensor_;
  tensor_.type = element_->type;
  tensor_.shape = shape_.data();
  const Reference address(PyObject_CallMethodObjArgs(object, state.data_ptr.get(), nullptr));
  if (address) return AdoptTensor(state, object, address.get());
  if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) return false;
  PyErr_Clear();
  return AdoptArray(object);
}

bool TensorOfObject::ReadSizes(const Reference& sequence, Sizes& sizes, uint32_t& count) {
  if (!sequence) return false;
  // torch.Size is a tuple too.
  const Py_ssize_t size = PyTuple_Check(sequence.get()) != 0 ? PyTuple_Size(sequence.get()) : -1;
  if (size < 0 || size > TRANSPLT_MAX_DIMENSIONS) {
    PyErr_SetString(PyExc_TypeError, "a tuple of at most 64 sizes is expected");
    return false;
  }
  count = static_cast<uint32_t>(size);
  for (uint32_t i = 0; i < count; ++i) {
    sizes[i] = PyLong_AsLongLong(PyTuple_GetItem(sequence.get(), i));
    if (sizes[i] == -1 && PyErr_Occurred() != nullptr) return false;
  }
  return true;
}

bool TensorOfObject::AdoptTensor(const ModuleState& state, PyObject* object, PyObject* address) {
  tensor_.data = PyLong_AsVoidPtr(address);
  if (PyErr_Occurred() != nullptr) return false;
  uint32_t strides = 0;
  tensor_.strides = strides_.data();
  return ReadSizes(Reference(PyObject_GetAttr(object, state.shape.get())), shape_,
                   tensor_.dimensions) &&
         ReadSizes(Reference(PyObject_CallMethodObjArgs(object, state.stride.get(), nullptr)),
                   strides_, strides);
}

bool TensorOfObject::AdoptArray(PyObject* object) {
  const Reference interface(PyObject_GetAttrString(object, "__array_interface__"));
  if (!interface) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%R is neither a tensor nor an array in host memory", object);
    return false;
  }
  const auto item = [&](const char* name) {
    const Reference key(PyUnicode_FromString(name));
    return Reference(key ? PyObject_GetItem(interface.get(), key.get()) : nullptr);
  };
  const Reference data = item("data");
  if (!data) return false;
  PyObject* address = PyTuple_GetItem(data.get(), 0);
  if (address == nullptr) return false;
  tensor_.data = PyLong_AsVoidPtr(address);
  if (PyErr_Occurred() != nullptr || !ReadSizes(item("shape"), shape_, tensor_.dimensions)) {
    return false;
  }
  const Reference strides = item("strides");
  if (!strides) return false;
  if (strides.get() == Py_None) return true;  // in C order
  uint32_t count = 0;
  return ReadSizes(strides, strides_, count) && CountInElements(object);
}

bool TensorOfObject::CountInElements(PyObject* array) {
  const Reference item_size(PyObject_GetAttrString(array, "itemsize"));
  if (!item_size) return false;
  const long long size = PyLong_AsLongLong(item_size.get());
  if (PyErr_Occurred() != nullptr) return false;
  for (uint32_t i = 0; i < tensor_.dimensions; ++i) {
    if (size <= 0 || strides_[i] % size != 0) {
      PyErr_SetString(PyExc_TypeError,
                      "the array's elements are not at multiples of their size: copy it first");
      return false;
    }
    strides_[i] /= size;
  }
  tensor_.strides = strides_.data();
  return true;
}

}  // namespace transplt::capture_python
