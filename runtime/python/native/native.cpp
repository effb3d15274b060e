// SPDX-License-Identifier: Apache-2.0
// The Python module transplt_capture._native: tensors and texts into the C interface, with as
// little as possible in between. Knows no framework: transplt_capture registers the types of
// elements, and a tensor is what has data_ptr(), shape and stride(), or the buffer protocol.
#define PY_SSIZE_T_CLEAN
#include "runtime/python/native/native.h"

#include <Python.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/include/transplt/capture.h"

namespace transplt::capture_python {
namespace {

/// A type of elements that Python code has registered.
struct ElementType {
  transplt_type type;
  std::string name;
  double limit;  ///< the largest finite value, which counts as overflow; 0: none
};

struct ModuleState {
  PyObject* error = nullptr;
  PyObject* type_indices = nullptr;  ///< dict: dtype object to index in `types`
  std::vector<ElementType> types;
  // Interned names of what is asked of tensors.
  PyObject* data_ptr = nullptr;
  PyObject* shape = nullptr;
  PyObject* stride = nullptr;
  PyObject* dtype = nullptr;
  PyObject* requires_grad = nullptr;
};

struct CaptureObject {
  PyObject_HEAD transplt_capture* capture;
};

ModuleState* StateOf(PyObject* module) {
  return static_cast<ModuleState*>(PyModule_GetState(module));
}

PyObject* Raise(PyObject* error, transplt_status status) {
  PyObject* value = Py_BuildValue("(is)", static_cast<int>(status), transplt_capture_last_error());
  if (value != nullptr) {
    PyErr_SetObject(error, value);
    Py_DECREF(value);
  }
  return nullptr;
}

/// A transplt_tensor over the memory of a Python object, which has to stay alive.
class TensorOfObject {
 public:
  TensorOfObject() = default;
  TensorOfObject(const TensorOfObject&) = delete;
  TensorOfObject& operator=(const TensorOfObject&) = delete;
  ~TensorOfObject() {
    if (has_buffer_) PyBuffer_Release(&buffer_);
  }

  /// False with a Python error.
  bool Adopt(const ModuleState& state, PyObject* object) {
    PyObject* dtype = PyObject_GetAttr(object, state.dtype);
    if (dtype == nullptr) return false;
    PyObject* index = PyDict_GetItemWithError(state.type_indices, dtype);
    if (index == nullptr && PyErr_Occurred() == nullptr) {
      PyErr_Format(PyExc_TypeError, "elements of type %R are not captured", dtype);
    }
    Py_DECREF(dtype);
    if (index == nullptr) return false;
    element_ = &state.types[static_cast<size_t>(PyLong_AsSsize_t(index))];
    tensor.struct_size = sizeof tensor;
    tensor.type = element_->type;
    return PyObject_CheckBuffer(object) != 0 ? AdoptBuffer(object) : AdoptTensor(state, object);
  }

  const ElementType& element() const { return *element_; }

  transplt_tensor tensor{};

 private:
  using Sizes = std::array<int64_t, TRANSPLT_MAX_DIMENSIONS>;

  static bool ReadSizes(PyObject* sequence, Sizes& sizes, uint32_t& count) {
    if (sequence == nullptr) return false;
    const bool is_tuple = PyTuple_Check(sequence) != 0;
    bool ok = is_tuple && PyTuple_GET_SIZE(sequence) <= TRANSPLT_MAX_DIMENSIONS;
    if (!ok) PyErr_SetString(PyExc_TypeError, "a tuple of at most 64 sizes is expected");
    count = ok ? static_cast<uint32_t>(PyTuple_GET_SIZE(sequence)) : 0;
    for (uint32_t i = 0; ok && i < count; ++i) {
      sizes[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(sequence, i));
      ok = sizes[i] != -1 || PyErr_Occurred() == nullptr;
    }
    Py_DECREF(sequence);
    return ok;
  }

  bool AdoptTensor(const ModuleState& state, PyObject* object) {
    PyObject* address = PyObject_CallMethodNoArgs(object, state.data_ptr);
    if (address == nullptr) return false;
    tensor.data = PyLong_AsVoidPtr(address);
    Py_DECREF(address);
    if (PyErr_Occurred() != nullptr) return false;
    uint32_t strides = 0;
    if (!ReadSizes(PyObject_GetAttr(object, state.shape), shape_, tensor.dimensions) ||
        !ReadSizes(PyObject_CallMethodNoArgs(object, state.stride), strides_, strides)) {
      return false;
    }
    tensor.shape = shape_.data();
    tensor.strides = strides_.data();
    return true;
  }

  bool AdoptBuffer(PyObject* object) {
    if (PyObject_GetBuffer(object, &buffer_, PyBUF_STRIDED_RO) != 0) return false;
    has_buffer_ = true;
    tensor.data = buffer_.buf;
    tensor.dimensions = static_cast<uint32_t>(buffer_.ndim);
    for (int i = 0; i < buffer_.ndim; ++i) {
      shape_[static_cast<size_t>(i)] = buffer_.shape[i];
      strides_[static_cast<size_t>(i)] = buffer_.strides[i] / buffer_.itemsize;
    }
    tensor.shape = shape_.data();
    tensor.strides = strides_.data();
    return true;
  }

  const ElementType* element_ = nullptr;
  Sizes shape_{};
  Sizes strides_{};
  Py_buffer buffer_{};
  bool has_buffer_ = false;
};

// Below this the interpreter lock is kept: to give it up costs more than the pass.
constexpr uint64_t kElementsToUnlock = 65536;

uint64_t Elements(const transplt_tensor& tensor) {
  uint64_t elements = 1;
  for (uint32_t i = 0; i < tensor.dimensions; ++i) {
    elements *= static_cast<uint64_t>(tensor.shape[i]);
  }
  return elements;
}

void AppendNumber(std::string& text, double value) {
  if (std::isfinite(value)) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    const std::string_view number(digits.data(), static_cast<size_t>(end - digits.data()));
    text.append(number);
    // JSON readers shall see a float.
    if (number.find_first_of(".e") == std::string_view::npos) text += ".0";
  } else {
    // What Python's json writes and reads.
    text += std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
  }
}

void AppendShape(std::string& text, const transplt_tensor& tensor) {
  text += '[';
  for (uint32_t i = 0; i < tensor.dimensions; ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(tensor.shape[i]);
  }
  text += ']';
}

/// ptdbg's rule: not finite, or the largest number that there is.
bool IsOverflow(const transplt_statistics& s, const ElementType& element) {
  if (s.has_statistics == 0 || s.elements == 0) return false;
  if (s.nan_count + s.positive_infinities + s.negative_infinities > 0) return true;
  return element.limit > 0 && (s.maximum >= element.limit || s.minimum <= -element.limit);
}

/// An element of msprobe's dump.json.
std::string JsonElement(const TensorOfObject& object, const transplt_statistics& s,
                        bool requires_grad, const char* data_name, bool with_crc) {
  std::string text =
      R"({"type": "torch.Tensor", "dtype": ")" + object.element().name + R"(", "shape": )";
  AppendShape(text, object.tensor);
  if (s.has_statistics != 0 && s.elements > 0) {
    const std::array<std::pair<const char*, double>, 4> fields{{{", \"Max\": ", s.maximum},
                                                                {", \"Min\": ", s.minimum},
                                                                {", \"Mean\": ", s.mean},
                                                                {", \"Norm\": ", s.l2}}};
    for (const auto& [name, value] : fields) AppendNumber(text += name, value);
  } else if (s.has_statistics != 0) {
    text += R"(, "Max": null, "Min": null, "Mean": null, "Norm": null)";
  }
  text += requires_grad ? R"(, "requires_grad": true)" : R"(, "requires_grad": false)";
  if (with_crc) {
    std::array<char, 16> digits{};
    std::snprintf(digits.data(), digits.size(), "%08x", s.crc32);
    text += R"(, "md5": ")" + std::string(digits.data()) + '"';
  }
  if (data_name != nullptr) text += R"(, "data_name": ")" + std::string(data_name) + '"';
  return text + '}';
}

/// A line of ptdbg's pkl, without the line end.
std::string PklLine(const TensorOfObject& object, const transplt_statistics& s, const char* name) {
  std::string text = "[\"" + std::string(name) + "\", 1, [], \"" + object.element().name + "\", ";
  AppendShape(text, object.tensor);
  text += ", [";
  const std::array values{s.maximum, s.minimum, s.mean, s.l2};
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ", ";
    AppendNumber(text, values[i]);
  }
  return text + "]]";
}

PyObject* StatisticsTuple(const transplt_statistics& s) {
  return Py_BuildValue("(ddddKKKKI)", s.minimum, s.maximum, s.mean, s.l2,
                       static_cast<unsigned long long>(s.nan_count),
                       static_cast<unsigned long long>(s.positive_infinities),
                       static_cast<unsigned long long>(s.negative_infinities),
                       static_cast<unsigned long long>(s.elements),
                       static_cast<unsigned int>(s.crc32));
}

/// Puts the tensor, or only looks at it where `capture` is null. False with a Python error.
bool Take(const ModuleState& state, transplt_capture* capture, const transplt_record& given,
          TensorOfObject& object, transplt_statistics& statistics, transplt_status* status) {
  transplt_record record = given;
  record.struct_size = sizeof record;
  record.tensor = &object.tensor;
  statistics.struct_size = sizeof statistics;
  const bool unlock =
      (record.want & TRANSPLT_WANT_PAYLOAD) != 0 || Elements(object.tensor) > kElementsToUnlock;
  PyThreadState* thread = unlock ? PyEval_SaveThread() : nullptr;
  if (capture == nullptr || (record.want & TRANSPLT_WANT_PAYLOAD) == 0) {
    *status = transplt_capture_statistics(&object.tensor, record.want, &statistics);
  } else {
    *status = transplt_capture_put(capture, &record, &statistics);
  }
  if (unlock) PyEval_RestoreThread(thread);
  // What is lost to a full disk or a slow writer is counted, and training goes on.
  const bool went_on = *status == TRANSPLT_OK || *status == TRANSPLT_FULL ||
                       *status == TRANSPLT_STATS_ONLY || *status == TRANSPLT_DROPPED ||
                       *status == TRANSPLT_INERT;
  if (!went_on) Raise(state.error, *status);
  return went_on;
}

// statistics(tensor, crc=False)
PyObject* Statistics(PyObject* module, PyObject* const* arguments, Py_ssize_t count) {
  if (count < 1 || count > 2) {
    PyErr_SetString(PyExc_TypeError, "statistics(tensor, crc=False)");
    return nullptr;
  }
  TensorOfObject object;
  if (!object.Adopt(*StateOf(module), arguments[0])) return nullptr;
  transplt_record record{};
  record.want = TRANSPLT_WANT_STATISTICS;
  if (count == 2 && PyObject_IsTrue(arguments[1]) == 1) record.want |= TRANSPLT_WANT_CRC;
  transplt_statistics statistics{};
  transplt_status status = TRANSPLT_OK;
  if (!Take(*StateOf(module), nullptr, record, object, statistics, &status)) return nullptr;
  return StatisticsTuple(statistics);
}

enum class Style { kMsprobe = 0, kPtdbg = 1 };

// describe(tensor, capture or None, name, want, style): (text, overflow, kept). The name is that
// of the file where the tensor is kept, and of ptdbg's line.
PyObject* Describe(PyObject* module, PyObject* const* arguments, Py_ssize_t count) {
  const ModuleState& state = *StateOf(module);
  if (count != 5) {
    PyErr_SetString(PyExc_TypeError, "describe(tensor, capture, name, want, style)");
    return nullptr;
  }
  TensorOfObject object;
  if (!object.Adopt(state, arguments[0])) return nullptr;
  const char* name = PyUnicode_AsUTF8(arguments[2]);
  const long want = PyLong_AsLong(arguments[3]);
  const long style = PyLong_AsLong(arguments[4]);
  if (name == nullptr || PyErr_Occurred() != nullptr) return nullptr;
  transplt_capture* capture =
      arguments[1] == Py_None ? nullptr : reinterpret_cast<CaptureObject*>(arguments[1])->capture;
  transplt_record record{};
  record.want = static_cast<uint32_t>(want);
  record.name = name;
  transplt_statistics statistics{};
  transplt_status status = TRANSPLT_OK;
  if (!Take(state, capture, record, object, statistics, &status)) return nullptr;
  const bool kept = (record.want & TRANSPLT_WANT_PAYLOAD) != 0 && status == TRANSPLT_OK;
  const char* slash = std::strrchr(name, '/');
  const char* base = slash == nullptr ? name : slash + 1;
  std::string text;
  if (style == static_cast<long>(Style::kPtdbg)) {
    text = PklLine(object, statistics, base);
  } else {
    PyObject* grad = PyObject_GetAttr(arguments[0], state.requires_grad);
    const bool requires_grad = grad == Py_True;
    Py_XDECREF(grad);
    PyErr_Clear();
    const std::string data_name = std::string(base) + ".npy";
    text = JsonElement(object, statistics, requires_grad, kept ? data_name.c_str() : nullptr,
                       (record.want & TRANSPLT_WANT_CRC) != 0);
  }
  return Py_BuildValue("(s#OO)", text.data(), static_cast<Py_ssize_t>(text.size()),
                       IsOverflow(statistics, object.element()) ? Py_True : Py_False,
                       kept ? Py_True : Py_False);
}

// register_type(dtype, number, name, limit)
PyObject* RegisterType(PyObject* module, PyObject* arguments) {
  ModuleState& state = *StateOf(module);
  PyObject* dtype = nullptr;
  int number = 0;
  const char* name = nullptr;
  double limit = 0;
  if (PyArg_ParseTuple(arguments, "Oisd", &dtype, &number, &name, &limit) == 0) return nullptr;
  PyObject* index = PyLong_FromSize_t(state.types.size());
  if (index == nullptr) return nullptr;
  const int failed = PyDict_SetItem(state.type_indices, dtype, index);
  Py_DECREF(index);
  if (failed != 0) return nullptr;
  state.types.push_back({static_cast<transplt_type>(number), name, limit});
  Py_RETURN_NONE;
}

PyObject* Selected(PyObject* module, PyObject* arguments) {
  const char* text = nullptr;
  unsigned long long number = 0;
  if (PyArg_ParseTuple(arguments, "sK", &text, &number) == 0) return nullptr;
  uint32_t result = 0;
  if (transplt_capture_selected(text, number, &result) != TRANSPLT_OK) {
    PyErr_SetString(PyExc_ValueError, transplt_capture_last_error());
    return nullptr;
  }
  (void)module;
  return PyBool_FromLong(static_cast<long>(result));
}

PyObject* Recover(PyObject* module, PyObject* argument) {
  const char* root = PyUnicode_AsUTF8(argument);
  if (root == nullptr) return nullptr;
  uint64_t files = 0;
  const transplt_status status = transplt_capture_recover(root, &files);
  if (status != TRANSPLT_OK) return Raise(StateOf(module)->error, status);
  return PyLong_FromUnsignedLongLong(files);
}

// Capture(root, options): options are those of transplt_options by name.
int CaptureInit(PyObject* self, PyObject* arguments, PyObject* keywords) {
  transplt_options options{};
  options.struct_size = sizeof options;
  options.version = TRANSPLT_CAPTURE_VERSION;
  int format = 0;
  int back_pressure = 0;
  unsigned long long ring = 0;
  unsigned long long quota = 0;
  unsigned long long floor = 0;
  static const std::array<const char*, 18> kNames{"root",
                                                  "format",
                                                  "ring_bytes",
                                                  "back_pressure",
                                                  "block_milliseconds",
                                                  "max_payload_bytes",
                                                  "min_free_bytes",
                                                  "power_loss_safe",
                                                  "device_id",
                                                  "model_id",
                                                  "model_name",
                                                  "net_name",
                                                  "time_folder",
                                                  "hdf5_file",
                                                  "hdf5_device",
                                                  "allow_existing",
                                                  "buffered_io",
                                                  nullptr};
  if (PyArg_ParseTupleAndKeywords(
          arguments, keywords, "s|iKiIKKIIIzzzzIII", const_cast<char**>(kNames.data()),
          &options.root, &format, &ring, &back_pressure, &options.block_milliseconds, &quota,
          &floor, &options.power_loss_safe, &options.device_id, &options.model_id,
          &options.model_name, &options.net_name, &options.time_folder, &options.hdf5_file,
          &options.hdf5_device, &options.allow_existing, &options.buffered_io) == 0) {
    return -1;
  }
  options.format = static_cast<transplt_format>(format);
  options.back_pressure = static_cast<transplt_back_pressure>(back_pressure);
  options.ring_bytes = ring;
  options.max_payload_bytes = quota;
  options.min_free_bytes = floor;
  const transplt_status status =
      transplt_capture_open(&options, &reinterpret_cast<CaptureObject*>(self)->capture);
  if (status == TRANSPLT_OK) return 0;
  PyObject* module = PyType_GetModule(Py_TYPE(self));
  if (module != nullptr) Raise(StateOf(module)->error, status);
  return -1;
}

void CaptureDealloc(PyObject* self) {
  CaptureObject* object = reinterpret_cast<CaptureObject*>(self);
  if (object->capture != nullptr) transplt_capture_close(object->capture);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

/// The result of a call as Python has it; what this process does not capture is no error.
PyObject* Answer(PyObject* self, transplt_status status) {
  if (status == TRANSPLT_OK) Py_RETURN_TRUE;
  if (status == TRANSPLT_INERT || status == TRANSPLT_DROPPED) Py_RETURN_FALSE;
  PyObject* module = PyType_GetModule(Py_TYPE(self));
  return module == nullptr ? nullptr : Raise(StateOf(module)->error, status);
}

transplt_capture* HandleOf(PyObject* self) {
  return reinterpret_cast<CaptureObject*>(self)->capture;
}

// put(tensor, name, op_type, parameter, layout, direction, index, order): statistics
PyObject* CapturePut(PyObject* self, PyObject* arguments) {
  PyObject* module = PyType_GetModule(Py_TYPE(self));
  if (module == nullptr) return nullptr;
  PyObject* tensor = nullptr;
  transplt_record record{};
  unsigned long long order = 0;
  if (PyArg_ParseTuple(arguments, "Os|zzzIIKI", &tensor, &record.name, &record.op_type,
                       &record.parameter, &record.layout, &record.direction, &record.index, &order,
                       &record.stream_id) == 0) {
    return nullptr;
  }
  record.order = order;
  record.want = TRANSPLT_WANT_STATISTICS | TRANSPLT_WANT_PAYLOAD;
  TensorOfObject object;
  if (!object.Adopt(*StateOf(module), tensor)) return nullptr;
  transplt_statistics statistics{};
  transplt_status status = TRANSPLT_OK;
  if (!Take(*StateOf(module), HandleOf(self), record, object, statistics, &status)) {
    return nullptr;
  }
  return StatisticsTuple(statistics);
}

PyObject* CaptureTextBegin(PyObject* self, PyObject* arguments) {
  const char* path = nullptr;
  const char* prefix = nullptr;
  const char* separator = nullptr;
  const char* suffix = nullptr;
  if (PyArg_ParseTuple(arguments, "ssss", &path, &prefix, &separator, &suffix) == 0) {
    return nullptr;
  }
  return Answer(self, transplt_capture_text_begin(HandleOf(self), path, prefix, separator, suffix));
}

PyObject* CaptureText(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  if (count != 2) {
    PyErr_SetString(PyExc_TypeError, "text(path, text)");
    return nullptr;
  }
  Py_ssize_t size = 0;
  const char* path = PyUnicode_AsUTF8(arguments[0]);
  const char* text = PyUnicode_AsUTF8AndSize(arguments[1], &size);
  if (path == nullptr || text == nullptr) return nullptr;
  const transplt_status status =
      transplt_capture_text(HandleOf(self), path, text, static_cast<size_t>(size));
  // A full disk does not end the training; the counters tell what is missing.
  if (status == TRANSPLT_FULL) Py_RETURN_FALSE;
  return Answer(self, status);
}

PyObject* CaptureFlush(PyObject* self, PyObject* /*unused*/) {
  transplt_status status = TRANSPLT_OK;
  Py_BEGIN_ALLOW_THREADS status = transplt_capture_flush(HandleOf(self));
  Py_END_ALLOW_THREADS return Answer(self, status);
}

PyObject* CaptureStep(PyObject* self, PyObject* argument) {
  const unsigned long long step = PyLong_AsUnsignedLongLong(argument);
  if (PyErr_Occurred() != nullptr) return nullptr;
  transplt_status status = TRANSPLT_OK;
  Py_BEGIN_ALLOW_THREADS status = transplt_capture_step(HandleOf(self), step);
  Py_END_ALLOW_THREADS return Answer(self, status);
}

PyObject* CaptureClose(PyObject* self, PyObject* /*unused*/) {
  transplt_capture* capture = HandleOf(self);
  if (capture == nullptr) Py_RETURN_TRUE;
  reinterpret_cast<CaptureObject*>(self)->capture = nullptr;
  transplt_status status = TRANSPLT_OK;
  Py_BEGIN_ALLOW_THREADS status = transplt_capture_close(capture);
  Py_END_ALLOW_THREADS return Answer(self, status);
}

PyObject* CaptureCounters(PyObject* self, PyObject* /*unused*/) {
  transplt_counters c{};
  c.struct_size = sizeof c;
  const transplt_status status = transplt_capture_counters(HandleOf(self), &c);
  if (status != TRANSPLT_OK) return Answer(self, status);
  const auto number = [](uint64_t value) { return static_cast<unsigned long long>(value); };
  return Py_BuildValue(
      "{sKsKsKsKsKsKsKsKsKsK}", "records", number(c.records), "payloads", number(c.payloads),
      "stats_only", number(c.stats_only), "dropped", number(c.dropped), "full", number(c.full),
      "lost_in_files", number(c.lost_in_files), "texts_lost", number(c.texts_lost), "payload_bytes",
      number(c.payload_bytes), "files", number(c.files), "acknowledged", number(c.acknowledged));
}

template <typename Function>
PyCFunction AsMethod(Function* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef capture_methods[] = {  // NOLINT: Python wants it so
    {"put", CapturePut, METH_VARARGS, nullptr},
    {"text_begin", CaptureTextBegin, METH_VARARGS, nullptr},
    {"text", AsMethod(CaptureText), METH_FASTCALL, nullptr},
    {"flush", CaptureFlush, METH_NOARGS, nullptr},
    {"step", CaptureStep, METH_O, nullptr},
    {"close", CaptureClose, METH_NOARGS, nullptr},
    {"counters", CaptureCounters, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot capture_slots[] = {  // NOLINT
    {Py_tp_init, reinterpret_cast<void*>(CaptureInit)},
    {Py_tp_new, reinterpret_cast<void*>(PyType_GenericNew)},
    {Py_tp_dealloc, reinterpret_cast<void*>(CaptureDealloc)},
    {Py_tp_methods, capture_methods},
    {0, nullptr}};

PyType_Spec capture_spec = {"transplt_capture._native.Capture", sizeof(CaptureObject),  // NOLINT
                            0, Py_TPFLAGS_DEFAULT, capture_slots};

PyMethodDef module_methods[] = {  // NOLINT
    {"statistics", AsMethod(Statistics), METH_FASTCALL,
     "statistics(tensor, crc=False): (min, max, mean, l2, nans, +infs, -infs, elements, crc32)"},
    {"describe", AsMethod(Describe), METH_FASTCALL, nullptr},
    {"register_type", RegisterType, METH_VARARGS, nullptr},
    {"selected", Selected, METH_VARARGS, nullptr},
    {"recover", Recover, METH_O, nullptr},
    {"stack", Stack, METH_O, nullptr},
    {"read_hdf5", ReadHdf5, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

int InitModule(PyObject* module) {
  ModuleState* state = new (PyModule_GetState(module)) ModuleState();
  state->error = PyErr_NewException("transplt_capture.CaptureError", PyExc_RuntimeError, nullptr);
  state->type_indices = PyDict_New();
  state->data_ptr = PyUnicode_InternFromString("data_ptr");
  state->shape = PyUnicode_InternFromString("shape");
  state->stride = PyUnicode_InternFromString("stride");
  state->dtype = PyUnicode_InternFromString("dtype");
  state->requires_grad = PyUnicode_InternFromString("requires_grad");
  PyObject* type = PyType_FromModuleAndSpec(module, &capture_spec, nullptr);
  if (state->error == nullptr || type == nullptr) return -1;
  Py_INCREF(state->error);
  if (PyModule_AddObject(module, "CaptureError", state->error) != 0 ||
      PyModule_AddObject(module, "Capture", type) != 0) {
    return -1;
  }
  return PyModule_AddStringConstant(module, "target", transplt_capture_target());
}

PyModuleDef_Slot module_slots[] = {  // NOLINT
    {Py_mod_exec, reinterpret_cast<void*>(InitModule)},
    {0, nullptr}};

PyModuleDef module_definition = {  // NOLINT
    PyModuleDef_HEAD_INIT,
    "_native",
    nullptr,
    sizeof(ModuleState),
    module_methods,
    module_slots,
    nullptr,
    nullptr,
    nullptr};

}  // namespace
}  // namespace transplt::capture_python

PyMODINIT_FUNC PyInit__native() {  // NOLINT: a name of Python
  return PyModuleDef_Init(&transplt::capture_python::module_definition);
}
