// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "runtime/include/transplt/capture.h"
#include "runtime/python/native/python_reference.h"

namespace transplt::capture_python {

/// A type of elements that Python code has registered.
struct ElementType {
  transplt_type type;
  std::string name;
  double limit;  ///< the largest finite value, which counts as overflow; 0: none
};

/// What the module keeps, freed with it.
struct ModuleState {
  Reference error;         ///< CaptureError
  Reference capture_type;  ///< Capture
  Reference type_indices;  ///< dict: dtype object to index in `types`
  Reference tensor_types;  ///< set: the classes of tensors whose memory may be read as it is
  Reference tensor;        ///< the class that all tensors are instances of
  Reference strided;       ///< the layout of such a tensor
  std::vector<ElementType> types;
  // Interned names of what is asked of tensors.
  Reference data_ptr;
  Reference shape;
  Reference stride;
  Reference dtype;
  Reference requires_grad;
  Reference is_cpu;
  Reference is_neg;
  Reference is_conj;
  Reference layout;
  // And of frames.
  Reference f_back;
  Reference f_code;
  Reference f_lasti;
};

ModuleState& StateOf(PyObject* module);

/// CaptureError(status, text) with what the library said; null.
PyObject* Raise(const ModuleState& state, transplt_status status);

/// The text of a Python string, valid while that lives; null with a Python error.
const char* TextOf(PyObject* object);

// Python 3.8 and 3.9 have METH_FASTCALL with this value and meaning; only their headers did not yet
// count it to the limited API.
constexpr int kFastCall = 0x0080;

template <typename Function>
PyCFunction AsMethod(Function* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

/// statistics(tensor, crc=False): (min, max, mean, l2, nans, +infs, -infs, elements, crc32)
PyObject* Statistics(PyObject* module, PyObject* const* arguments, Py_ssize_t count);

/// describe(tensor, capture or None, name, want, style): (text, overflow, kept). The name is that
/// of the file where the tensor is kept, and of ptdbg's line.
PyObject* Describe(PyObject* module, PyObject* const* arguments, Py_ssize_t count);

/// elements(value, name, folder, capture or None, want, other): msprobe's JSON text of nested
/// lists, tuples and dictionaries of tensors, which are kept as `folder`/`name`.0 and so on.
/// other(value, name) gives the text of what is neither, nor a tensor that can be read as it is.
PyObject* DescribeElements(PyObject* module, PyObject* const* arguments, Py_ssize_t count);

/// tensors_in(values...): a list of all tensors in nested lists, tuples and dictionaries, in order.
PyObject* TensorsIn(PyObject* module, PyObject* const* arguments, Py_ssize_t count);

/// stack(limit): (code, instruction, code, instruction ...) of the calling frames, the innermost
/// first.
PyObject* Stack(PyObject* module, PyObject* limit);

/// stack_key(limit): bytes that tell stack(limit) apart from all other stacks whose code objects
/// are alive, much faster than it could be hashed.
PyObject* StackKey(PyObject* module, PyObject* limit);

/// read_hdf5(path): {path in the file: (type number, shape, bytes)}
PyObject* ReadHdf5(PyObject* module, PyObject* path);

/// Capture(root, options): a capture; the options are those of transplt_options by name.
PyObject* OpenCapture(PyObject* module, PyObject* arguments, PyObject* keywords);
/// check_options(root, options): raises what Capture() would raise whatever the disk does.
PyObject* CheckOptions(PyObject* module, PyObject* arguments, PyObject* keywords);

/// The type of what OpenCapture() gives; null with a Python error.
PyObject* NewCaptureType();

/// Where payloads go.
struct Keeper {
  transplt_capture* capture = nullptr;
  const char* ending = "";  ///< of the file of a tensor
};

/// The capture behind such an object; without one, with a Python error, where it is none or is
/// closed.
Keeper CaptureOf(const ModuleState& state, PyObject* object);

}  // namespace transplt::capture_python
