// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/native/facts.h"

namespace transplt {

/// A function that a stand-in defines.
struct StandInFunction {
  const NativeFunction* function = nullptr;
  /// The function that computes the same on the CPU; null if there is none.
  const NativeFunction* twin = nullptr;
  std::set<std::string> operators;  ///< that get to it, by the names that Python knows
  std::set<std::string> kernels;    ///< that the original gets to
  std::set<std::string> elsewhere;  ///< what does the same on an NPU
};

/// "at::Tensor" of "const at::Tensor &".
std::string PlainType(std::string_view type);

/// True if arguments and result of the function can be moved between device and CPU: no pointers
/// into the memory of a device.
bool CanMove(const NativeFunction& function);

/// The text of the source that takes the place of `replaced`.
std::string StandInText(std::string_view replaced, const std::vector<StandInFunction>& functions);

}  // namespace transplt
