// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/analysis/analyzed_project.h"

namespace transplt {

/// A function or class that C++ or CUDA code offers to Python.
struct NativeOperator {
  std::string file;
  std::string name;           ///< "nms"
  std::string module;         ///< "torch.ops.detectron2", "helpers_cpp"; "" if a setup.py decides
  std::string function = {};  ///< what stands behind it, without namespaces; "" of a lambda
};

/// The operators in the blocks PYBIND11_MODULE and TORCH_LIBRARY (_FRAGMENT, _IMPL) of a source.
/// Any bytes will do: what is not understood is passed over.
std::vector<NativeOperator> NativeOperatorsIn(const std::string& file, std::string_view source);

/// The operators that a project's C++ and CUDA sources define, by the names that Python has for
/// them.
class NativeOperators {
 public:
  explicit NativeOperators(const AnalyzedProject& project);

  /// In the order of the files. `module` is set where it could be found out.
  const std::vector<NativeOperator>& all() const { return operators_; }
  /// True if `name`, qualified, is an operator of an extension that is built from CUDA sources.
  bool IsCuda(std::string_view name) const;
  /// The module that `call`, resolved in `file`, builds and loads:
  /// `torch.utils.cpp_extension.load(name="x", ...)`; else "".
  static std::string LoadedModule(Node call, const FileContext& file);

 private:
  std::vector<NativeOperator> operators_;
  std::map<std::string, bool, std::less<>> is_cuda_;  // by "module.name"
};

/// The places in a file that reach a CUDA operator of the project: name nodes and the operators.
std::vector<std::pair<Node, std::string>> CudaOperatorUses(const FileContext& file,
                                                           const NativeOperators& operators);

}  // namespace transplt
