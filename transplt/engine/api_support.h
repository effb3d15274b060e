// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "transplt/base/text.h"
#include "transplt/engine/word_filter.h"

namespace transplt {

/// How far an API of torch works on the NPU.
enum class Support : uint8_t {
  kSupported,
  kLimited,      ///< with limitations: data types, dimensions, ... that its documentation names
  kUnsupported,  ///< on no NPU
  kUnknown,      ///< not documented
  kRenamed,      ///< under another name, which a migration gives
};
Text Name(Support support);

/// The APIs of torch that the documentation of torch_npu grades, by their full names. The table
/// is rules/torch_api_support.csv; what to do instead is in rules/torch_api_instead.json.
class ApiSupport {
 public:
  ApiSupport();

  struct Grade {
    Support support = Support::kUnknown;
    std::string api;  ///< the name under which it is documented, or that was asked for
  };
  /// The grade of `name`, or of the longest part in front of it that is graded. A name may be
  /// another one of the same thing: torch.utils.data.sampler.Sampler, torch.relu, which is
  /// torch.nn.functional.relu. What needs no device is supported.
  Grade Of(std::string_view name) const;
  /// The grade of exactly this name.
  std::optional<Support> Exactly(std::string_view name) const;
  /// True for "torch.nn": something graded lies in it, and it is not graded itself.
  bool IsModule(std::string_view name) const {
    return modules_.contains(name) && !apis_.contains(name);
  }
  /// "torch.Tensor.to_dense" for "to_dense": an unsupported method of tensors or modules with a
  /// name that hardly anything else has. Else null.
  const std::string* UnsupportedMethod(std::string_view name) const;
  /// False for a file with these bytes that uses nothing unsupported for certain.
  bool MayUseUnsupported(std::string_view bytes) const;
  /// What can be done instead of using an unsupported API; empty if nothing is known.
  Text Instead(std::string_view api) const;
  /// True if perhaps nothing has to be done: what the API calls is documented as supported, or it
  /// is harmless by itself.
  bool MayBeSupported(std::string_view api) const { return may_be_supported_.contains(api); }

 private:
  /// Each gives a documented name, or nothing.
  std::string_view OtherName(std::string_view name) const;
  /// torch.distributed.tensor.Shard lies in torch.distributed.tensor.placement_types.
  std::string_view DeeperName(std::string_view name) const;
  std::string_view Documented(std::string_view name) const;

  std::unordered_map<std::string_view, Support> apis_;
  std::unordered_set<std::string_view> modules_;
  std::map<std::string, std::string, std::less<>> methods_;
  std::optional<WordFilter> unsupported_words_;
  /// Documented names by their last part, or by the last two if the first of these is a class.
  std::unordered_multimap<std::string_view, std::string_view> by_ending_;
  std::map<std::string, Text, std::less<>> instead_;
  std::set<std::string, std::less<>> may_be_supported_;
};

}  // namespace transplt
