// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace transplt {

/// How a program asks for the device that it was written for, and what only that device can run.
/// All of it comes from the rules. Names are full dotted names.
struct GuardSignatures {
  std::string rule_id;

  std::vector<std::string> availability;  ///< torch.cuda.is_available, torch.cuda.device_count
  std::vector<std::string> which_gpu;     ///< torch.cuda.get_device_capability, torch.version.hip
  std::vector<std::string> unanswered;    ///< those of them that give None where there is no CUDA
  std::vector<std::string> attributes;    ///< of a tensor: is_cuda
  std::vector<std::string> values;        ///< compared with a device or a backend: cuda, nccl
  std::string host;                       ///< the device that is always there: cpu

  std::vector<std::string> skip_if;      ///< decorators: pytest.mark.skipif
  std::vector<std::string> skip_unless;  ///< unittest.skipUnless
  std::vector<std::string> leaves;       ///< calls that do not return: sys.exit, pytest.skip

  std::vector<std::string> cuda_only;      ///< packages and functions
  std::vector<std::string> toolkit;        ///< values that are None without CUDA: CUDA_HOME
  std::vector<std::string> builders;       ///< compile sources: torch.utils.cpp_extension.load
  std::string source_suffix;               ///< of sources in CUDA: .cu
  std::vector<std::string> build_options;  ///< what builders call that: extra_cuda_cflags
  std::vector<std::string> build_flags;    ///< how options of a compiler begin: -D

  std::vector<std::string> features;  ///< parts of names that hint at a feature of CUDA: fused
  std::string kernel_suffix;          ///< how the name of a function ends that does: _cuda

  std::vector<std::string> program_files;  ///< at the root of a program: setup.py

  std::vector<std::string> words;         ///< that name this device: cuda, nccl
  std::vector<std::string> target_words;  ///< that name the device of the migration: npu, hccl
  std::vector<std::string> shared_words;  ///< those of them that name another device too: hccl
  std::vector<std::string> sharers;       ///< words for that other device: hpu
  /// Modules whose import makes calls for this device work on that of the migration:
  /// torch_npu.contrib.transfer_to_npu. They change no comparison: x.device.type stays "npu".
  std::vector<std::string> transfers;
};

}  // namespace transplt
