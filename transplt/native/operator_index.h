// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/native/answer.h"

namespace transplt {

/// What stands behind a name that a module offers to Python.
struct BoundOperator {
  std::string name;      ///< "nms"
  std::string function;  ///< "nms", with its namespaces as they are written; "" of a lambda
  std::set<std::string> kernels;  ///< that it gets to
  std::string cpu_function;       ///< that it gets to and that is for tensors on the CPU, or ""
  std::set<std::string> functions = {};  ///< of the project that it gets to, itself among them
};

/// The way from what the sources of one module offer to Python to the kernels behind it. Functions
/// are told apart by the last part of their names.
class OperatorIndex {
 public:
  explicit OperatorIndex(const std::vector<const NativeSource*>& sources);

  /// In the order of the sources, each name once.
  const std::vector<BoundOperator>& operators() const { return operators_; }
  /// Null if nothing has this name.
  const BoundOperator* Find(const std::string& name) const;
  /// The functions and kernels that `name` gets to, itself among them.
  std::set<std::string> ReachedFrom(const std::set<std::string>& names) const;

 private:
  void Add(const NativeBinding& binding);
  bool ReachesKernel(const std::string& function) const;

  std::map<std::string, std::set<std::string>> calls_;  // of what the sources define
  std::set<std::string> kernels_;
  std::vector<BoundOperator> operators_;
  std::map<std::string, size_t> by_name_;  // of operators_
};

/// "boxes_overlap_bev" of boxes_overlap_bev_gpu: without the words that tell for what a function
/// is.
std::string PlainOperatorName(std::string_view name);

/// What does the same on an NPU: "mx_driving.three_nn" for three_nn_wrapper_fast; "" if nothing is
/// known to. `beside`: the operators of its module, which may tell which of two it is: nms beside
/// boxes_iou_bev takes boxes with an angle.
std::string_view OperatorElsewhere(std::string_view name,
                                   const std::vector<BoundOperator>& beside = {});

/// "Sum::forward" of ops::Sum::forward.
std::string MemberName(std::string_view name);

/// "nms" of at::nms.
std::string LastPartOf(std::string_view name);

}  // namespace transplt
