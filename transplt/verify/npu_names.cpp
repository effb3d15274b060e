// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/npu_names.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "transplt/base/json_text.h"
#include "transplt/engine/target.h"
#include "transplt/engine/torch_apis.h"
#include "transplt/verify/simulator_files.h"

namespace transplt {
namespace {

/// rules/torch_npu_names.json, which the simulator reads too.
std::string_view NpuNameTable() {
  for (const EmbeddedFile& file : SimulatorFiles()) {
    if (file.path == "torch_npu_names.json") return file.text;
  }
  return "{}";
}

bool IsBelow(std::string_view name, std::string_view module) {
  return name.starts_with(module) && name.size() > module.size() && name[module.size()] == '.';
}

/// `torch_npu.npu.x` is `torch.npu.x`.
std::string Canonical(std::string_view name) {
  const Target& target = DefaultTarget();
  const std::string other = target.ImportSpelling(target.module);
  if (name != other && !IsBelow(name, other)) return std::string(name);
  return target.module + std::string(name.substr(other.size()));
}

bool IsOfNpu(std::string_view name) {
  const Target& target = DefaultTarget();
  return name == target.module || IsBelow(name, target.module) || IsBelow(name, target.package);
}

/// `getattr(torch.npu, "x", None)` has an answer for a name that is not there.
bool HasDefault(Node node) {
  if (!node.Is(NodeKind::kCall)) return false;
  size_t arguments = 0;
  const Node list = node.Child(Field::kArguments);
  for (Node item = list.first_named_child(); item; item = item.next_named_sibling()) ++arguments;
  return arguments > 2;
}

}  // namespace

Result<NpuNames> NpuNames::Of(const std::string& version) {
  const auto table = ParseJson(NpuNameTable());
  std::string known;
  for (const auto& [key, modules] : table.items()) {
    known += (known.empty() ? "" : ", ") + key;
    if (version != key && !version.starts_with(key + ".")) continue;
    NpuNames names;
    names.version_ = key;
    for (const auto& [module, members] : modules.items()) {
      names.modules_[module] = members.get<std::set<std::string, std::less<>>>();
    }
    return names;
  }
  return Error{
      Error::Code::kUsage, "--torch-version",
      Say("the names of torch_npu for torch {} are not known; known are those for {}",
          "没有适用于 torch {} 的 torch_npu 名称表; 已知的 torch 版本有 {}", version, known)};
}

bool NpuNames::Has(std::string_view name) const {
  const std::string full = Canonical(name);
  const size_t dot = full.rfind('.');
  if (dot == std::string::npos) return full == DefaultTarget().package;
  const auto module = modules_.find(full.substr(0, dot));
  return module != modules_.end() && module->second.contains(full.substr(dot + 1));
}

bool NpuNames::Lacks(std::string_view name) const {
  const std::string full = Canonical(name);
  if (!IsOfNpu(full)) return false;
  // Each part is looked up in the module that is in front of it, as far as the table goes.
  for (size_t dot = full.find('.', full.find('.') + 1); dot != std::string::npos;
       dot = full.find('.', dot + 1)) {
    const auto module = modules_.find(full.substr(0, dot));
    if (module == modules_.end()) continue;
    const size_t end = full.find('.', dot + 1);
    const std::string part = full.substr(dot + 1, end - dot - 1);
    const bool is_module = modules_.contains(full.substr(0, end));
    if (!is_module && !module->second.contains(part)) return true;
  }
  return false;
}

std::vector<NpuNameUse> NpuNamesIn(const FileContext& file) {
  std::vector<NpuNameUse> uses;
  for (const Binding& binding : file.names().bindings()) {
    if (binding.kind != BindingKind::kImport || !IsOfNpu(Canonical(binding.target))) continue;
    uses.push_back({binding.target, binding.node.range().start});
  }
  for (const Node node : UsedNames(file)) {
    if (HasDefault(node)) continue;
    for (const QualifiedName& name : file.names().Resolve(node)) {
      if (name.local || !IsOfNpu(Canonical(name.name))) continue;
      uses.push_back({name.name, node.range().start});
    }
  }
  std::stable_sort(uses.begin(), uses.end(),
                   [](const NpuNameUse& a, const NpuNameUse& b) { return a.offset < b.offset; });
  return uses;
}

}  // namespace transplt
