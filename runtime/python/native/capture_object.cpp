// SPDX-License-Identifier: Apache-2.0
// The Python type Capture: a transplt_capture with its calls as methods.
#include <array>

#include "runtime/python/native/take.h"

namespace transplt::capture_python {
namespace {

struct CaptureObject {
  PyObject_HEAD transplt_capture* capture;
  const char* ending;  ///< of the file of a tensor
  PyObject* module;    ///< owned: its state has the types of elements
};

CaptureObject* Self(PyObject* self) { return reinterpret_cast<CaptureObject*>(self); }

transplt_capture* HandleOf(PyObject* self) { return Self(self)->capture; }

const ModuleState& StateOfObject(PyObject* self) { return StateOf(Self(self)->module); }

PyObject* RefuseNew(PyTypeObject* /*type*/, PyObject* /*arguments*/, PyObject* /*keywords*/) {
  PyErr_SetString(PyExc_TypeError, "a capture is made by transplt_capture._native.Capture()");
  return nullptr;
}

void Dealloc(PyObject* self) {
  CaptureObject* object = Self(self);
  if (object->capture != nullptr && transplt_capture_close(object->capture) != TRANSPLT_OK) {
    // Nobody can catch it here; what is lost is in the segment log and in transplt_capture.json.
    PySys_WriteStderr("transplt_capture: %s\n", transplt_capture_last_error());
  }
  Py_XDECREF(object->module);
  PyTypeObject* type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

/// The result of a call as Python has it; what this process does not capture is no error.
PyObject* Answer(PyObject* self, transplt_status status) {
  if (status == TRANSPLT_OK) Py_RETURN_TRUE;
  if (status == TRANSPLT_INERT || status == TRANSPLT_DROPPED) Py_RETURN_FALSE;
  return Raise(StateOfObject(self), status);
}

/// A full disk does not end the training; the counters tell what is missing.
PyObject* AnswerToText(PyObject* self, transplt_status status) {
  if (status == TRANSPLT_FULL) Py_RETURN_FALSE;
  return Answer(self, status);
}

// put(tensor, name, op_type, parameter, layout, direction, index, order, stream): statistics
PyObject* Put(PyObject* self, PyObject* arguments) {
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
  Taken taken;
  if (!object.Adopt(StateOfObject(self), tensor) ||
      !Take(StateOfObject(self), HandleOf(self), record, object, taken)) {
    return nullptr;
  }
  return StatisticsTuple(taken.statistics);
}

PyObject* TextBegin(PyObject* self, PyObject* arguments) {
  const char* path = nullptr;
  const char* prefix = nullptr;
  const char* separator = nullptr;
  const char* suffix = nullptr;
  if (PyArg_ParseTuple(arguments, "ssss", &path, &prefix, &separator, &suffix) == 0) {
    return nullptr;
  }
  return AnswerToText(self,
                      transplt_capture_text_begin(HandleOf(self), path, prefix, separator, suffix));
}

PyObject* AddText(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  if (count != 2) {
    PyErr_SetString(PyExc_TypeError, "text(path, text)");
    return nullptr;
  }
  Py_ssize_t size = 0;
  const char* text = nullptr;
  const char* path = TextOf(arguments[0]);
  if (path == nullptr || PyArg_Parse(arguments[1], "s#", &text, &size) == 0) return nullptr;
  transplt_status status = TRANSPLT_OK;
  // It waits while another thread makes files of a step.
  Py_BEGIN_ALLOW_THREADS status =
      transplt_capture_text(HandleOf(self), path, text, static_cast<size_t>(size));
  Py_END_ALLOW_THREADS return AnswerToText(self, status);
}

PyObject* Flush(PyObject* self, PyObject* /*unused*/) {
  transplt_status status = TRANSPLT_OK;
  Py_BEGIN_ALLOW_THREADS status = transplt_capture_flush(HandleOf(self));
  Py_END_ALLOW_THREADS return Answer(self, status);
}

PyObject* Step(PyObject* self, PyObject* argument) {
  const unsigned long long step = PyLong_AsUnsignedLongLong(argument);
  if (PyErr_Occurred() != nullptr) return nullptr;
  transplt_status status = TRANSPLT_OK;
  Py_BEGIN_ALLOW_THREADS status = transplt_capture_step(HandleOf(self), step);
  Py_END_ALLOW_THREADS return Answer(self, status);
}

PyObject* Close(PyObject* self, PyObject* /*unused*/) {
  transplt_capture* capture = HandleOf(self);
  if (capture == nullptr) Py_RETURN_TRUE;
  Self(self)->capture = nullptr;
  transplt_status status = TRANSPLT_OK;
  Py_BEGIN_ALLOW_THREADS status = transplt_capture_close(capture);
  Py_END_ALLOW_THREADS return Answer(self, status);
}

PyObject* Counters(PyObject* self, PyObject* /*unused*/) {
  transplt_counters c{};
  c.struct_size = sizeof c;
  const transplt_status status = transplt_capture_counters(HandleOf(self), &c);
  if (status != TRANSPLT_OK) return Answer(self, status);
  const auto number = [](uint64_t value) { return static_cast<unsigned long long>(value); };
  return Py_BuildValue(
      "{sKsKsKsKsKsKsKsKsKsKsKsK}", "records", number(c.records), "payloads", number(c.payloads),
      "stats_only", number(c.stats_only), "dropped", number(c.dropped), "full", number(c.full),
      "lost_in_files", number(c.lost_in_files), "texts_lost", number(c.texts_lost), "payload_bytes",
      number(c.payload_bytes), "files", number(c.files), "acknowledged", number(c.acknowledged),
      "lost_bytes", number(c.lost_bytes), "error", number(c.error));
}

PyMethodDef capture_methods[] = {  // NOLINT: Python wants it so
    {"put", Put, METH_VARARGS, nullptr},
    {"text_begin", TextBegin, METH_VARARGS, nullptr},
    {"text", AsMethod(AddText), kFastCall, nullptr},
    {"flush", Flush, METH_NOARGS, nullptr},
    {"step", Step, METH_O, nullptr},
    {"close", Close, METH_NOARGS, nullptr},
    {"counters", Counters, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot capture_slots[] = {  // NOLINT
    {Py_tp_new, reinterpret_cast<void*>(RefuseNew)},
    {Py_tp_dealloc, reinterpret_cast<void*>(Dealloc)},
    {Py_tp_methods, capture_methods},
    {0, nullptr}};

PyType_Spec capture_spec = {"transplt_capture._native.Capture", sizeof(CaptureObject),  // NOLINT
                            0, Py_TPFLAGS_DEFAULT, capture_slots};

/// False with a Python error.
bool ParseOptions(PyObject* arguments, PyObject* keywords, transplt_options& options) {
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
  int format = 0;
  int back_pressure = 0;
  unsigned long long ring = 0;
  unsigned long long quota = 0;
  unsigned long long floor = 0;
  if (PyArg_ParseTupleAndKeywords(
          arguments, keywords, "s|iKiIKKIIIzzzzIII", const_cast<char**>(kNames.data()),
          &options.root, &format, &ring, &back_pressure, &options.block_milliseconds, &quota,
          &floor, &options.power_loss_safe, &options.device_id, &options.model_id,
          &options.model_name, &options.net_name, &options.time_folder, &options.hdf5_file,
          &options.hdf5_device, &options.allow_existing, &options.buffered_io) == 0) {
    return false;
  }
  options.struct_size = sizeof options;
  options.version = TRANSPLT_CAPTURE_VERSION;
  options.format = static_cast<transplt_format>(format);
  options.back_pressure = static_cast<transplt_back_pressure>(back_pressure);
  options.ring_bytes = ring;
  options.max_payload_bytes = quota;
  options.min_free_bytes = floor;
  return true;
}

}  // namespace

PyObject* NewCaptureType() { return PyType_FromSpec(&capture_spec); }

Keeper CaptureOf(const ModuleState& state, PyObject* object) {
  if (reinterpret_cast<PyObject*>(Py_TYPE(object)) != state.capture_type.get()) {
    PyErr_Format(PyExc_TypeError, "a capture is expected to keep a tensor in, not %R", object);
    return {};
  }
  if (HandleOf(object) == nullptr) PyErr_SetString(PyExc_ValueError, "the capture is closed");
  return {HandleOf(object), Self(object)->ending};
}

// check_options(root, ...): what Capture() takes; raises what it would raise whatever the disk does
PyObject* CheckOptions(PyObject* module, PyObject* arguments, PyObject* keywords) {
  transplt_options options{};
  if (!ParseOptions(arguments, keywords, options)) return nullptr;
  const transplt_status status = transplt_capture_check(&options);
  if (status != TRANSPLT_OK) return Raise(StateOf(module), status);
  Py_RETURN_NONE;
}

PyObject* OpenCapture(PyObject* module, PyObject* arguments, PyObject* keywords) {
  const ModuleState& state = StateOf(module);
  transplt_options options{};
  if (!ParseOptions(arguments, keywords, options)) return nullptr;
  auto* type = reinterpret_cast<PyTypeObject*>(state.capture_type.get());
  Reference object(PyType_GenericAlloc(type, 0));
  if (!object) return nullptr;
  Py_INCREF(module);
  Self(object.get())->module = module;
  Self(object.get())->ending = options.format == TRANSPLT_FORMAT_PT ? ".pt" : ".npy";
  const transplt_status status = transplt_capture_open(&options, &Self(object.get())->capture);
  return status == TRANSPLT_OK ? object.Release() : Raise(state, status);
}

}  // namespace transplt::capture_python
