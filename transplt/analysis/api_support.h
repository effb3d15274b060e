// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

namespace transplt {

/// How far an API of torch works on the NPU.
enum class Support : uint8_t {
  kSupported,
  kLimited,      ///< with limitations: data types, dimensions, ... that its documentation names
  kUnsupported,  ///< on no NPU
  kUnknown,      ///< not documented
};

/// The APIs of torch that the documentation of torch_npu grades, by their full names. The table
/// is rules/torch_api_support.csv.
class ApiSupport {
 public:
  ApiSupport();

  /// The grade of `name`, or of the longest part in front of it that is graded. A class may be
  /// named by the module that defines it: torch.utils.data.sampler.Sampler.
  Support Of(std::string_view name) const;
  /// True for "torch.nn": something graded lies in it.
  bool IsModule(std::string_view name) const { return modules_.contains(name); }
  /// True for the name of an unsupported method of tensors that hardly anything else is called.
  bool IsUnsupportedMethod(std::string_view name) const { return methods_.contains(name); }

 private:
  std::optional<Support> GradeOf(std::string_view name) const;

  std::unordered_map<std::string_view, Support> apis_;
  std::set<std::string_view> modules_;
  std::set<std::string_view> methods_;
};

}  // namespace transplt
