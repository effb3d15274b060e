// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <dlfcn.h>

#include <array>
#include <string>

#include "runtime/python/native/native.h"
#include "runtime/src/hdf5_plugin.h"

namespace transplt::capture_python {
namespace {

int TakeTensor(void* context, const TranspltHdf5Tensor* tensor) {
  PyObject* result = static_cast<PyObject*>(context);
  uint64_t bytes = tensor->element_size;
  PyObject* shape = PyTuple_New(tensor->dimensions);
  for (uint32_t i = 0; shape != nullptr && i < tensor->dimensions; ++i) {
    bytes *= static_cast<uint64_t>(tensor->shape[i]);
    PyTuple_SET_ITEM(shape, i, PyLong_FromLongLong(tensor->shape[i]));
  }
  PyObject* value = shape == nullptr ? nullptr
                                     : Py_BuildValue("(iNy#)", static_cast<int>(tensor->type),
                                                     shape, static_cast<const char*>(tensor->data),
                                                     static_cast<Py_ssize_t>(bytes));
  if (value == nullptr) return 1;
  const int failed = PyDict_SetItemString(result, tensor->path, value);
  Py_DECREF(value);
  return failed;
}

}  // namespace

PyObject* ReadHdf5(PyObject* /*module*/, PyObject* path) {
  const char* file = PyUnicode_AsUTF8(path);
  if (file == nullptr) return nullptr;
  Dl_info here{};
  std::string plugin_path = "libtransplt_capture_hdf5.so";
  if (::dladdr(reinterpret_cast<const void*>(&ReadHdf5), &here) != 0) {
    const std::string own = here.dli_fname;
    plugin_path = own.substr(0, own.rfind('/') + 1) + plugin_path;
  }
  void* plugin = ::dlopen(plugin_path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto read = plugin == nullptr
                        ? nullptr
                        : reinterpret_cast<TranspltHdf5Read>(::dlsym(plugin, "transplt_hdf5_read"));
  if (read == nullptr) {
    return PyErr_Format(PyExc_ImportError, "HDF5 needs %s and libhdf5: %s", plugin_path.c_str(),
                        ::dlerror());
  }
  PyObject* result = PyDict_New();
  if (result == nullptr) return nullptr;
  std::array<char, 512> error{};
  if (read(file, TakeTensor, result, error.data(), error.size()) != 0) {
    PyErr_SetString(PyExc_OSError, error.data());
  }
  if (PyErr_Occurred() == nullptr) return result;
  Py_DECREF(result);
  return nullptr;
}

}  // namespace transplt::capture_python
