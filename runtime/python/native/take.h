// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "runtime/python/native/tensor_of_object.h"

namespace transplt::capture_python {

/// What became of a tensor.
struct Taken {
  transplt_statistics statistics{};
  bool kept = false;  ///< its payload is in the capture
};

/// Puts the tensor into `capture` as `record` says, or only looks at it where no payload is wanted.
/// False with a Python error; what is lost to a full disk or a slow writer is none: it is counted.
bool Take(const ModuleState& state, transplt_capture* capture, transplt_record record,
          const TensorOfObject& object, Taken& taken);

enum class Style { kMsprobe = 0, kPtdbg = 1 };

/// What Describe() answers.
struct Description {
  bool is_overflow = false;
  bool kept = false;
};

/// Appends what a dump says about the tensor, which `record` names. False with a Python error.
bool AppendDescription(const ModuleState& state, PyObject* tensor, const Keeper& keeper,
                       const transplt_record& record, Style style, std::string& text,
                       Description& description);

PyObject* StatisticsTuple(const transplt_statistics& statistics);

}  // namespace transplt::capture_python
