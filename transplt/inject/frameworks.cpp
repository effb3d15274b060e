// SPDX-License-Identifier: Apache-2.0
#include "transplt/inject/frameworks.h"

#include <array>

namespace transplt {

std::span<const InjectFramework> InjectFrameworks() {
  static const std::array<InjectFramework, 1> kFrameworks = {{
      {"tensorflow",
       {"npu_bridge", "npu_device", "custom_optimizers", "npu_config_proto", "init_resource",
        "npu_run_config_init", "set_keras_session_npu_config", "NPURunConfig"},
       InjectTensorflow,
       LintTensorflow},
  }};
  return kFrameworks;
}

const InjectFramework* FindInjectFramework(std::string_view name) {
  for (const InjectFramework& framework : InjectFrameworks()) {
    if (framework.name == name) return &framework;
  }
  return nullptr;
}

}  // namespace transplt
