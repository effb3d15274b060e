// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace transplt {

/// A framework whose programs a run migrates.
enum class Framework : uint8_t { kPytorch, kMindspore, kTensorflow };

inline constexpr std::array<Framework, 3> kFrameworks = {Framework::kPytorch, Framework::kMindspore,
                                                         Framework::kTensorflow};

/// "pytorch": what options, reports and the names of rule files call it.
constexpr std::string_view NameOf(Framework framework) {
  constexpr std::array<std::string_view, 3> kNames = {"pytorch", "mindspore", "tensorflow"};
  return kNames[static_cast<size_t>(framework)];
}

/// "torch": what programs import.
constexpr std::string_view PackageOf(Framework framework) {
  return framework == Framework::kPytorch ? "torch" : NameOf(framework);
}

/// What a run does about TensorFlow, which a file may be written for with sessions and graphs (1)
/// or with eager execution (2).
struct TensorflowVersions {
  bool migrated = true;  ///< false: the file belongs to a program of another framework
  int installed = 0;     ///< on the NPU machine; 0: the one that a file is written for
  int usual = 2;         ///< what a file is written for that does not tell by itself
};

}  // namespace transplt
