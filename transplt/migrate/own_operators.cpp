// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/own_operators.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transplt/base/one_of.h"
#include "transplt/base/test_file.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/imported_library.h"
#include "transplt/facts/project.h"
#include "transplt/migrate/module_sources.h"
#include "transplt/migrate/native_findings.h"
#include "transplt/migrate/own_extensions.h"
#include "transplt/migrate/stand_in_plan.h"
#include "transplt/native/operator_index.h"
#include "transplt/native/rules.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/name_table.h"
#include "transplt/python/opened_files.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr size_t kMostNames = 5;

std::string_view FolderWithSlash(std::string_view path) {
  return path.substr(0, path.rfind('/') + 1);  // "" if there is none
}

/// The first few, with "..." for the others.
std::string FirstNames(const std::vector<std::string>& names) {
  const size_t shown = std::min(names.size(), kMostNames);
  return fmt::format("{}{}", fmt::join(names.begin(), names.begin() + shown, ", "),
                     shown < names.size() ? ", ..." : "");
}

/// A function of Python that computes with functions of torch what a kernel computes.
struct Twin {
  std::string name;
  std::string place;

  std::string text() const { return fmt::format("{} ({})", name, place); }

  /// True if its name says that it is the whole of this operator: `upfirdn2d_native`.
  bool IsOf(std::string_view operator_name) const {
    std::string_view rest = name;
    rest.remove_prefix(std::min(rest.find_first_not_of('_'), rest.size()));
    if (!rest.starts_with(operator_name)) return false;
    rest.remove_prefix(operator_name.size());
    return rest.starts_with('_') && rest.find('_', 1) == std::string_view::npos;
  }
};

/// What is known of one module: the text of its rows.
class ModuleText {
 public:
  /// `siblings`: how many modules the program that builds it builds, itself included. `stand_ins`:
  /// what its operators do once stand-ins are built; may be null. `plan`: of its program, null if
  /// none can be made for it.
  /// `builds`: the programs that build a module of this name.
  ModuleText(const ExtensionModule& module, const std::vector<const NativeSource*>& sources,
             size_t siblings, const ModuleStandIns* stand_ins, const BuildStandIns* plan,
             const std::vector<std::string>& builds)
      : module_(module),
        index_(sources),
        siblings_(siblings),
        stand_ins_(stand_ins),
        plan_(plan),
        builds_(builds) {
    for (const NativeSource* source : sources) {
      std::map<uint32_t, double> sharers;  // of one body, which a macro may give many names
      for (const NativeKernel& kernel : source->kernels) ++sharers[kernel.whole.start];
      for (const NativeKernel& kernel : source->kernels) {
        const double hours = HoursFor(kernel.features, NativeRules::Builtin());
        hours_.emplace_back(kernel.name, hours / sharers[kernel.whole.start]);
      }
      for (const NativeFinding& finding : source->findings) AddLibrary(finding, *source);
    }
    LeaveOutDead(sources);
  }

  /// True if no source has an operator or a kernel.
  bool IsEmpty() const { return index_.operators().empty() && hours_.empty(); }

  Text Written(const std::vector<Twin>& twins) const {
    Text text = Opening();
    if (builds_.size() > 1) {
      Add(text, Say("{} build modules of this name, and all of them are counted here together",
                    "{} 均编译同名模块, 此处合并统计", FirstNames(builds_)));
    }
    std::vector<std::string> elsewhere;
    std::string_view served_torch;
    std::set<std::string_view> limited;
    std::vector<std::string> on_cpu;
    std::vector<std::string> left;
    std::set<std::string> open_kernels;
    std::set<std::string> answered_kernels;
    for (const BoundOperator& one : index_.operators()) {
      // `m.def("forward", &roipool3d_gpu)`: the function alone says what is computed.
      const bool is_plain = !PlainOperatorName(one.name).empty();
      const std::string name = is_plain ? one.name : LastPartOf(one.function);
      const std::string_view counterpart = OperatorElsewhere(name, index_.operators());
      if (!one.cpu_function.empty()) on_cpu.push_back(one.name);
      if (!counterpart.empty()) {
        elsewhere.push_back(fmt::format("{} ({})", counterpart, one.name));
        if (!Words("operator-limits").MeaningOf(counterpart).empty()) limited.insert(counterpart);
        const std::string_view torch = Words("torch-of-packages").MeaningOf(FirstPart(counterpart));
        if (!torch.empty()) served_torch = torch;
        answered_kernels.insert(one.kernels.begin(), one.kernels.end());
      } else if (std::ranges::any_of(twins, [&](const Twin& twin) { return twin.IsOf(name); })) {
        answered_kernels.insert(one.kernels.begin(), one.kernels.end());
      } else if (!one.kernels.empty()) {
        left.push_back(one.name);
        open_kernels.insert(one.kernels.begin(), one.kernels.end());
      }
    }
    double hours = 0;
    for (const auto& [kernel, work] : hours_) {
      if (open_kernels.contains(kernel) || !answered_kernels.contains(kernel)) hours += work;
    }
    if (!elsewhere.empty()) {
      Add(text, Say("an NPU has {}, whose arguments may differ", "NPU 上可用 {}, 其参数可能不同",
                    FirstNames(elsewhere)));
      if (!served_torch.empty()) Add(text, Say("{}", "{}", served_torch));
    }
    for (const std::string_view counterpart : limited) AddLimits(counterpart, text);
    if (!twins.empty()) {
      std::vector<std::string> texts;
      for (const Twin& twin : twins) texts.push_back(twin.text());
      Add(text, Say("with functions of torch: {}", "以 torch 函数实现: {}", FirstNames(texts)));
    }
    if (!on_cpu.empty()) {
      Add(text, Say("its sources have code for the CPU for {}", "其源码含有 CPU 实现: {}",
                    FirstNames(on_cpu)));
    }
    const bool is_open =
        left.empty() && elsewhere.empty() && answered_kernels.empty() && libraries_.empty();
    if (hours > 0 || (module_.is_cuda && is_open)) {
      const std::string names = left.empty() ? "" : " (" + FirstNames(left) + ")";
      Add(text, Say("what is left{}: functions of torch, or Ascend C with "
                    "torch_npu.utils.cpp_extension.NpuExtension, about {:.0f} hours",
                    "其余{}: 用 torch 函数实现, 或用 Ascend C 与 "
                    "torch_npu.utils.cpp_extension.NpuExtension 实现, 约 {:.0f} 小时",
                    names, hours));
    }
    for (const auto& [library, functions] : libraries_) {
      const size_t operators = OperatorsThatReach(functions);
      // What builds descriptors for several operators is written anew with none of them.
      const size_t count = operators > 0 ? operators : functions.size();
      const double work = library->hours * static_cast<double>(count);
      const Text used =
          operators > 0
              ? Say("operators that use {}: {}, about {:.0f} hours",
                    "使用 {} 的算子: {} 个, 约 {:.0f} 小时", library->library, count, work)
              : Say("functions that use {}: {}, about {:.0f} hours",
                    "使用 {} 的函数: {} 个, 约 {:.0f} 小时", library->library, count, work);
      Add(text, {used.en + " (" + library->why + ")", used.zh + " (" + library->why_zh + ")"});
    }
    Add(text, Closing());
    return text;
  }

 private:
  static void AddLimits(std::string_view counterpart, Text& text) {
    const std::string_view limits = Words("operator-limits").MeaningOf(counterpart);
    const std::string_view other = Words("operators-with-other-limits").MeaningOf(counterpart);
    if (other.empty()) {
      return Add(text, Say("{} takes only {}", "{} 仅支持 {}", counterpart, limits));
    }
    Add(text, Say("{} takes only {}: where the calls give more, take {}",
                  "{} 仅支持 {}: 若调用超出此范围, 请使用 {}", counterpart, limits, other));
  }

  /// Nobody writes a kernel anew that nothing starts. Where an expression chooses what is started,
  /// any kernel may be.
  void LeaveOutDead(const std::vector<const NativeSource*>& sources) {
    std::set<std::string> named;
    for (const NativeSource* source : sources) {
      for (const NativeLaunch& launch : source->launches) {
        if (launch.kernel.empty() || launch.kernel.find("##") != std::string::npos) return;
        named.insert(launch.kernel);
      }
      for (const NativeFunction& function : source->functions) {
        for (const std::string& name : function.calls) {
          if (name != LastPartOf(function.name)) named.insert(name);
        }
      }
    }
    for (auto& [kernel, hours] : hours_) {
      if (!named.contains(kernel)) hours = 0;
    }
  }

  /// Notes the function that uses what a library without counterpart offers.
  void AddLibrary(const NativeFinding& finding, const NativeSource& source) {
    const NativeRules& rules = NativeRules::Builtin();
    const NativeRule* family = rules.Find(finding.rule_id);
    if (finding.outcome == NativeFinding::Outcome::kEdited || family == nullptr) return;
    if (family->kind != NativeRule::Kind::kFamily) family = rules.FamilyOf(family->id);
    if (family == nullptr || family->library.empty()) return;
    for (const NativeFunction& function : source.functions) {
      if (function.range.Contains(finding.range)) {
        libraries_[family].insert(LastPartOf(function.name));
      }
    }
  }

  size_t OperatorsThatReach(const std::set<std::string>& functions) const {
    return static_cast<size_t>(
        std::ranges::count_if(index_.operators(), [&](const BoundOperator& one) {
          const std::set<std::string> reached = index_.ReachedFrom({LastPartOf(one.function)});
          return std::ranges::any_of(
              functions, [&](const std::string& name) { return reached.contains(name); });
        }));
  }

  Text Opening() const {
    if (!module_.is_cuda) {
      return Say("{}: own C++ extension ({} functions), in whose sources names of CUDA are left",
                 "{}: 自有 C++ 扩展 ({} 个函数), 其源码中仍有 CUDA 名称", module_.name,
                 index_.operators().size());
    }
    if (siblings_ > 1) {
      return Say("{} (one of {} that {} builds): own CUDA extension ({} functions, {} kernels)",
                 "{} ({} 个由 {} 编译的模块之一): 自有 CUDA 扩展 ({} 个函数, {} 个核函数)",
                 module_.name, siblings_, module_.declared_in, index_.operators().size(),
                 hours_.size());
    }
    return Say("{}: own CUDA extension ({} functions, {} kernels)",
               "{}: 自有 CUDA 扩展 ({} 个函数, {} 个核函数)", module_.name,
               index_.operators().size(), hours_.size());
  }

  /// Once stand-ins are built.
  Text ClosingWithStandIns() const {
    std::vector<std::string> on_cpu;
    std::vector<std::string> failing;
    for (const auto& [name, answer] : stand_ins_->operators) {
      if (answer == ModuleStandIns::Answer::kOnCpu) on_cpu.push_back(name);
      if (answer == ModuleStandIns::Answer::kFails) failing.push_back(name);
    }
    if (on_cpu.empty() && failing.empty()) {
      return Say("{} builds it without CUDA", "由 {} 在无 CUDA 的情况下编译", module_.declared_in);
    }
    Text text = Say(
        "{} builds stand-ins in C++ for its CUDA sources, so that it can be imported; "
        "nothing was linked here",
        "{} 编译替代其 CUDA 源码的 C++ 源码, 因此可以导入; 此处未进行链接", module_.declared_in);
    if (!stand_ins_->unfinished.empty()) {
      const std::vector<std::string> unfinished(stand_ins_->unfinished.begin(),
                                                stand_ins_->unfinished.end());
      text =
          Say("{} builds stand-ins in C++ for its CUDA sources; its import works once what is "
              "left of CUDA in {} is written anew",
              "{} 编译替代其 CUDA 源码的 C++ 源码; 在改写 {} 中剩余的 CUDA 内容后即可导入",
              module_.declared_in, FirstNames(unfinished));
    }
    if (!on_cpu.empty()) {
      Add(text, Say("slow, on the CPU: {}", "在 CPU 上计算, 速度慢: {}", FirstNames(on_cpu)));
    }
    if (!failing.empty()) {
      Add(text, Say("an error at the call: {}", "调用时报错: {}", FirstNames(failing)));
    }
    return text;
  }

  Text Closing() const {
    if (stand_ins_ != nullptr) return ClosingWithStandIns();
    if (!module_.is_cuda) {
      return Say("{} builds it; an NPU stops at these names until they are written anew",
                 "由 {} 编译; 改写这些名称之前 NPU 会在此停止", module_.declared_in);
    }
    if (!module_.loader.empty()) {
      return Say("{} compiles it when it runs, which fails without CUDA",
                 "由 {} 在运行时编译, 没有 CUDA 时会失败", module_.declared_in);
    }
    if (module_.has_cpu_build) {
      return Say("{} builds it for CUDA, or without CUDA for the CPU",
                 "由 {} 为 CUDA 编译, 无 CUDA 时编译为 CPU 版", module_.declared_in);
    }
    if (plan_ == nullptr || !plan_->refusal.en.empty()) {
      return Say(
          "{} builds it; without CUDA its import fails, and nothing stands in for its sources",
          "由 {} 编译; 没有 CUDA 时导入会失败, 其源码没有替代源码", module_.declared_in);
    }
    return Say(
        "{} builds it; without CUDA its import fails (--enable cxx-stand-ins writes C++ "
        "sources in place of the CUDA sources, so that it can be imported)",
        "由 {} 编译; 没有 CUDA 时导入会失败 (--enable cxx-stand-ins 会写出替代 CUDA 源码的 "
        "C++ 源码, 使其可以导入)",
        module_.declared_in);
  }

  static void Add(Text& text, const Text& more) {
    text.en += "; " + more.en;
    text.zh += "；" + more.zh;
  }

  const ExtensionModule& module_;
  const OperatorIndex index_;
  const size_t siblings_;
  const ModuleStandIns* const stand_ins_;
  const BuildStandIns* const plan_;
  const std::vector<std::string> builds_;
  /// By definition: overloads, and kernels of two sources, may share a name.
  std::vector<std::pair<std::string, double>> hours_;
  struct ById {
    bool operator()(const NativeRule* one, const NativeRule* other) const {
      return one->id < other->id;
    }
  };
  std::map<const NativeRule*, std::set<std::string>, ById> libraries_;  // the functions
};

class Merger {
 public:
  Merger(const OwnOperatorSources& sources, const OwnStandIns& stand_ins,
         std::vector<ChangeRecord>& records)
      : project_(sources),
        stand_ins_(stand_ins.built),
        offered_(stand_ins.offered),
        files_(sources),
        records_(records),
        has_operators_(std::ranges::any_of(sources.native.all(), [](const auto& source) {
          return !source.second.kernels.empty() || !source.second.launches.empty();
        })) {}

  void Run() {
    JoinLoaded();
    FindImported();
    FindLoaded();
    for (ChangeRecord& record : records_) {
      if (record.applicability != Applicability::kDisplayOnly) continue;
      if (project_.native.Find(record.file) != nullptr) {
        MergeNative(record);
      } else if (record.cause == kOwnExtensionCause) {
        MergeBuild(record);
      }
    }
    MergeCMake();
    GroupByBuild();
    FindUsers();
    for (const auto& [cause, module] : imported_) Describe(cause, *module);
    for (ChangeRecord& record : records_) {
      const auto group = groups_.find(record.cause);
      if (group != groups_.end()) record.cause = group->second.cause;
    }
  }

 private:
  /// What a program compiles when it runs, of the sources of which a build program beside it makes
  /// a module, is that module by another name: `except ImportError: _ext = load("_ext_built",
  /// ...)`.
  void JoinLoaded() {
    for (const ExtensionModule& loaded : project_.modules.loaded()) {
      const std::set<std::string_view> sources = CudaSourcesOf(loaded);
      if (sources.empty()) continue;
      for (const ExtensionModule* module : project_.modules.all_extensions()) {
        const bool is_same =
            module->loader.empty() && module->name != loaded.name &&
            FolderWithSlash(module->declared_in) == FolderWithSlash(loaded.declared_in) &&
            CudaSourcesOf(*module) == sources;
        if (!is_same) continue;
        joined_.emplace(OwnExtensionCause(loaded.name), OwnExtensionCause(module->name));
        break;
      }
    }
    if (joined_.empty()) return;
    for (ChangeRecord& record : records_) {
      const auto joined = joined_.find(record.cause);
      if (joined != joined_.end()) record.cause = joined->second;
    }
  }

  std::string CauseOf(std::string_view module) const {
    std::string cause = OwnExtensionCause(module);
    const auto joined = joined_.find(cause);
    return joined == joined_.end() ? cause : joined->second;
  }

  static std::set<std::string_view> CudaSourcesOf(const ExtensionModule& module) {
    std::set<std::string_view> names;
    for (const std::string& source : module.sources) {
      if (source.ends_with(".cu")) names.insert(NameOfFile(source));
    }
    return names;
  }

  /// Modules that files of Python import, and how bad that is.
  void FindImported() {
    for (const ExtensionModule* module : project_.modules.all_extensions()) {
      by_cause_.try_emplace(OwnExtensionCause(module->name), module);
    }
    for (const ChangeRecord& record : records_) {
      const auto module = by_cause_.find(record.cause);
      if (module == by_cause_.end()) continue;
      const auto [worst, is_new] = worst_.try_emplace(record.cause, record.severity);
      worst->second = std::min(worst->second, record.severity);
      imported_.insert(*module);
    }
  }

  /// Folders of sources that files of Python compile when they run, and how bad the worst of these
  /// calls is.
  void FindLoaded() {
    std::map<std::string, Severity> loaders;
    for (const ChangeRecord& record : records_) {
      if (record.cause != kOwnExtensionCause || project_.native.Find(record.file) != nullptr) {
        continue;
      }
      has_operators_ |= record.rule_id != kCMakeRow;
      const auto [worst, is_new] = loaders.try_emplace(record.file, record.severity);
      worst->second = std::min(worst->second, record.severity);
    }
    for (const auto& [file, severity] : loaders) {
      const Result<std::string> text = project_.index.Bytes(file);
      if (!text) continue;
      for (const auto& [path, source] : project_.native.all()) {
        if (files_.ModuleOf(path) != "" || !HasPart(*text, NameOfFile(path))) continue;
        const auto [worst, is_new] = loaded_.try_emplace(FolderWithSlash(path), severity);
        worst->second = std::min(worst->second, severity);
      }
    }
  }

  /// Modules that one program builds, and that stop programs alike, are one matter.
  void GroupByBuild() {
    std::map<std::pair<std::string, Severity>, std::vector<std::string>> causes;
    for (const auto& [cause, module] : imported_) {
      // A program compiles each of its modules by itself when it runs.
      if (!module->loader.empty()) continue;
      causes[{module->declared_in, worst_.at(cause)}].push_back(cause);
    }
    std::set<std::string> named;
    for (const auto& [key, members] : causes) {
      if (members.size() == 1) continue;
      const auto& [build, severity] = key;
      const bool is_worst = named.insert(build).second;
      const std::string cause = is_worst ? OwnExtensionCause(build) : members.front();
      for (const std::string& member : members) groups_[member] = {cause, members.size()};
    }
  }

  void MergeNative(ChangeRecord& record) const {
    if (record.cause != kOwnExtensionCause && record.cause != kHostCause) return;
    const std::optional<std::string> module = files_.ModuleOf(record.file);
    const bool is_left = IsOfLeftLibrary(record);
    if (!module && (is_left || !project_.modules.MayBeBuilt(record.file))) {
      record.cause = is_left ? kInferenceCause : kUnusedNativeCause;
      record.severity = std::max(record.severity, Severity::kNoEffect);
      return;
    }
    if (!module || module->empty()) {
      const auto loaded = loaded_.find(FolderWithSlash(record.file));
      // Without any kernel there is no operator to write anew.
      if (has_operators_) record.cause = kOwnExtensionCause;
      // Where no program of an NPU gets to the call, nothing in its sources stops one.
      if (loaded != loaded_.end()) record.severity = std::max(record.severity, loaded->second);
      return;
    }
    const std::string cause = OwnExtensionCause(*module);
    const auto worst = worst_.find(cause);
    record.cause = worst == worst_.end() ? std::string(kOwnExtensionCause) : cause;
    // Where programs go on without the module, nothing in it stops them.
    if (worst != worst_.end()) record.severity = std::max(record.severity, worst->second);
  }

  /// True for the row of a library for inference on CUDA alone.
  static bool IsOfLeftLibrary(const ChangeRecord& record) {
    const NativeRule* rule = NativeRules::Builtin().Find(record.rule_id);
    return rule != nullptr && rule->is_left;
  }

  /// A build with CMake is one matter with the sources beside it that no program of Python builds.
  void MergeCMake() {
    std::map<std::string_view, std::set<std::string_view>> causes;  // by the folders above sources
    for (const ChangeRecord& record : records_) {
      if (record.applicability != Applicability::kDisplayOnly) continue;
      if (!Words("native-files").Has(record.file)) continue;
      std::string_view folder = FolderWithSlash(record.file);
      while (true) {
        causes[folder].insert(record.cause);
        if (folder.empty()) break;
        folder.remove_suffix(1);
        folder = folder.substr(0, folder.rfind('/') + 1);
      }
    }
    const std::array<std::string_view, 3> of_no_program = {kInferenceCause, kUnusedNativeCause,
                                                           kNativeSource};
    for (ChangeRecord& record : records_) {
      if (record.rule_id != kCMakeRow) continue;
      const auto found = causes.find(FolderWithSlash(record.file));
      if (found == causes.end()) continue;
      const auto is_of_none = [&](std::string_view cause) { return IsOneOf(cause, of_no_program); };
      if (!std::ranges::all_of(found->second, is_of_none)) continue;
      record.cause = *std::ranges::find_if(
          of_no_program, [&](std::string_view cause) { return found->second.contains(cause); });
      if (record.cause == kNativeSource) continue;
      record.severity = std::max(record.severity, Severity::kNoEffect);
    }
  }

  /// The program that builds modules belongs to the first of them that is imported.
  void MergeBuild(ChangeRecord& record) const {
    bool builds = false;
    for (const ExtensionModule* module : project_.modules.all_extensions()) {
      if (module->declared_in != record.file) continue;
      builds |= module->loader.empty();
      const std::string cause = CauseOf(module->name);
      if (!worst_.contains(cause)) continue;
      record.cause = cause;
      return;
    }
    if (!builds || !project_.native.all().empty()) return;
    record.cause = kAbsentNativeCause;
    record.severity = std::max(record.severity, Severity::kNoEffect);
  }

  /// True for a row of Python at an import, a use or a load of the module.
  bool TellsOf(const ChangeRecord& record, const std::string& cause,
               const ExtensionModule& module) const {
    return record.cause == cause &&
           (record.rule_id == kOwnExtensionRule || IsLoadedAt(record, module.name));
  }

  /// The files of Python that use each module.
  void FindUsers() {
    for (const ChangeRecord& record : records_) {
      const auto module = imported_.find(record.cause);
      if (module == imported_.end() || !TellsOf(record, record.cause, *module->second)) continue;
      users_[record.cause].insert(record.file);
    }
  }

  void Describe(const std::string& cause, const ExtensionModule& module) {
    const std::vector<const NativeSource*> sources = files_.Of(module.name);
    if (sources.empty()) return;
    const auto group = groups_.find(cause);
    const size_t siblings = group == groups_.end() ? 1 : group->second.size;
    const ModuleStandIns* stand_ins = stand_ins_ == nullptr ? nullptr : stand_ins_->Of(module);
    const StandInPlan* plans = stand_ins_;
    if (plans == nullptr && module.is_cuda && module.loader.empty() && !module.has_cpu_build) {
      plans = &offered_();
    }
    const BuildStandIns* plan = plans == nullptr ? nullptr : plans->Find(module.declared_in);
    const ModuleText told(module, sources, siblings, stand_ins, plan, BuildsOf(module));
    // Where the sources that have the operators are not here, the row says what it can.
    if (told.IsEmpty()) return;
    const Text text = told.Written(TwinsOf(cause));
    for (ChangeRecord& record : records_) {
      if (TellsOf(record, cause, module)) record.message = text;
    }
  }

  /// Two folders may build modules of one name; whose sources and users are told apart by nothing.
  std::vector<std::string> BuildsOf(const ExtensionModule& module) const {
    std::vector<std::string> builds;
    for (const ExtensionModule* other : project_.modules.all_extensions()) {
      const bool is_it = other->name == module.name && other->loader == module.loader;
      if (is_it && !IsOneOf(other->declared_in, builds)) builds.push_back(other->declared_in);
    }
    return builds;
  }

  /// True for the row at a call that loads the module.
  bool IsLoadedAt(const ChangeRecord& record, std::string_view module) const {
    return std::ranges::any_of(project_.modules.loaded(), [&](const ExtensionModule& one) {
      return CauseOf(one.name) == OwnExtensionCause(module) && one.declared_in == record.file &&
             one.loader == record.rule_id;
    });
  }

  /// Functions of the files that use the module, or of files beside them, that compute with torch.
  /// A test is none: it calls others. Nor is what calls a library at which an NPU stops. Those of
  /// a file that uses another module stand for that one.
  std::vector<Twin> TwinsOf(const std::string& cause) const {
    const auto known = users_.find(cause);
    if (known == users_.end()) return {};
    const std::set<std::string>& users = known->second;
    std::set<std::string_view> folders;
    for (const std::string& user : users) folders.insert(FolderWithSlash(user));
    std::vector<Twin> twins;
    for (const std::string& path : project_.index.paths()) {
      const bool is_user = users.contains(path);
      const bool is_near =
          is_user || (!FolderWithSlash(path).empty() && folders.contains(FolderWithSlash(path)) &&
                      !UsesAnother(path));
      if (is_near && !IsTestFile(path)) AddTwinsIn(path, twins);
    }
    return twins;
  }

  bool UsesAnother(const std::string& path) const {
    return std::ranges::any_of(users_,
                               [&](const auto& module) { return module.second.contains(path); });
  }

  void AddTwinsIn(const std::string& path, std::vector<Twin>& twins) const {
    const auto file = project_.index.Open(path);
    if (file == nullptr) return;
    std::optional<std::set<std::string>> stopping;
    for (const Node node : NodesIn(file->tree())) {
      if (!node.Is(NodeKind::kFunctionDefinition)) continue;
      const std::string_view name = node.Child(Field::kName).text();
      if (name.starts_with("test_") || !Words("plain-twins").Has(name)) continue;
      if (!stopping) stopping = StoppingImports(path, *file);
      if (Uses(node, *stopping, file->names())) continue;
      twins.push_back({std::string(name),
                       fmt::format("{}:{}", path, file->source().Locate(node.range().start).line)});
    }
  }

  /// What the imports of a file name at which, as a row tells, an NPU stops: of a library its
  /// package, which fails as a whole.
  std::set<std::string> StoppingImports(const std::string& path, const OpenedFile& file) const {
    std::set<uint32_t> lines;
    for (const ChangeRecord& record : records_) {
      const bool stops = record.applicability == Applicability::kDisplayOnly &&
                         record.severity <= Severity::kStopsRun;
      if (stops && record.file == path) lines.insert(record.start_line);
    }
    std::set<std::string> stopping;
    for (const Binding& binding : file.names().bindings()) {
      if (binding.kind != BindingKind::kImport) continue;
      if (!lines.contains(file.source().Locate(binding.node.range().start).line)) continue;
      const bool is_own = project_.modules.IsOwn(path, binding.target) ||
                          project_.modules.FindExtension(binding.target) != nullptr;
      stopping.emplace(is_own ? std::string_view(binding.target) : FirstPart(binding.target));
    }
    return stopping;
  }

  /// True if the function names something that comes from one of `packages`.
  static bool Uses(Node function, const std::set<std::string>& packages, const NameTable& names) {
    return std::ranges::any_of(NodesIn(function), [&](Node node) {
      if (!node.Is(NodeKind::kIdentifier) || node.field() == Field::kAttribute) return false;
      return std::ranges::any_of(names.BindingsOf(node), [&](const Binding* binding) {
        return binding->kind == BindingKind::kImport &&
               std::ranges::any_of(packages, [&](const std::string& package) {
                 return IsInside(package, binding->target);
               });
      });
    });
  }

  const OwnOperatorSources& project_;
  const StandInPlan* const stand_ins_;
  const std::function<const StandInPlan&()>& offered_;
  const SourcesOfModules files_;
  std::vector<ChangeRecord>& records_;
  bool has_operators_;  // a source defines or starts kernels, or a program builds or loads some
  std::map<std::string, std::string> joined_;  // causes: of what is loaded, of what is built
  std::map<std::string, const ExtensionModule*> by_cause_;
  std::map<std::string, const ExtensionModule*> imported_;
  std::map<std::string, Severity> worst_;               // of what is told in Python, by the cause
  std::map<std::string_view, Severity> loaded_;         // by folder
  std::map<std::string, std::set<std::string>> users_;  // files of Python, by the cause
  struct Group {
    std::string cause;
    size_t size = 0;
  };
  std::map<std::string, Group> groups_;  // by the cause of a module that is in one
};

}  // namespace

void MergeOwnOperators(const OwnOperatorSources& sources, const OwnStandIns& stand_ins,
                       std::vector<ChangeRecord>& records) {
  // Without Python the C++ sources are the program.
  if (!sources.index.paths().empty()) Merger(sources, stand_ins, records).Run();
}

}  // namespace transplt
