// SPDX-License-Identifier: Apache-2.0
#include "runtime/src/tensor_type.h"

#include <array>
#include <cerrno>
#include <cstring>

namespace transplt::capture {
namespace {

// numpy has no bfloat16: its bits are kept as 16-bit integers, and msaccucmp's HDF5 has no code
// for it either (the writer widens it to float).
constexpr std::array kTypes = {
    TypeNames{TRANSPLT_FLOAT32, 4, "<f4", "Float32", 1, 1, "FloatStorage"},
    TypeNames{TRANSPLT_FLOAT16, 2, "<f2", "Float16", 2, 10, "HalfStorage"},
    TypeNames{TRANSPLT_BFLOAT16, 2, "<u2", "BFloat16", 27, -1, "BFloat16Storage"},
    TypeNames{TRANSPLT_FLOAT64, 8, "<f8", "Float64", 12, 11, "DoubleStorage"},
    TypeNames{TRANSPLT_INT8, 1, "|i1", "Int8", 3, 3, "CharStorage"},
    TypeNames{TRANSPLT_INT16, 2, "<i2", "Int16", 5, 5, "ShortStorage"},
    TypeNames{TRANSPLT_INT32, 4, "<i4", "Int32", 7, 6, "IntStorage"},
    TypeNames{TRANSPLT_INT64, 8, "<i8", "Int64", 8, 7, "LongStorage"},
    TypeNames{TRANSPLT_UINT8, 1, "|u1", "UInt8", 4, 2, "ByteStorage"},
    TypeNames{TRANSPLT_UINT16, 2, "<u2", "UInt16", 6, -1, "uint16"},
    TypeNames{TRANSPLT_UINT32, 4, "<u4", "UInt32", 9, -1, "uint32"},
    TypeNames{TRANSPLT_UINT64, 8, "<u8", "UInt64", 10, -1, "uint64"},
    TypeNames{TRANSPLT_BOOL, 1, "|b1", "Bool", 11, 9, "BoolStorage"},
    TypeNames{TRANSPLT_COMPLEX64, 8, "<c8", "Complex64", 16, -1, "ComplexFloatStorage"},
    TypeNames{TRANSPLT_COMPLEX128, 16, "<c16", "Complex128", 17, -1, "ComplexDoubleStorage"},
};

}  // namespace

Status IoError(const std::string& what, int number) {
  const bool is_full = number == ENOSPC || number == EDQUOT || number == EFBIG;
  return {is_full ? TRANSPLT_FULL : TRANSPLT_IO, what + ": " + std::strerror(number), number};
}

const TypeNames* NamesOf(transplt_type type) {
  for (const TypeNames& names : kTypes) {
    if (names.type == type) return &names;
  }
  return nullptr;
}

Status MakeView(const transplt_tensor* tensor, TensorView* view) {
  if (tensor == nullptr || tensor->struct_size < sizeof(transplt_tensor)) {
    return Invalid("tensor: struct_size is not that of transplt_tensor");
  }
  const TypeNames* names = NamesOf(tensor->type);
  if (names == nullptr) {
    return {TRANSPLT_UNSUPPORTED, "tensor: type " + std::to_string(tensor->type) + " is not known"};
  }
  if (tensor->dimensions > TRANSPLT_MAX_DIMENSIONS) {
    return Invalid("tensor: more than " + std::to_string(TRANSPLT_MAX_DIMENSIONS) + " dimensions");
  }
  if (tensor->dimensions > 0 && tensor->shape == nullptr) return Invalid("tensor: shape is null");
  view->data = static_cast<const char*>(tensor->data);
  view->type = tensor->type;
  view->element_size = names->size;
  view->shape.assign(tensor->shape, tensor->shape + tensor->dimensions);
  view->strides.assign(tensor->dimensions, 0);
  view->elements = 1;
  for (uint32_t i = tensor->dimensions; i-- > 0;) {
    if (view->shape[i] < 0) return Invalid("tensor: a dimension is negative");
    view->strides[i] = static_cast<int64_t>(view->elements);
    if (tensor->strides != nullptr) view->strides[i] = tensor->strides[i];
    uint64_t bytes = 0;
    if (__builtin_mul_overflow(view->elements, static_cast<uint64_t>(view->shape[i]),
                               &view->elements) ||
        __builtin_mul_overflow(view->elements, uint64_t{names->size}, &bytes)) {
      return Invalid("tensor: more elements than can be addressed");
    }
  }
  if (view->elements > 0 && view->data == nullptr) return Invalid("tensor: data is null");
  return {};
}

}  // namespace transplt::capture
