// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/facts/guard_signatures.h"

namespace transplt {

/// Some of what the rules say, for tests of facts that know no rules.
inline GuardSignatures SignaturesForTests() {
  GuardSignatures signatures;
  signatures.availability = {"torch.cuda.is_available", "torch.cuda.device_count"};
  signatures.which_gpu = {"torch.cuda.get_device_capability", "torch.version.hip"};
  signatures.attributes = {"is_cuda"};
  signatures.values = {"cuda", "nccl"};
  signatures.host = "cpu";
  signatures.skip_if = {"pytest.mark.skipif"};
  signatures.skip_unless = {"unittest.skipUnless"};
  signatures.leaves = {"sys.exit"};
  signatures.cuda_only = {"flash_attn", "torch.cudnn_convolution"};
  signatures.builders = {"torch.utils.cpp_extension.load"};
  signatures.source_suffix = ".cu";
  signatures.build_options = {"extra_cuda_cflags", "with_cuda"};
  signatures.build_flags = {"-D"};
  signatures.words = {"cuda", "gpu", "nccl"};
  signatures.target_words = {"npu", "npu", "hccl"};
  signatures.shared_words = {"hccl"};
  signatures.sharers = {"hpu", "habana"};
  return signatures;
}

}  // namespace transplt
