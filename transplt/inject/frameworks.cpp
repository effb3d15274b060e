// SPDX-License-Identifier: Apache-2.0
#include "transplt/inject/frameworks.h"

#include <algorithm>
#include <array>

#include "transplt/facts/imported_package.h"
#include "transplt/project/project_files.h"

namespace transplt {

std::span<const InjectFramework> InjectFrameworks() {
  static const std::array<InjectFramework, 3> kFrameworks = {{
      {"tensorflow",
       {"npu_bridge", "npu_device", "custom_optimizers", "npu_config_proto", "init_resource",
        "npu_run_config_init", "set_keras_session_npu_config", "NPURunConfig"},
       {"session"},
       InjectTensorflow,
       LintTensorflow,
       false,
       {"session"},
       true,
       {},
       "tensorflow"},
      {"pytorch",
       {"backward", "loss_scaler", "trainer"},
       {"msprobe", "ptdbg", "capture", "dumper", "init-dump", "torch-npu-profiler",
        "autograd-profile", "npu-profile", "prof", "op-list", "aoe", "set-option", "module-hooks"},
       InjectPytorch,
       LintPytorch,
       true,
       {"msprobe", "ptdbg", "capture"},
       false,
       {"PrecisionDebugger", "npu", "dumper"}},
      {"mindspore",
       // What a program imports of its project may load MindSpore.
       {"mindspore", ".train(", ".eval(", "import "},
       {"dump", "context", "callbacks", "metrics", "print", "log"},
       InjectMindspore,
       LintMindspore,
       true,
       {},
       false,
       {"mindspore", "MINDSPORE"}},
  }};
  return kFrameworks;
}

const InjectFramework* FindInjectFramework(std::string_view name) {
  for (const InjectFramework& framework : InjectFrameworks()) {
    if (framework.name == name) return &framework;
  }
  return nullptr;
}

const InjectFramework* DetectInjectFramework(const std::string& input) {
  const Result<ProjectFiles> project = FindProjectFiles(input, {});
  std::array<size_t, 3> counts = {};
  Parser parser;
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kPackages = {
      {{"tensorflow", "tensorflow"}, {"pytorch", "torch"}, {"mindspore", "mindspore"}}};
  if (project) {
    for (const ProjectEntry& entry : project->entries) {
      if (entry.kind != ProjectEntry::Kind::kMigratable) continue;
      Result<std::string> bytes = ReadProjectFile(*project, entry);
      if (!bytes) continue;
      FileImports file(entry.path, *std::move(bytes), parser);
      // Nobody imports these but for TensorFlow on the NPU.
      if (file.Has("npu_bridge") || file.Has("npu_device")) {
        return FindInjectFramework("tensorflow");
      }
      for (size_t i = 0; i < kPackages.size(); ++i) {
        if (file.Has(kPackages[i].second)) ++counts[i];
      }
    }
  }
  const auto most = static_cast<size_t>(std::ranges::max_element(counts) - counts.begin());
  const InjectFramework* found = FindInjectFramework(kPackages[most].first);
  return found != nullptr ? found : &InjectFrameworks().front();
}

}  // namespace transplt
