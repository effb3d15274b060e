// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/own_extensions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/engine/version_range.h"
#include "transplt/facts/cuda_needs.h"
#include "transplt/facts/imported_library.h"
#include "transplt/facts/optional_names.h"
#include "transplt/facts/project.h"
#include "transplt/migrate/stand_in_plan.h"
#include "transplt/native/operator_index.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/main_block.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

Text Advice(const ExtensionModule& module) {
  if (!module.loader.empty()) {
    return Say(
        "{}: an extension that {} compiles of code for CUDA when it runs, which fails without "
        "CUDA; write its operators with functions of torch, or in Ascend C with "
        "torch_npu.utils.cpp_extension.NpuExtension",
        "{}: 由 {} 在运行时编译 CUDA 代码的扩展, 没有 CUDA 时编译会失败; 请用 torch 函数实现其"
        "算子, 或用 Ascend C 与 torch_npu.utils.cpp_extension.NpuExtension 实现",
        module.name, module.declared_in);
  }
  if (!module.is_cuda) {
    return Say(
        "{}: an extension that {} builds of C++ sources, in which names of CUDA are left; an NPU "
        "stops there until they are written anew",
        "{}: 由 {} 用 C++ 源码编译的扩展, 源码中仍有 CUDA 名称; 改写之前 NPU 会在此停止",
        module.name, module.declared_in);
  }
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
  OwnExtensions(const FileContext& file, const ProjectModules& modules, Findings& found,
                const StandInPlan* stand_ins)
      : file_(file), modules_(modules), found_(found), stand_ins_(stand_ins) {}

  Findings Check() {
    const SyntaxTree& tree = file_.tree();
    for (const Node node : NodesIn(tree)) {
      if (node.Is(NodeKind::kImportStatement) || node.Is(NodeKind::kImportFromStatement)) {
        CheckImport(node);
      } else if (node.Is(NodeKind::kCall)) {
        CheckImportByName(node);
        CheckLoad(node);
      }
    }
    for (const Binding& binding : file_.names().bindings()) CheckGiven(binding);
    for (const Node node : NodesIn(tree)) {
      const bool is_name = stand_ins_ != nullptr && node.Is(NodeKind::kIdentifier);
      if (node.Is(NodeKind::kAttribute) || is_name) CheckUse(node);
    }
    TellImported();
    return std::move(findings_);
  }

 private:
  const ExtensionModule* Find(std::string_view qualified) const {
    const ExtensionModule* module = modules_.FindExtension(qualified);
    return module != nullptr && module->IsForCuda() ? module : nullptr;
  }

  void CheckImport(Node statement) {
    if (IsForTypesOnly(statement, file_.names())) return;
    for (const ImportedModule& imported : ImportedModules(statement, file_.names())) {
      const ExtensionModule* module = Find(imported.name);
      if (NoteImport(imported.item, module)) continue;
      // One that is built for the CPU can be imported; what stops is the use of its operators.
      if (module == nullptr || !module->is_cuda || module->has_cpu_build) continue;
      Report(imported.item, *module, IsOptionalImport(statement, file_.names(), file_.project()),
             Severity::kStopsImport);
    }
  }

  /// `importlib.import_module("x_ext")`
  void CheckImportByName(Node call) {
    const Node name = call.Child(Field::kArguments).first_named_child();
    const Node content = name.Is(NodeKind::kString) ? PlainStringContent(name) : Node();
    const ExtensionModule* module = content ? Find(content.text()) : nullptr;
    if (module == nullptr) return;
    if (!IsImportFunction(call.Child(Field::kFunction), file_.names())) return;
    if (NoteImport(name, module) || !module->is_cuda || module->has_cpu_build) return;
    Report(name, *module, IsOptionalImport(call, file_.names(), file_.project()),
           Severity::kStopsImport);
  }

  /// `_C = load_extension()`, of a function that imports the module and gives None where that
  /// fails: what needs it in any case.
  void CheckGiven(const Binding& binding) {
    if (!binding.statement.Is(NodeKind::kAssignment) || !binding.value.Is(NodeKind::kCall)) return;
    const ExtensionModule* module = modules_.GivenBy(binding.value, file_.names());
    if (module == nullptr || StandInsOf(module) != nullptr) return;
    if (!module->is_cuda || module->has_cpu_build || !reported_.insert(module).second) return;
    for (const UseWithoutImport& needed :
         UsesWithoutImport(binding.statement, file_.names(), file_.project())) {
      Text text = Advice(*module);
      const Text reason = needed.reason();
      text = {text.en + reason.en, text.zh + reason.zh};
      findings_.push_back(RowAt(needed.use.range(), kOwnExtensionRule, std::move(text),
                                Operation::kUnsupported, Severity::kStopsRun));
      findings_.back().cause = OwnExtensionCause(module->name);
    }
  }

  /// `load(name="x_ext", sources=["x.cu"])`: what a rule says there is about that module.
  void CheckLoad(Node call) {
    const ExtensionModule* module = modules_.LoadedBy(call, file_.names());
    if (module == nullptr) return;
    for (Finding& finding : found_) {
      const bool is_it = finding.rule_id == module->loader &&
                         finding.applicability == Applicability::kDisplayOnly &&
                         call.Child(Field::kFunction).range().Contains(finding.range);
      if (!is_it) continue;
      finding.cause = OwnExtensionCause(module->name);
      finding.message = Advice(*module);
      const bool is_run_later =
          DefinitionAround(call) ||
          std::ranges::any_of(MainBlocksOf(file_.tree().root()),
                              [&](Node block) { return block.IsAncestorOf(call); });
      if (!is_run_later && finding.severity == Severity::kStopsRun) {
        finding.severity = Severity::kStopsImport;
      }
    }
  }

  void CheckUse(Node attribute) {
    const bool is_of_module = attribute.Child(Field::kAttribute).text().starts_with("__");
    if (is_of_module || attribute.parent().Is(NodeKind::kAttribute)) return;
    if (attribute.Is(NodeKind::kIdentifier) && (IsInImport(attribute) || IsAssigned(attribute))) {
      return;
    }
    for (const QualifiedName& name : file_.names().Resolve(attribute)) {
      const OwnOperator* found = name.local ? nullptr : modules_.FindOperator(name.name);
      if (found != nullptr) return TellRegistered(attribute, *found);
      const ExtensionModule* module = name.local ? nullptr : Find(name.name);
      if (module == nullptr) continue;
      if (const ModuleStandIns* stand_ins = StandInsOf(module); stand_ins != nullptr) {
        return TellOperator(attribute, *module, *stand_ins, LastPart(name.name));
      }
      if (attribute.Is(NodeKind::kIdentifier)) continue;
      return Report(
          attribute, *module, IsCaught(attribute),
          !module->is_cuda || module->has_cpu_build ? Severity::kStopsRun : Severity::kStopsImport);
    }
  }

  using Answer = ModuleStandIns::Answer;

  const ModuleStandIns* StandInsOf(const ExtensionModule* module) const {
    const bool asks = stand_ins_ != nullptr && module != nullptr;
    return asks ? stand_ins_->Of(*module) : nullptr;
  }

  /// The import of a module that stand-ins are built for works. False for any other.
  bool NoteImport(Node item, const ExtensionModule* module) {
    if (StandInsOf(module) == nullptr) return false;
    imported_.emplace(module, item);
    std::erase_if(found_, [&](const Finding& finding) {
      return finding.range == item.range() && finding.applicability == Applicability::kDisplayOnly;
    });
    return true;
  }

  void TellOperator(Node place, const ExtensionModule& module, const ModuleStandIns& stand_ins,
                    std::string_view name) {
    const auto found = stand_ins.operators.find(std::string(name));
    if (found == stand_ins.operators.end()) return;
    used_.insert(&module);
    if (found->second == Answer::kOwn || !told_.emplace(&module, name).second) return;
    const bool fails = found->second == Answer::kFails;
    Text text =
        fails ? Say("{}: the stand-in that {} builds raises NotImplementedError when it is called; "
                    "write the operator in Ascend C, or with functions of torch",
                    "{}: {} 编译的替代源码在调用时抛出 NotImplementedError; 请用 Ascend C 或 torch "
                    "函数实现该算子",
                    name, module.declared_in)
              : Say("{}: the stand-in that {} builds computes on the CPU with the project's "
                    "own code and copies the tensors there and back, which is slow",
                    "{}: {} 编译的替代源码以项目自身的代码在 CPU 上计算并来回复制张量, 速度慢",
                    name, module.declared_in);
    const std::string_view elsewhere = OperatorElsewhere(name);
    if (!elsewhere.empty()) {
      text.en += fmt::format("; an NPU has {}, whose arguments may differ", elsewhere);
      text.zh += fmt::format("；NPU 上可用 {}, 其参数可能不同", elsewhere);
    }
    const bool goes_on = fails && IsCaught(place);
    findings_.push_back(RowAt(place.range(), kStandInRule, std::move(text),
                              fails && !goes_on ? Operation::kUnsupported : Operation::kSuggestion,
                              goes_on ? Severity::kNote
                              : fails ? Severity::kStopsRun
                                      : Severity::kSlower));
    findings_.back().cause = OwnExtensionCause(module.name);
  }

  /// An operator of torch.ops that the project registers, where the file uses it first.
  void TellRegistered(Node place, const OwnOperator& found) {
    const ExtensionModule* module = found.module.empty() ? nullptr : Find(found.module);
    const std::string name(LastPart(place.text()) == "default" ? ParentPart(place.text())
                                                               : place.text());
    if (const ModuleStandIns* stand_ins = StandInsOf(module); stand_ins != nullptr) {
      return TellOperator(place, *module, *stand_ins, LastPart(name));
    }
    if (!told_operators_.insert(&found).second) return;
    Text text = Say("{}: {} registers it, and what it runs is for CUDA",
                    "{}: 由 {} 注册, 其实现仅用于 CUDA", name, found.source);
    if (!found.kernels.empty()) {
      const size_t shown = std::min<size_t>(found.kernels.size(), 3);
      const std::string kernels =
          fmt::format("{}{}", fmt::join(found.kernels.begin(), found.kernels.begin() + shown, ", "),
                      shown < found.kernels.size() ? ", ..." : "");
      text.en += fmt::format(" (kernels: {})", kernels);
      text.zh += fmt::format(" (核函数: {})", kernels);
    }
    const Text advice =
        Say("write it with functions of torch, or in Ascend C, and register it for the NPU "
            "(dispatch key PrivateUse1)",
            "请用 torch 函数或 Ascend C 实现, 并为 NPU 注册 (分派键 PrivateUse1)");
    text = {text.en + "; " + advice.en, text.zh + "；" + advice.zh};
    if (found.has_cpu) {
      text.en += "; its sources have code for the CPU, which takes tensors that are there";
      text.zh += "；其源码含有 CPU 实现, 可用于 CPU 上的张量";
    }
    const bool goes_on = IsCaught(place);
    findings_.push_back(RowAt(place.range(), kOwnOperatorRule, std::move(text),
                              goes_on ? Operation::kSuggestion : Operation::kUnsupported,
                              goes_on ? Severity::kNote : Severity::kStopsRun));
    findings_.back().cause =
        module == nullptr ? std::string(kOwnExtensionCause) : OwnExtensionCause(module->name);
  }

  /// One row for each import: where no use tells more, it is as bad as the worst operator.
  void TellImported() {
    for (const auto& [module, item] : imported_) {
      const ModuleStandIns& stand_ins = *StandInsOf(module);
      Severity worst = stand_ins.unfinished.empty() ? Severity::kNote : Severity::kStopsImport;
      for (const auto& [name, answer] : stand_ins.operators) {
        if (used_.contains(module) || answer == Answer::kOwn) continue;
        worst = std::min(worst, answer == Answer::kFails ? Severity::kStopsRun : Severity::kSlower);
      }
      findings_.push_back(
          RowAt(item.range(), kOwnExtensionRule, Advice(*module), Operation::kSuggestion, worst));
      findings_.back().cause = OwnExtensionCause(module->name);
      if (IsOptionalImport(item, file_.names(), file_.project())) TellOptional(item, *module);
    }
  }

  /// A program that goes another way without the module goes this way now.
  void TellOptional(Node item, const ExtensionModule& module) {
    findings_.push_back(
        RowAt(item.range(), kStandInRule,
              Say("{}: the program goes on without this module where it is missing; with the "
                  "stand-ins the import works, so that it takes the way of the module: if the "
                  "other way is better on an NPU, do not build {} there",
                  "{}: 缺少该模块时程序会走另一条路径; 有了替代源码后导入成功, 程序将使用该模块: "
                  "若另一路径在 NPU 上更好, 请勿在 NPU 上编译 {}",
                  module.name, module.declared_in),
              Operation::kSuggestion, Severity::kMayGoWrong));
    findings_.back().cause = OwnExtensionCause(module.name);
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
    // What a function imports stops it when it is called.
    if (severity == Severity::kStopsImport && DefinitionAround(place)) {
      severity = Severity::kStopsRun;
    }
    findings_.push_back(RowAt(place.range(), kOwnExtensionRule, Advice(module),
                              goes_on ? Operation::kSuggestion : Operation::kUnsupported,
                              goes_on ? Severity::kNote : severity));
    findings_.back().cause = OwnExtensionCause(module.name);
  }

  const FileContext& file_;
  const ProjectModules& modules_;
  Findings& found_;
  const StandInPlan* const stand_ins_;
  std::set<const ExtensionModule*> reported_;
  std::map<const ExtensionModule*, Node> imported_;  // those with stand-ins
  std::set<const ExtensionModule*> used_;
  std::set<const OwnOperator*> told_operators_;
  std::set<std::pair<const ExtensionModule*, std::string>> told_;
  Findings findings_;
};

}  // namespace

std::string OwnExtensionCause(std::string_view module) {
  return fmt::format("{}:{}", kOwnExtensionCause, module);
}

Findings CheckOwnExtensions(const FileContext& file, Findings& found,
                            const StandInPlan* stand_ins) {
  const ProjectModules* modules = file.modules();
  if (modules == nullptr || !modules->MayNameExtension(file.source().bytes())) return {};
  return OwnExtensions(file, *modules, found, stand_ins).Check();
}

namespace {

/// True if the project has a source that `named` may mean: the folder before it may be put
/// together.
bool HasSource(const ProjectModules& modules, std::string_view named) {
  const std::string name =
      "/" + std::string(named.substr(std::min(named.find_first_not_of("./"), named.size())));
  return std::ranges::any_of(modules.extension_sources().paths, [&](const std::string& path) {
    // `glob.glob(os.path.join(root, "*.cu"))`
    if (HasPart(name, '*')) return MatchesPattern("*" + name, "/" + path);
    return ("/" + path).ends_with(name) || name.ends_with("/" + path);
  });
}

/// True if `torch`, a version or "", is `first` or newer.
bool IsFrom(std::string_view torch, std::string_view first) {
  const Result<VersionRange> old = VersionRange::Parse("<" + std::string(first));
  const Result<Version> version = ParseVersion(torch);
  return torch.empty() || (old && version && !old->Contains(*version));
}

}  // namespace

Findings CheckExtensionBuild(const FileContext& file, std::string_view torch) {
  Findings findings;
  const ProjectModules* modules = file.modules();
  if (modules == nullptr) return findings;
  const std::string& path = file.source().path();
  std::set<std::string_view> sources;
  bool builds = false;
  for (const ExtensionModule* module : modules->all_extensions()) {
    if (module->declared_in != path) continue;
    builds = true;
    sources.insert(module->sources.begin(), module->sources.end());
  }
  if (!builds) return findings;
  // Where all are missing, the program is told so as a whole.
  if (modules->extension_sources().paths.empty()) sources.clear();
  for (const Node node : NodesIn(file.tree())) {
    const Node content = node.Is(NodeKind::kString) ? PlainStringContent(node) : Node();
    if (!content) continue;
    const std::string_view text = content.text();
    if (sources.contains(text) && !HasSource(*modules, text)) {
      sources.erase(text);
      findings.push_back(RowAt(
          node.range(), "missing-source",
          Say("{}: the project does not have this source, so that what is built of it fails for "
              "every device; add it and migrate again",
              "{}: 项目中没有此源码, 因此由其编译的模块对任何设备都会失败; 请补上后重新迁移", text),
          Operation::kSuggestion, Severity::kMayGoWrong));
      findings.back().cause = "native-absent";
    } else if (const std::string_view first = Words("old-standards").MeaningOf(text);
               !first.empty() && IsFrom(torch, first)) {
      findings.push_back(
          RowAt(node.range(), "old-standard",
                Say("{}: headers of torch {} and later need C++17, so that the build stops; write "
                    "-std=c++17",
                    "{}: torch {} 及更高版本的头文件需要 C++17, 编译会失败; 请写为 -std=c++17",
                    text, first),
                Operation::kSuggestion, Severity::kMayGoWrong));
      findings.back().cause = kOwnExtensionCause;
    }
  }
  return findings;
}

}  // namespace transplt
