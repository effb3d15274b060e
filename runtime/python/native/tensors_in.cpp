// SPDX-License-Identifier: Apache-2.0
#include "runtime/python/native/native.h"

namespace transplt::capture_python {
namespace {

constexpr int kMaxDepth = 200;

/// Appends the tensors in `value` to `list`. False with a Python error.
bool AppendTensors(const ModuleState& state, PyObject* value, PyObject* list, int depth);

bool AppendTensorsOfAll(const ModuleState& state, const Reference& items, PyObject* list,
                        int depth) {
  if (!items) return false;
  if (depth > kMaxDepth) {
    PyErr_SetString(PyExc_RecursionError, "values are nested too deep");
    return false;
  }
  // Asked anew each time: what is called for an item may change the list.
  for (Py_ssize_t i = 0; i < PySequence_Size(items.get()); ++i) {
    const Reference item(PySequence_GetItem(items.get(), i));
    if (!item || !AppendTensors(state, item.get(), list, depth)) return false;
  }
  return true;
}

bool AppendTensors(const ModuleState& state, PyObject* value, PyObject* list, int depth) {
  // Most values, without the way through the metaclass of tensors.
  if (value == Py_None) return true;
  auto* type = reinterpret_cast<PyObject*>(Py_TYPE(value));
  int is_tensor = PySet_Contains(state.tensor_types.get(), type);
  const bool is_list = PyList_Check(value) != 0 || PyTuple_Check(value) != 0;
  const bool is_dict = PyDict_Check(value) != 0;
  if (is_tensor == 0 && !is_list && !is_dict) {
    is_tensor = PyObject_IsInstance(value, state.tensor.get());
  }
  if (is_tensor < 0) return false;
  if (is_tensor > 0) return PyList_Append(list, value) == 0;
  if (is_list) {
    // Of a subclass what it gives when it is iterated.
    return AppendTensorsOfAll(state, Reference(PySequence_Fast(value, "a list")), list, depth + 1);
  }
  return !is_dict || AppendTensorsOfAll(state, Reference(PyMapping_Values(value)), list, depth + 1);
}

}  // namespace

PyObject* TensorsIn(PyObject* module, PyObject* const* arguments, Py_ssize_t count) {
  Reference list(PyList_New(0));
  if (!list) return nullptr;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!AppendTensors(StateOf(module), arguments[i], list.get(), 0)) return nullptr;
  }
  return list.Release();
}

}  // namespace transplt::capture_python
