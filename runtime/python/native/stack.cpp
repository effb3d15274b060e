// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <frameobject.h>

#include <utility>
#include <vector>

#include "runtime/python/native/native.h"

#if PY_VERSION_HEX < 0x03090000
#error "Python 3.9 or newer is needed: PyFrame_GetBack and PyFrame_GetCode"
#endif

namespace transplt::capture_python {

PyObject* Stack(PyObject* /*module*/, PyObject* limit) {
  const Py_ssize_t most = PyLong_AsSsize_t(limit);
  if (most < 0) return PyErr_Occurred() == nullptr ? PyTuple_New(0) : nullptr;
  std::vector<std::pair<PyCodeObject*, int>> frames;
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  while (frame != nullptr && static_cast<Py_ssize_t>(frames.size()) < most) {
    frames.emplace_back(PyFrame_GetCode(frame), PyFrame_GetLineNumber(frame));
    PyFrameObject* back = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = back;
  }
  Py_XDECREF(frame);
  PyObject* result = PyTuple_New(static_cast<Py_ssize_t>(2 * frames.size()));
  if (result == nullptr) {
    for (const auto& [code, line] : frames) Py_DECREF(code);
    return nullptr;
  }
  Py_ssize_t at = 0;
  for (const auto& [code, line] : frames) {
    PyTuple_SET_ITEM(result, at++, reinterpret_cast<PyObject*>(code));
    PyTuple_SET_ITEM(result, at++, PyLong_FromLong(line));
  }
  return result;
}

}  // namespace transplt::capture_python
