// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "transplt/base/change_record.h"
#include "transplt/migrate/module_sources.h"

namespace transplt {

/// The cause of what stands in C++ and CUDA sources that no program of the project builds or loads.
inline constexpr std::string_view kUnusedNativeCause = "native-unused";

/// The cause of what is for inference with TensorRT.
inline constexpr std::string_view kInferenceCause = "tensorrt";

/// Of a source that is only listed, rule and cause.
inline constexpr std::string_view kNativeSource = "native-source";

/// The rule of what a build with CMake asks of CUDA.
inline constexpr std::string_view kCMakeRow = "native-build";

/// The cause of a program that builds C++ and CUDA sources which the project does not have.
inline constexpr std::string_view kAbsentNativeCause = "native-absent";

class StandInPlan;

/// What stands in for the CUDA sources of a project.
struct OwnStandIns {
  const StandInPlan* built = nullptr;  ///< null if nobody has asked for them
  /// What would be built if somebody asked: only that is offered. Asked for where nothing is built.
  std::function<const StandInPlan&()> offered;
};

/// Makes one cause of all that `records` tell of one extension module of the project: its import
/// and its uses, its kernels, their host code, the program that builds it. The rows in Python then
/// say what the module offers, what does the same on an NPU, and what is left to write. Modules
/// that one program builds and that stop programs alike are one cause: "cuda-extension:setup.py".
/// What belongs to no extension stops no program.
void MergeOwnOperators(const OwnOperatorSources& sources, const OwnStandIns& stand_ins,
                       std::vector<ChangeRecord>& records);

}  // namespace transplt
