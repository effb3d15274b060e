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

/// How a program uses TensorFlow, and so which adapter serves it on the NPU: npu_bridge sessions,
/// npu_device eager execution.
enum class TensorflowMode : uint8_t { kUnknown, kSessions, kEager };

/// What the programs that run a file do with TensorFlow.
struct TensorflowUse {
  TensorflowMode mode = TensorflowMode::kUnknown;
  bool trains = false;
};

/// What a run does about the TensorFlow of a file.
struct TensorflowVersions {
  bool migrated = true;  ///< false: the file belongs to a program of another framework
  int installed = 0;     ///< on the NPU machine: 1 or 2; 0: the one that the programs need
  TensorflowUse use = {};
};

}  // namespace transplt
