// SPDX-License-Identifier: Apache-2.0
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
  const Reference shape(PyTuple_New(tensor->dimensions));
  if (!shape) return 1;
  for (uint32_t i = 0; i < tensor->dimensions; ++i) {
    bytes *= static_cast<uint64_t>(tensor->shape[i]);
    PyObject* size = PyLong_FromLongLong(tensor->shape[i]);
    if (size == nullptr || PyTuple_SetItem(shape.get(), i, size) != 0) return 1;
  }
  const Reference value(Py_BuildValue("(iOy#)", static_cast<int>(tensor->type), shape.get(),
                                      static_cast<const char*>(tensor->data),
                                      static_cast<Py_ssize_t>(bytes)));
  return !value || PyDict_SetItemString(result, tensor->path, value.get()) != 0 ? 1 : 0;
}

}  // namespace

PyObject* ReadHdf5(PyObject* /*module*/, PyObject* path) {
  const char* file = TextOf(path);
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
  Reference result(PyDict_New());
  if (!result) return nullptr;
  std::array<char, 512> error{};
  if (read(file, TakeTensor, result.get(), error.data(), error.size()) != 0 &&
      PyErr_Occurred() == nullptr) {
    PyErr_SetString(PyExc_OSError, error.data());
  }
  return PyErr_Occurred() == nullptr ? result.Release() : nullptr;
}

}  // namespace transplt::capture_python
