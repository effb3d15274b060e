// SPDX-License-Identifier: Apache-2.0
#pragma once

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
  /// Ids of the rules about features, also of the device functions in the same source that it
  /// calls.
  std::set<std::string> features;
};

/// A place that starts a kernel: `name<<<grid, block>>>(x)`, `cudaLaunchKernel(name, ...)`.
struct NativeLaunch {
  std::string kernel;  ///< without its namespaces; "" if an expression names it
  TextRange range;     ///< from the name to `<<<`, or the function that starts it
};

/// The kernels and the functions that run on a GPU alone, from `__global__` or `__device__` to the
/// end of the body. In the order of the text.
std::vector<TextRange> DeviceCodeIn(std::string_view source,
                                    const std::vector<NativeToken>& tokens);

/// In the order of the text.
std::vector<NativeKernel> KernelsIn(std::string_view source, const std::vector<NativeToken>& tokens,
                                    const NativeRules& rules);
std::vector<NativeLaunch> LaunchesIn(std::string_view source,
                                     const std::vector<NativeToken>& tokens);

/// The work on a kernel with these features, in hours.
double HoursFor(const std::set<std::string>& features, const NativeRules& rules);

}  // namespace transplt
