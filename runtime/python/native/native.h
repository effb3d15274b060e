// SPDX-License-Identifier: Apache-2.0
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace transplt::capture_python {

/// stack(limit): (code, line, code, line ...) of the calling frames, the innermost first. Cheap:
/// what a frame is called is asked for only when the stack is new.
PyObject* Stack(PyObject* module, PyObject* limit);

/// read_hdf5(path): {path in the file: (type number, shape, bytes)}
PyObject* ReadHdf5(PyObject* module, PyObject* path);

}  // namespace transplt::capture_python
