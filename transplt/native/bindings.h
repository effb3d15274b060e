// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
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
  /// What the block around it names: "TORCH_EXTENSION_NAME", "torchvision"; "" if there is none.
  std::string module = {};
  std::set<std::string> names = {};  ///< in the body of the lambda
  /// The namespace of torch.ops that torch registers it in, "torch_sparse"; "" of a module of
  /// Python, and where the build names it.
  std::string library = {};
};

/// Names that belong together since the project says so outside of any function:
/// `REGISTER_DEVICE_IMPL(nms_impl, CUDA, nms_cuda);`
using NativeLink = std::vector<std::string>;

/// The bindings in a source, in the order of the text: of PYBIND11_MODULE, TORCH_LIBRARY and the
/// functions that they call, and of torch::RegisterOperators. Read from the tokens, so that types
/// that nobody knows do not matter.
std::vector<NativeBinding> BindingsIn(std::string_view source,
                                      const std::vector<NativeToken>& tokens);

/// The names in each call of a macro in capitals that stands outside of all functions, in the order
/// of the text.
std::vector<NativeLink> LinksIn(std::string_view source, const std::vector<NativeToken>& tokens);

}  // namespace transplt
