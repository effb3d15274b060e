// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/mode.h"

namespace transplt {

std::span<const Mode> Modes() {
  static const std::vector<Mode> modes = {
      {"torch_apis", Say("APIs of torch", "torch 接口"), RunTorchApis},
      {"third_party", Say("The project as a library: its functions", "作为三方库: 其函数"),
       RunThirdParty},
      {"affinity_apis", Say("What the affinity library has", "亲和库接口"), RunAffinityApis},
      {"dynamic_shape", Say("Shapes that change", "变化的形状"), RunDynamicShape},
      {"advice", Say("Speed and precision", "性能与精度"), RunAdvice},
  };
  return modes;
}

void Append(Text& page, const Text& more) {
  page.en += more.en;
  page.zh += more.zh;
}

void Append(Text& page, std::string_view more) {
  page.en += more;
  page.zh += more;
}

}  // namespace transplt
