// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "runtime/python/native/tensor_of_object.h"

namespace transplt::capture_python {

/// ptdbg's rule: not finite, or the largest number that there is.
bool IsOverflow(const transplt_statistics& statistics, const ElementType& element);

/// What msprobe's dump.json says beside type, shape and statistics.
struct JsonExtras {
  bool requires_grad = false;
  bool with_crc = false;
  const char* data_name = nullptr;  ///< null: the tensor is not kept
};

/// Appends an element of msprobe's dump.json.
void AppendJsonElement(std::string& text, const TensorOfObject& object,
                       const transplt_statistics& statistics, const JsonExtras& extras);

/// Appends a JSON string.
void AppendString(std::string& text, std::string_view value);

/// A line of ptdbg's pkl, without the line end.
std::string PklLine(const TensorOfObject& object, const transplt_statistics& statistics,
                    const char* name);

}  // namespace transplt::capture_python
