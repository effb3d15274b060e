// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/base/finding.h"
#include "transplt/engine/file_context.h"
#include "transplt/facts/project_code.h"

namespace transplt {

/// What is known about the project around a file.
struct CudaSidesOptions {
  const ProjectCode* code = nullptr;  ///< of the project; null: nothing is known about other files
  /// The program serves the device of the migration already, and stays as it is.
  bool is_served = false;
  /// The result has to run on every device: what could not be made so runs on CUDA alone.
  bool any_device = false;
};

struct KeptForCuda {
  std::vector<TextRange> stays;   ///< as it is
  std::vector<TextRange> passed;  ///< of that, what an NPU does not get to
};

/// Takes back the fixes of what stays for CUDA, and says why in one row for each condition, and in
/// one row for the file where the program serves the other device already:
/// - a condition before what only CUDA can run, with what it protects;
/// - a condition that asks for one kind of GPU;
/// - the CUDA side of a choice that the program makes itself;
/// - a whole file of a program that serves the other device: the row names the lines without a side
///   for that device.
KeptForCuda KeepCudaSides(const FileContext& file, const GuardSignatures& signatures,
                          const CudaSidesOptions& options, Findings& findings);

}  // namespace transplt
