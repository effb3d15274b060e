// SPDX-License-Identifier: Apache-2.0
#include "runtime/python/native/take.h"

#include <cstring>
#include <string>

#include "runtime/python/native/tensor_text.h"

namespace transplt::capture_python {
namespace {

// Below this the interpreter lock is kept: to give it up costs more than the pass.
constexpr uint64_t kElementsToUnlock = 65536;

uint64_t Elements(const transplt_tensor& tensor) {
  uint64_t elements = 1;
  for (uint32_t i = 0; i < tensor.dimensions; ++i) {
    elements *= static_cast<uint64_t>(tensor.shape[i]);
  }
  return elements;
}

/// Arrays of numpy have no gradient. False with a Python error.
bool RequiresGrad(const ModuleState& state, PyObject* tensor, bool& result) {
  const Reference value(PyObject_GetAttr(tensor, state.requires_grad.get()));
  if (!value) {
    if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) return false;
    PyErr_Clear();
  }
  result = value.get() == Py_True;
  return true;
}

}  // namespace

bool Take(const ModuleState& state, transplt_capture* capture, transplt_record record,
          const TensorOfObject& object, Taken& taken) {
  record.struct_size = sizeof record;
  record.tensor = &object.tensor();
  taken.statistics.struct_size = sizeof taken.statistics;
  const bool puts = (record.want & TRANSPLT_WANT_PAYLOAD) != 0;
  const bool unlock = puts || Elements(object.tensor()) > kElementsToUnlock;
  PyThreadState* thread = unlock ? PyEval_SaveThread() : nullptr;
  const transplt_status status =
      puts ? transplt_capture_put(capture, &record, &taken.statistics)
           : transplt_capture_statistics(&object.tensor(), record.want, &taken.statistics);
  if (unlock) PyEval_RestoreThread(thread);
  taken.kept = puts && status == TRANSPLT_OK;
  const bool went_on = status == TRANSPLT_OK || status == TRANSPLT_FULL ||
                       status == TRANSPLT_STATS_ONLY || status == TRANSPLT_DROPPED ||
                       status == TRANSPLT_INERT;
  if (!went_on) Raise(state, status);
  return went_on;
}

PyObject* StatisticsTuple(const transplt_statistics& statistics) {
  const transplt_statistics& s = statistics;
  return Py_BuildValue("(ddddKKKKI)", s.minimum, s.maximum, s.mean, s.l2,
                       static_cast<unsigned long long>(s.nan_count),
                       static_cast<unsigned long long>(s.positive_infinities),
                       static_cast<unsigned long long>(s.negative_infinities),
                       static_cast<unsigned long long>(s.elements),
                       static_cast<unsigned int>(s.crc32));
}

PyObject* Statistics(PyObject* module, PyObject* const* arguments, Py_ssize_t count) {
  if (count < 1 || count > 2) {
    PyErr_SetString(PyExc_TypeError, "statistics(tensor, crc=False)");
    return nullptr;
  }
  const int with_crc = count == 2 ? PyObject_IsTrue(arguments[1]) : 0;
  TensorOfObject object;
  if (with_crc < 0 || !object.Adopt(StateOf(module), arguments[0])) return nullptr;
  transplt_record record{};
  record.want = TRANSPLT_WANT_STATISTICS;
  if (with_crc != 0) record.want |= TRANSPLT_WANT_CRC;
  Taken taken;
  if (!Take(StateOf(module), nullptr, record, object, taken)) return nullptr;
  return StatisticsTuple(taken.statistics);
}

bool AppendDescription(const ModuleState& state, PyObject* tensor, const Keeper& keeper,
                       const transplt_record& record, Style style, std::string& text,
                       Description& description) {
  TensorOfObject object;
  Taken taken;
  if (!object.Adopt(state, tensor) || !Take(state, keeper.capture, record, object, taken))
    return false;
  description = {IsOverflow(taken.statistics, object.element()), taken.kept};
  const char* slash = std::strrchr(record.name, '/');
  const char* base = slash == nullptr ? record.name : slash + 1;
  if (style == Style::kPtdbg) {
    text += PklLine(object, taken.statistics, base);
    return true;
  }
  const std::string data_name = taken.kept ? std::string(base) + keeper.ending : "";
  JsonExtras extras{false, (record.want & TRANSPLT_WANT_CRC) != 0,
                    taken.kept ? data_name.c_str() : nullptr};
  if (!RequiresGrad(state, tensor, extras.requires_grad)) return false;
  AppendJsonElement(text, object, taken.statistics, extras);
  return true;
}

PyObject* Describe(PyObject* module, PyObject* const* arguments, Py_ssize_t count) {
  const ModuleState& state = StateOf(module);
  if (count != 5) {
    PyErr_SetString(PyExc_TypeError, "describe(tensor, capture, name, want, style)");
    return nullptr;
  }
  transplt_record record{};
  record.name = TextOf(arguments[2]);
  record.want = static_cast<uint32_t>(PyLong_AsUnsignedLong(arguments[3]));
  const long style = PyLong_AsLong(arguments[4]);
  if (record.name == nullptr || PyErr_Occurred() != nullptr) return nullptr;
  Keeper keeper;
  if ((record.want & TRANSPLT_WANT_PAYLOAD) != 0) {
    keeper = CaptureOf(state, arguments[1]);
    if (keeper.capture == nullptr) return nullptr;
  }
  std::string text;
  Description description;
  if (!AppendDescription(state, arguments[0], keeper, record, static_cast<Style>(style), text,
                         description)) {
    return nullptr;
  }
  return Py_BuildValue("(s#OO)", text.data(), static_cast<Py_ssize_t>(text.size()),
                       description.is_overflow ? Py_True : Py_False,
                       description.kept ? Py_True : Py_False);
}

}  // namespace transplt::capture_python
