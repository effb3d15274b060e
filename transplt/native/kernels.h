// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/text_range.h"
#include "transplt/native/rules.h"
#include "transplt/native/tokens.h"

namespace transplt {

/// A kernel that a source defines.
struct NativeKernel {
  std::string name;
  TextRange range;  ///< of the name
  TextRange whole;  ///< from __global__ to the end of the body
  /// Ids of the rules about features, also of the macros and device functions that it uses.
  std::set<std::string> features;
  /// How many arguments it takes. Overloads and specialisations share a name.
  uint32_t least_arguments = 0;
  uint32_t most_arguments = UINT32_MAX;
};

/// A place that starts a kernel: `name<<<grid, block>>>(x)`, `cudaLaunchKernel(name, ...)`.
struct NativeLaunch {
  std::string kernel;                 ///< without its namespaces; "" if an expression names it
  TextRange range;                    ///< from the name to `<<<`, or the function that starts it
  std::optional<uint32_t> arguments;  ///< how many are given; nothing if that is not written there
};

/// Those of `kernels` that `launch` starts: of several with its name the ones that take as many
/// arguments, all if none does.
std::vector<const NativeKernel*> StartedBy(const NativeLaunch& launch,
                                           const std::vector<NativeKernel>& kernels);

/// What names in the kernels of a source, or of those that include it, stand for: the bodies of its
/// macros and of its functions for the device. Immutable.
class DeviceNames {
 public:
  DeviceNames() = default;
  DeviceNames(std::string_view source, const std::vector<NativeToken>& tokens);

  /// The names in one body.
  struct Body {
    bool is_macro = false;
    std::map<std::string, bool> names;  ///< -> whether it stands where a call or its types begin
  };
  /// The bodies of `name`: those of all branches of #if, and of all overloads.
  const std::vector<Body>& Of(const std::string& name) const;

 private:
  std::map<std::string, std::vector<Body>> bodies_;
};

/// The kernels and the functions that run on a GPU alone, from `__global__` or `__device__` to the
/// end of the body. In the order of the text.
std::vector<TextRange> DeviceCodeIn(std::string_view source,
                                    const std::vector<NativeToken>& tokens);

/// In the order of the text. `included`: of the headers that the source includes, since much that
/// makes a kernel hard is hidden in their macros and functions.
std::vector<NativeKernel> KernelsIn(std::string_view source, const std::vector<NativeToken>& tokens,
                                    const NativeRules& rules,
                                    const std::vector<const DeviceNames*>& included = {});
std::vector<NativeLaunch> LaunchesIn(std::string_view source,
                                     const std::vector<NativeToken>& tokens);

/// The work on a kernel with these features, in hours.
double HoursFor(const std::set<std::string>& features, const NativeRules& rules);

}  // namespace transplt
