// SPDX-License-Identifier: Apache-2.0
// elements(): most of what a call of a module or a function costs, in one pass over its values.
#include <algorithm>
#include <string>

#include "runtime/python/native/native.h"
#include "runtime/python/native/take.h"
#include "runtime/python/native/tensor_text.h"

namespace transplt::capture_python {
namespace {

constexpr int kMaxDepth = 200;

class Elements {
 public:
  Elements(const ModuleState& state, const Keeper& keeper, uint32_t want, PyObject* other)
      : state_(state), keeper_(keeper), want_(want), other_(other) {
    text_.reserve(1000);
  }

  /// Appends the JSON text of `value`, whose name is `folder` and `path`. False with a Python
  /// error.
  bool Append(PyObject* value, const std::string& name, size_t folder, int depth = 0) {
    if (depth > kMaxDepth) {
      PyErr_SetString(PyExc_RecursionError, "values are nested too deep");
      return false;
    }
    if (value == Py_None) {
      text_ += "null";
      return true;
    }
    if (PyList_CheckExact(value) != 0 || PyTuple_CheckExact(value) != 0) {
      return AppendList(value, name, folder, depth);
    }
    if (PyDict_CheckExact(value) != 0) return AppendDict(value, name, folder, depth);
    bool is_plain = false;
    if (!IsPlainTensor(value, is_plain)) return false;
    if (!is_plain) return AppendOther(value, name.c_str() + folder);
    transplt_record record{};
    record.name = name.c_str();
    record.want = want_;
    Description description;
    return AppendDescription(state_, value, keeper_, record, Style::kMsprobe, text_, description);
  }

  const std::string& text() const { return text_; }

 private:
  /// A tensor whose memory can be read as it is. False with a Python error.
  bool IsPlainTensor(PyObject* value, bool& result) const {
    auto* type = reinterpret_cast<PyObject*>(Py_TYPE(value));
    const int is_known = PySet_Contains(state_.tensor_types.get(), type);
    if (is_known <= 0) return is_known == 0;
    const Reference is_host(PyObject_GetAttr(value, state_.is_cpu.get()));
    if (!is_host) return false;
    if (is_host.get() != Py_True) return true;
    const Reference layout(PyObject_GetAttr(value, state_.layout.get()));
    const Reference dtype(PyObject_GetAttr(value, state_.dtype.get()));
    if (!layout || !dtype) return false;
    // Quantized ones have a type of elements that is not registered.
    PyObject* index = PyDict_GetItemWithError(state_.type_indices.get(), dtype.get());
    if (index == nullptr) return PyErr_Occurred() == nullptr;
    if (layout.get() != state_.strided.get()) return true;
    // The memory of a lazy view has other values. Only complex numbers have a conjugate.
    const transplt_type elements = state_.types[PyLong_AsSize_t(index)].type;
    const bool is_complex = elements == TRANSPLT_COMPLEX64 || elements == TRANSPLT_COMPLEX128;
    const Reference is_negative(PyObject_CallMethodObjArgs(value, state_.is_neg.get(), nullptr));
    const Reference is_conjugate(
        is_complex ? PyObject_CallMethodObjArgs(value, state_.is_conj.get(), nullptr)
                   : Reference::To(Py_False).Release());
    if (!is_negative || !is_conjugate) return false;
    result = is_negative.get() == Py_False && is_conjugate.get() == Py_False;
    return true;
  }

  bool AppendList(PyObject* list, const std::string& name, size_t folder, int depth) {
    text_ += '[';
    for (Py_ssize_t i = 0; i < PySequence_Size(list); ++i) {
      if (i > 0) text_ += ", ";
      const Reference item(PySequence_GetItem(list, i));
      if (!item || !Append(item.get(), name + '.' + std::to_string(i), folder, depth + 1)) {
        return false;
      }
    }
    text_ += ']';
    return true;
  }

  bool AppendDict(PyObject* dict, const std::string& name, size_t folder, int depth) {
    text_ += '{';
    // A copy: what is called for other values may change the dictionary.
    const Reference items(PyDict_Items(dict));
    if (!items) return false;
    for (Py_ssize_t i = 0; i < PyList_Size(items.get()); ++i) {
      PyObject* item = PyList_GetItem(items.get(), i);
      const Reference key(PyObject_Str(PyTuple_GetItem(item, 0)));
      const char* key_text = key ? TextOf(key.get()) : nullptr;
      if (key_text == nullptr) return false;
      if (i > 0) text_ += ", ";
      AppendString(text_, key_text);
      text_ += ": ";
      // The name becomes one of a file.
      std::string part = name + '.' + key_text;
      std::replace(part.begin() + static_cast<std::ptrdiff_t>(name.size()), part.end(), '/', '_');
      if (!Append(PyTuple_GetItem(item, 1), part, folder, depth + 1)) return false;
    }
    text_ += '}';
    return true;
  }

  bool AppendOther(PyObject* value, const char* name) {
    const Reference text(PyObject_CallFunction(other_, "Os", value, name));
    const char* bytes = text ? TextOf(text.get()) : nullptr;
    if (bytes == nullptr) return false;
    text_ += bytes;
    return true;
  }

  const ModuleState& state_;
  Keeper keeper_;
  uint32_t want_;
  PyObject* other_;
  std::string text_;
};

}  // namespace

PyObject* DescribeElements(PyObject* module, PyObject* const* arguments, Py_ssize_t count) {
  const ModuleState& state = StateOf(module);
  if (count != 6) {
    PyErr_SetString(PyExc_TypeError, "elements(value, name, folder, capture, want, other)");
    return nullptr;
  }
  const char* name = TextOf(arguments[1]);
  const char* folder = TextOf(arguments[2]);
  const auto want = static_cast<uint32_t>(PyLong_AsUnsignedLong(arguments[4]));
  if (name == nullptr || folder == nullptr || PyErr_Occurred() != nullptr) return nullptr;
  Keeper keeper;
  if ((want & TRANSPLT_WANT_PAYLOAD) != 0) {
    keeper = CaptureOf(state, arguments[3]);
    if (keeper.capture == nullptr) return nullptr;
  }
  const std::string prefix = std::string(folder) + '/';
  Elements elements(state, keeper, want, arguments[5]);
  if (!elements.Append(arguments[0], prefix + name, prefix.size())) return nullptr;
  return PyUnicode_FromStringAndSize(elements.text().data(),
                                     static_cast<Py_ssize_t>(elements.text().size()));
}

}  // namespace transplt::capture_python
