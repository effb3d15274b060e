// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace transplt {

/// A framework whose programs a run migrates.
enum class Framework : uint8_t { kPytorch, kMindspore };

inline constexpr std::array<Framework, 2> kFrameworks = {Framework::kPytorch,
                                                         Framework::kMindspore};

/// "pytorch": what options, reports and the names of rule files call it.
constexpr std::string_view NameOf(Framework framework) {
  return framework == Framework::kPytorch ? "pytorch" : "mindspore";
}

/// "torch": what programs import.
constexpr std::string_view PackageOf(Framework framework) {
  return framework == Framework::kPytorch ? "torch" : "mindspore";
}

}  // namespace transplt
