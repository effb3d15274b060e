// SPDX-License-Identifier: Apache-2.0
#include "transplt/cxx/stubs.h"

#include <array>

namespace transplt {

// Generated from stubs/*.h.
std::string_view StandardStubText();
std::string_view CudaStubText();
std::string_view TorchStubText();
std::string_view AscendStubText();

std::span<const Stub> Stubs() {
  static const std::array stubs = {
      Stub{"std.h", StandardStubText(), false}, Stub{"cuda.h", CudaStubText(), false},
      Stub{"torch.h", TorchStubText(), false}, Stub{"ascend.h", AscendStubText(), true}};
  return stubs;
}

}  // namespace transplt
