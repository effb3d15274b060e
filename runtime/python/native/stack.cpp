// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/python/native/native.h"

namespace transplt::capture_python {
namespace {

/// Calls take(code, instruction) for at most `limit` frames, the innermost first. False with a
/// Python error.
template <typename Take>
bool WalkFrames(const ModuleState& state, PyObject* limit, const Take& take) {
  Py_ssize_t left = PyLong_AsSsize_t(limit);
  if (left == -1 && PyErr_Occurred() != nullptr) return false;
  // Frames are asked by their attributes: their functions are not in the stable ABI.
  Reference frame = Reference::To(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  for (; frame && frame.get() != Py_None && left > 0; --left) {
    Reference code(PyObject_GetAttr(frame.get(), state.f_code.get()));
    Reference instruction(PyObject_GetAttr(frame.get(), state.f_lasti.get()));
    if (!code || !instruction) return false;
    take(code, instruction);
    frame = Reference(PyObject_GetAttr(frame.get(), state.f_back.get()));
  }
  return PyErr_Occurred() == nullptr;
}

}  // namespace

PyObject* Stack(PyObject* module, PyObject* limit) {
  std::vector<Reference> parts;
  const bool is_whole =
      WalkFrames(StateOf(module), limit, [&](Reference& code, Reference& instruction) {
        parts.push_back(std::move(code));
        parts.push_back(std::move(instruction));
      });
  PyObject* result = is_whole ? PyTuple_New(static_cast<Py_ssize_t>(parts.size())) : nullptr;
  for (size_t i = 0; result != nullptr && i < parts.size(); ++i) {
    PyTuple_SetItem(result, static_cast<Py_ssize_t>(i), parts[i].Release());
  }
  return result;
}

PyObject* StackKey(PyObject* module, PyObject* limit) {
  std::string key;
  const bool is_whole =
      WalkFrames(StateOf(module), limit, [&](const Reference& code, const Reference& instruction) {
        const auto address = reinterpret_cast<uintptr_t>(code.get());
        const long offset = PyLong_AsLong(instruction.get());
        key.append(reinterpret_cast<const char*>(&address), sizeof address);
        key.append(reinterpret_cast<const char*>(&offset), sizeof offset);
      });
  if (!is_whole) return nullptr;
  return PyBytes_FromStringAndSize(key.data(), static_cast<Py_ssize_t>(key.size()));
}

}  // namespace transplt::capture_python
