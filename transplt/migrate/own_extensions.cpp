// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/own_extensions.h"

#include <fmt/format.h>

#include <set>

#include "transplt/facts/cuda_needs.h"
#include "transplt/facts/imported_library.h"
#include "transplt/facts/project.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

Text Advice(const ExtensionModule& module) {
  if (module.has_cpu_build) {
    return Say(
        "{}: an extension that {} builds of CUDA sources, or without CUDA for the CPU; for "
        "the NPU write its operators with functions of torch, or in Ascend C with "
        "torch_npu.utils.cpp_extension.NpuExtension",
        "{}: 由 {} 用 CUDA 源码编译的扩展, 无 CUDA 时编译为 CPU 版; NPU 上请用 torch 函数实现"
        "其算子, 或用 Ascend C 与 torch_npu.utils.cpp_extension.NpuExtension 实现",
        module.name, module.declared_in);
  }
  return Say(
      "{}: an extension that {} builds of CUDA sources; it cannot be built without CUDA, so "
      "that its import fails; write its operators with functions of torch, or in Ascend C "
      "with torch_npu.utils.cpp_extension.NpuExtension",
      "{}: 由 {} 用 CUDA 源码编译的扩展; 没有 CUDA 时无法编译, 导入会失败; 请用 torch 函数实现其"
      "算子, 或用 Ascend C 与 torch_npu.utils.cpp_extension.NpuExtension 实现",
      module.name, module.declared_in);
}

/// Reports each extension once for a file: where it is imported, else where it is first used.
class OwnExtensions {
 public:
  OwnExtensions(const FileContext& file, const ProjectModules& modules, Findings& found)
      : file_(file), modules_(modules), found_(found) {}

  Findings Check() {
    const SyntaxTree& tree = file_.tree();
    for (const Node node : NodesIn(tree)) {
      if (node.Is(NodeKind::kImportStatement) || node.Is(NodeKind::kImportFromStatement)) {
        CheckImport(node);
      } else if (node.Is(NodeKind::kCall)) {
        CheckImportByName(node);
      }
    }
    for (const Node node : NodesIn(tree)) {
      if (node.Is(NodeKind::kAttribute)) CheckUse(node);
    }
    return std::move(findings_);
  }

 private:
  const ExtensionModule* Find(std::string_view qualified) const {
    const ExtensionModule* module = modules_.FindExtension(qualified);
    return module != nullptr && module->is_cuda ? module : nullptr;
  }

  void CheckImport(Node statement) {
    if (IsForTypesOnly(statement, file_.names())) return;
    for (const ImportedModule& imported : ImportedModules(statement, file_.names())) {
      const ExtensionModule* module = Find(imported.name);
      // One that is built for the CPU can be imported; what stops is the use of its operators.
      if (module == nullptr || module->has_cpu_build) continue;
      Report(imported.item, *module, IsOptionalImport(statement), Severity::kStopsImport);
    }
  }

  /// `importlib.import_module("x_ext")`
  void CheckImportByName(Node call) {
    const Node name = call.Child(Field::kArguments).first_named_child();
    const Node content = name.Is(NodeKind::kString) ? PlainStringContent(name) : Node();
    const ExtensionModule* module = content ? Find(content.text()) : nullptr;
    if (module == nullptr || module->has_cpu_build) return;
    if (!IsImportFunction(call.Child(Field::kFunction), file_.names())) return;
    Report(name, *module, IsOptionalImport(call), Severity::kStopsImport);
  }

  void CheckUse(Node attribute) {
    const bool is_of_module = attribute.Child(Field::kAttribute).text().starts_with("__");
    if (is_of_module || attribute.parent().Is(NodeKind::kAttribute)) return;
    for (const QualifiedName& name : file_.names().Resolve(attribute)) {
      const ExtensionModule* module = name.local ? nullptr : Find(name.name);
      if (module == nullptr) continue;
      return Report(attribute, *module, IsCaught(attribute),
                    module->has_cpu_build ? Severity::kStopsRun : Severity::kStopsImport);
    }
  }

  /// True if a rule has said something about the import at `item`, which is about `module` then.
  bool IsFound(Node item, const ExtensionModule& module) {
    bool is_found = false;
    for (Finding& finding : found_) {
      if (finding.range != item.range() || finding.applicability != Applicability::kDisplayOnly) {
        continue;
      }
      finding.cause = OwnExtensionCause(module.name);
      is_found = true;
    }
    return is_found;
  }

  void Report(Node place, const ExtensionModule& module, bool goes_on, Severity severity) {
    if (!reported_.insert(&module).second || IsFound(place, module)) return;
    findings_.push_back(RowAt(place.range(), kOwnExtensionRule, Advice(module),
                              goes_on ? Operation::kSuggestion : Operation::kUnsupported,
                              goes_on ? Severity::kNote : severity));
    findings_.back().cause = OwnExtensionCause(module.name);
  }

  const FileContext& file_;
  const ProjectModules& modules_;
  Findings& found_;
  std::set<const ExtensionModule*> reported_;
  Findings findings_;
};

}  // namespace

std::string OwnExtensionCause(std::string_view module) {
  return fmt::format("{}:{}", kOwnExtensionCause, module);
}

Findings CheckOwnExtensions(const FileContext& file, Findings& found) {
  const ProjectModules* modules = file.modules();
  if (modules == nullptr || !modules->MayNameExtension(file.source().bytes())) return {};
  return OwnExtensions(file, *modules, found).Check();
}

}  // namespace transplt
