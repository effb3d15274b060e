// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transplt/native/tokens.h"

namespace transplt {

/// A function that a source offers to Python: `m.def("nms", &nms)`.
struct NativeBinding {
  std::string name;      ///< "nms"
  std::string function;  ///< "at::nms", as it is written; "" if it is a lambda
  TextRange range;       ///< of the name with its quotes
};

/// The bindings in a source, in the order of the text: of PYBIND11_MODULE, TORCH_LIBRARY and the
/// functions that they call. Read from the tokens, so that types that nobody knows do not matter.
std::vector<NativeBinding> BindingsIn(std::string_view source,
                                      const std::vector<NativeToken>& tokens);

}  // namespace transplt
