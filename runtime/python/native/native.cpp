// SPDX-License-Identifier: Apache-2.0
// The Python module transplt_capture._native: tensors and texts into the C interface, with as
// little as possible in between. Knows no framework: transplt_capture registers the types of
// elements.
#include "runtime/python/native/native.h"

#include <new>
#include <utility>

namespace transplt::capture_python {
namespace {

// register_type(dtype, number, name, limit)
PyObject* RegisterType(PyObject* module, PyObject* arguments) {
  ModuleState& state = StateOf(module);
  PyObject* dtype = nullptr;
  int number = 0;
  const char* name = nullptr;
  double limit = 0;
  if (PyArg_ParseTuple(arguments, "Oisd", &dtype, &number, &name, &limit) == 0) return nullptr;
  const Reference index(PyLong_FromSize_t(state.types.size()));
  if (!index || PyDict_SetItem(state.type_indices.get(), dtype, index.get()) != 0) return nullptr;
  state.types.push_back({static_cast<transplt_type>(number), name, limit});
  Py_RETURN_NONE;
}

// register_tensors(types, strided): the first type is what all tensors are instances of
PyObject* RegisterTensors(PyObject* module, PyObject* arguments) {
  ModuleState& state = StateOf(module);
  PyObject* types = nullptr;
  PyObject* strided = nullptr;
  if (PyArg_ParseTuple(arguments, "OO", &types, &strided) == 0) return nullptr;
  Reference set(PySet_New(types));
  if (!set) return nullptr;
  Reference first(PySequence_GetItem(types, 0));
  if (!first) return nullptr;
  state.tensor = std::move(first);
  state.tensor_types = std::move(set);
  state.strided = Reference::To(strided);
  Py_RETURN_NONE;
}

PyObject* Selected(PyObject* /*module*/, PyObject* arguments) {
  const char* text = nullptr;
  unsigned long long number = 0;
  if (PyArg_ParseTuple(arguments, "sK", &text, &number) == 0) return nullptr;
  uint32_t result = 0;
  if (transplt_capture_selected(text, number, &result) != TRANSPLT_OK) {
    PyErr_SetString(PyExc_ValueError, transplt_capture_last_error());
    return nullptr;
  }
  return PyBool_FromLong(static_cast<long>(result));
}

PyObject* Recover(PyObject* module, PyObject* argument) {
  const char* root = TextOf(argument);
  if (root == nullptr) return nullptr;
  uint64_t files = 0;
  const transplt_status status = transplt_capture_recover(root, &files);
  if (status != TRANSPLT_OK) return Raise(StateOf(module), status);
  return PyLong_FromUnsignedLongLong(files);
}

PyMethodDef module_methods[] = {  // NOLINT: Python wants it so
    {"statistics", AsMethod(Statistics), kFastCall, nullptr},
    {"describe", AsMethod(Describe), kFastCall, nullptr},
    {"elements", AsMethod(DescribeElements), kFastCall, nullptr},
    {"register_tensors", RegisterTensors, METH_VARARGS, nullptr},
    {"register_type", RegisterType, METH_VARARGS, nullptr},
    {"selected", Selected, METH_VARARGS, nullptr},
    {"recover", Recover, METH_O, nullptr},
    {"stack", Stack, METH_O, nullptr},
    {"stack_key", StackKey, METH_O, nullptr},
    {"tensors_in", AsMethod(TensorsIn), kFastCall, nullptr},
    {"read_hdf5", ReadHdf5, METH_O, nullptr},
    {"Capture", AsMethod(OpenCapture), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"check_options", AsMethod(CheckOptions), METH_VARARGS | METH_KEYWORDS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

int InitModule(PyObject* module) {
  auto* state = new (PyModule_GetState(module)) ModuleState();
  state->error =
      Reference(PyErr_NewException("transplt_capture.CaptureError", PyExc_RuntimeError, nullptr));
  state->capture_type = Reference(NewCaptureType());
  state->type_indices = Reference(PyDict_New());
  state->tensor_types = Reference(PySet_New(nullptr));
  if (!state->error || !state->capture_type || !state->type_indices || !state->tensor_types) {
    return -1;
  }
  const std::pair<Reference*, const char*> names[] = {
      // NOLINT: counted by the compiler
      {&state->data_ptr, "data_ptr"}, {&state->shape, "shape"},
      {&state->stride, "stride"},     {&state->dtype, "dtype"},
      {&state->f_back, "f_back"},     {&state->f_code, "f_code"},
      {&state->f_lasti, "f_lasti"},   {&state->requires_grad, "requires_grad"},
      {&state->is_cpu, "is_cpu"},     {&state->is_neg, "is_neg"},
      {&state->is_conj, "is_conj"},   {&state->layout, "layout"}};
  for (const auto& [reference, name] : names) {
    *reference = Reference(PyUnicode_InternFromString(name));
    if (!*reference) return -1;
  }
  Reference error = Reference::To(state->error.get());
  // Takes the reference over only where it succeeds.
  if (PyModule_AddObject(module, "CaptureError", error.get()) != 0) return -1;
  error.Release();
  return PyModule_AddStringConstant(module, "target", transplt_capture_target());
}

void FreeModule(void* module) {
  auto* state = static_cast<ModuleState*>(PyModule_GetState(static_cast<PyObject*>(module)));
  // Python frees the memory; without InitModule() it is zero, which is an empty state.
  if (state != nullptr) state->~ModuleState();
}

PyModuleDef_Slot module_slots[] = {  // NOLINT
    {Py_mod_exec, reinterpret_cast<void*>(InitModule)},
    {0, nullptr}};

PyModuleDef module_definition = {  // NOLINT
    PyModuleDef_HEAD_INIT, "_native", nullptr, sizeof(ModuleState), module_methods,
    module_slots,          nullptr,   nullptr, FreeModule};

}  // namespace

ModuleState& StateOf(PyObject* module) {
  return *static_cast<ModuleState*>(PyModule_GetState(module));
}

PyObject* Raise(const ModuleState& state, transplt_status status) {
  const Reference error(PyObject_CallFunction(state.error.get(), "is", static_cast<int>(status),
                                              transplt_capture_last_error()));
  const Reference number(PyLong_FromLong(transplt_capture_last_errno()));
  if (error && number && PyObject_SetAttrString(error.get(), "errno", number.get()) == 0) {
    PyErr_SetObject(state.error.get(), error.get());
  }
  return nullptr;
}

const char* TextOf(PyObject* object) {
  const char* text = nullptr;
  return PyArg_Parse(object, "s", &text) != 0 ? text : nullptr;
}

}  // namespace transplt::capture_python

PyMODINIT_FUNC PyInit__native() {  // NOLINT: a name of Python
  return PyModuleDef_Init(&transplt::capture_python::module_definition);
}
