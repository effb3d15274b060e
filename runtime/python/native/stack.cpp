// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "runtime/python/native/native.h"

namespace transplt::capture_python {

PyObject* Stack(PyObject* module, PyObject* limit) {
  const ModuleState& state = StateOf(module);
  const Py_ssize_t most = PyLong_AsSsize_t(limit);
  if (most == -1 && PyErr_Occurred() != nullptr) return nullptr;
  std::vector<Reference> parts;
  // Frames are asked by their attributes: their functions are not in the stable ABI.
  Reference frame = Reference::To(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  while (frame && frame.get() != Py_None && static_cast<Py_ssize_t>(parts.size()) < 2 * most) {
    parts.emplace_back(PyObject_GetAttr(frame.get(), state.f_code.get()));
    parts.emplace_back(PyObject_GetAttr(frame.get(), state.f_lasti.get()));
    if (!parts[parts.size() - 2] || !parts.back()) return nullptr;
    frame = Reference(PyObject_GetAttr(frame.get(), state.f_back.get()));
  }
  if (PyErr_Occurred() != nullptr) return nullptr;
  PyObject* result = PyTuple_New(static_cast<Py_ssize_t>(parts.size()));
  for (size_t i = 0; result != nullptr && i < parts.size(); ++i) {
    PyTuple_SetItem(result, static_cast<Py_ssize_t>(i), parts[i].Release());
  }
  return result;
}

}  // namespace transplt::capture_python
