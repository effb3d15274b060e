// SPDX-License-Identifier: Apache-2.0
// Between the capture library and its plugin for HDF5, which is loaded on first use so that the
// library itself runs where no libhdf5 is installed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/include/transplt/capture.h"

extern "C" {

struct TranspltHdf5Tensor {
  const char* path;  ///< /{operator}/{order}/{input|output}/{parameter}
  transplt_type type;
  uint32_t dimensions;
  const int64_t* shape;
  const void* data;
  uint32_t element_size;
  int32_t data_type;    ///< msaccucmp's number
  int32_t device_type;  ///< 0 CPU, 1 GPU, 10 NPU
};

/// Fills `tensor`; 0 ends the file. The memory stays valid until the next call.
using TranspltHdf5Next = int (*)(void* context, TranspltHdf5Tensor* tensor);
/// 0, or 1 with a text in `error`. Tensors that have no place in such a file (their type has no
/// code, their path is taken) are left out and counted; then `error` tells of the first. `number`
/// is the errno of what the disk refused, 0 if it was not the disk.
using TranspltHdf5Write = int (*)(const char* file, TranspltHdf5Next next, void* context,
                                  uint64_t* refused, int* number, char* error, size_t error_size);
/// Called for every tensor of a file; another result than 0 ends the reading.
using TranspltHdf5Take = int (*)(void* context, const TranspltHdf5Tensor* tensor);
using TranspltHdf5Read = int (*)(const char* file, TranspltHdf5Take take, void* context,
                                 char* error, size_t error_size);
}
