// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// Makes one cause of all that `records` tell of one extension module of the project: its import
/// and its uses, its kernels, their host code, the program that builds it. The rows in Python then
/// say what the module offers, what does the same on an NPU, and what is left to write. Modules
/// that one program builds and that stop programs alike are one cause: "cuda-extension:setup.py".
/// What belongs to no extension stops no program.
/// `stand_ins`: what is built in place of CUDA sources; may be null.
void MergeOwnOperators(const OwnOperatorSources& sources, const StandInPlan* stand_ins,
                       std::vector<ChangeRecord>& records);

}  // namespace transplt
