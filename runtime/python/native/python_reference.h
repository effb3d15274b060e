// SPDX-License-Identifier: Apache-2.0
#pragma once

// The stable ABI of Python 3.8 (CMakeLists.txt sets Py_LIMITED_API): one build serves 3.8 and all
// later versions.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace transplt::capture_python {

/// An owned reference to a Python object, or none.
class Reference {
 public:
  Reference() = default;
  /// Takes over a new reference; null is what failed calls of Python return.
  explicit Reference(PyObject* owned) : object_(owned) {}
  Reference(Reference&& other) noexcept : object_(other.Release()) {}
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;
  Reference& operator=(Reference&& other) noexcept {
    if (this != &other) {
      PyObject* old = object_;
      object_ = other.Release();
      Py_XDECREF(old);
    }
    return *this;
  }
  ~Reference() { Py_XDECREF(object_); }

  static Reference To(PyObject* borrowed) {
    Py_XINCREF(borrowed);
    return Reference(borrowed);
  }

  PyObject* get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  PyObject* Release() {
    PyObject* object = object_;
    object_ = nullptr;
    return object;
  }

 private:
  PyObject* object_ = nullptr;
};

}  // namespace transplt::capture_python
