// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/native_findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "transplt/base/path_state.h"
#include "transplt/base/word_list.h"
#include "transplt/engine/version_range.h"
#include "transplt/migrate/own_extensions.h"
#include "transplt/native/includes.h"
#include "transplt/native/open_end.h"

namespace transplt {
namespace {

using Outcome = NativeFinding::Outcome;

/// " in both languages", or nothing.
Text WithWhy(Text text, const NativeRule& rule) {
  if (rule.why.empty()) return text;
  return {text.en + "; " + rule.why, text.zh + "；" + rule.why_zh};
}

/// The name of a header, and any other text as it is.
std::string_view WithoutBrackets(std::string_view text) {
  const bool is_header = text.starts_with('<') || text.starts_with('"');
  return is_header && text.size() > 2 ? text.substr(1, text.size() - 2) : text;
}

/// Turns what transplt-cxx says about one source into findings.
class NativeReport {
 public:
  /// `torch`: the version that the result is for; may be empty.
  NativeReport(const SourceFile& file, const NativeSource& source, std::string_view torch)
      : file_(file), source_(source), torch_(torch), rules_(NativeRules::Builtin()) {}

  Findings All() {
    if (!source_.error.empty()) AddError();
    AddFound();
    AddKernels();
    AddLaunches();
    if (HasKernels()) AddHalf();
    AddLanguage();
    AddMismatches();
    AddMissingHeaders();
    AddOpenEnd();
    return std::move(findings_);
  }

  /// Of a source of `module` that stays as it is until kernels are written anew: these, and one row
  /// for its host code.
  Findings WhileWaiting(const std::string& module) {
    if (!source_.error.empty()) AddError();
    AddKernels();
    AddLaunches();
    AddWaiting(module);
    return std::move(findings_);
  }

 private:
  bool HasKernels() const { return !source_.kernels.empty() || !source_.launches.empty(); }

  void AddFound() {
    for (const NativeFinding& finding : source_.findings) {
      if (finding.outcome != Outcome::kEdited && IsLaunch(finding)) continue;
      if (finding.outcome == Outcome::kEdited && IsTooOldFor(finding)) {
        AddOlder(finding);
      } else if (finding.outcome == Outcome::kEdited) {
        AddEdit(finding);
      } else {
        AddRow(finding);
      }
    }
  }

  uint32_t LineOf(uint32_t offset) const { return file_.Locate(offset).line; }

  void AddError() {
    findings_.push_back(
        RowAt({0, 0}, "native-source",
              {"only read by name: " + source_.error.en, "仅按名称读取: " + source_.error.zh},
              Operation::kSuggestion, Severity::kMayGoWrong));
    findings_.back().cause = "native-parser";
  }

  /// True for the function of a launch, which has a row as such.
  bool IsLaunch(const NativeFinding& found) const {
    return std::ranges::any_of(
        source_.launches, [&](const NativeLaunch& launch) { return launch.range == found.range; });
  }

  bool IsTooOldFor(const NativeFinding& found) const {
    const NativeRule* rule = rules_.Find(found.rule_id);
    if (rule == nullptr || rule->torch.empty() || torch_.empty()) return false;
    const Result<VersionRange> range = VersionRange::Parse(rule->torch);
    const Result<Version> version = ParseVersion(torch_);
    return range && version && !range->Contains(*version);
  }

  void AddOlder(const NativeFinding& found) {
    const NativeRule* rule = rules_.Find(found.rule_id);
    const std::string name(found.range.In(file_.bytes()));
    findings_.push_back(RowAt(found.range, found.rule_id,
                              Say("{} stays: {} needs torch {}, and the project has {}; write {}",
                                  "{} 保持原样: {} 需要 torch {}, 而项目使用 {}; 请改写为 {}", name,
                                  rule->to, rule->torch, torch_, rule->instead),
                              Operation::kUnsupported, Severity::kStopsRun));
    findings_.back().cause = kHostCause;
  }

  void AddEdit(const NativeFinding& found) {
    const NativeRule* rule = rules_.Find(found.rule_id);
    if (rule == nullptr) return;
    Finding finding;
    finding.range = found.range;
    finding.rule_id = found.rule_id;
    finding.fix = found.fix;
    const bool is_near = rule->likeness == Likeness::kApprox;
    finding.applicability =
        found.is_resolved && !is_near ? Applicability::kSafe : Applicability::kUnsafe;
    const std::string before(WithoutBrackets(found.range.In(file_.bytes())));
    finding.message = WithWhy(EditText(found, *rule, before), *rule);
    findings_.push_back(std::move(finding));
  }

  static Text EditText(const NativeFinding& found, const NativeRule& rule,
                       const std::string& name) {
    const std::string& written = found.fix.edits.front().text;
    const bool is_call =
        rule.kind == NativeRule::Kind::kCall || rule.kind == NativeRule::Kind::kExpression;
    if (!written.empty() || is_call) {
      const std::string& after = rule.to.empty() ? written : rule.to;
      return Say("change {} to {}", "将 {} 改为 {}", name, after);
    }
    if (rule.to.empty()) return Say("remove {}", "移除 {}", name);
    return Say("remove {}: {} is included above", "移除 {}: 上文已包含 {}", name, rule.to);
  }

  /// One row for what a source has at several places.
  void AddRow(const NativeFinding& found) {
    const NativeRule* rule = rules_.Find(found.rule_id);
    if (rule == nullptr) return;
    if (rule->is_of_compiler && Words("host-sources").Has(file_.path())) return;
    std::string name(found.range.In(file_.bytes()));
    if (rule->kind == NativeRule::Kind::kMemberReport) {
      name.insert(0, rule->classes.front() + "::");  // `name` alone says nothing
    }
    const auto [known, is_new] = rows_.try_emplace({found.outcome, name}, findings_.size());
    if (!is_new && found.argument.empty()) {
      return AddLine(known->second, found.range.start);
    }
    const Severity severity = SeverityOf(found.outcome);
    const std::string argument(found.argument.In(file_.bytes()));
    findings_.push_back(
        RowAt(found.range, found.rule_id,
              argument.empty() ? RowText(found.outcome, *rule, name)
                               : ArgumentText(found.outcome, name, argument),
              severity == Severity::kStopsRun ? Operation::kUnsupported : Operation::kSuggestion,
              severity));
    findings_.back().cause = kHostCause;
  }

  /// Adds the line of `offset` to those of the row number `row`.
  void AddLine(size_t row, uint32_t offset) {
    const uint32_t number = LineOf(offset);
    std::set<uint32_t>& told = lines_[row];
    const bool has_lines = !told.empty();
    if (number == LineOf(findings_[row].range.start) || !told.insert(number).second) return;
    const std::string line = std::to_string(number);
    Text& message = findings_[row].message;
    message.en += (has_lines ? ", " : "; also on the lines ") + line;
    message.zh += (has_lines ? ", " : "；另见行 ") + line;
  }

  static Severity SeverityOf(Outcome outcome) {
    switch (outcome) {
      case Outcome::kUnsure:
      case Outcome::kCondition:
      case Outcome::kConditionTrue:
      case Outcome::kConditionFalse:
        return Severity::kMayGoWrong;
      case Outcome::kConditionIdle:
      case Outcome::kConditionElse:
      case Outcome::kForward:
        return Severity::kNote;
      default:
        return Severity::kStopsRun;
    }
  }

  /// Of a condition that asks for what no NPU defines.
  static Text ConditionText(Outcome outcome, const std::string& name) {
    switch (outcome) {
      case Outcome::kConditionTrue:
        return Say(
            "nothing defines {} on an NPU, and without it the condition is true: the code below "
            "it, "
            "which is for another CUDA, is compiled; check that an NPU needs it",
            "NPU 上没有 {} 的定义, 缺少它时该条件为真: 其下为其他 CUDA 版本所写的代码会被编译; "
            "请确认 NPU 需要这段代码",
            name);
      case Outcome::kConditionFalse:
        return Say(
            "nothing defines {} on an NPU, and without it the condition is false: the code below "
            "it "
            "is not compiled; take out of the condition what an NPU needs",
            "NPU 上没有 {} 的定义, 缺少它时该条件为假: 其下的代码不会被编译; 请将 NPU "
            "需要的部分移出该条件",
            name);
      case Outcome::kConditionIdle:
        return Say(
            "nothing defines {} on an NPU, and without it the condition is false: the code below "
            "it, "
            "which is for CUDA alone, is not compiled",
            "NPU 上没有 {} 的定义, 缺少它时该条件为假: 其下仅用于 CUDA 的代码不会被编译", name);
      case Outcome::kConditionElse:
        return Say(
            "nothing defines {} on an NPU, and without it the condition is false: what is compiled "
            "is "
            "the branch behind it",
            "NPU 上没有 {} 的定义, 缺少它时该条件为假: 编译的是其后的分支", name);
      case Outcome::kConditionFails:
        return Say(
            "nothing defines {} on an NPU, and without it the condition leads to its #error: take "
            "the "
            "condition out, or let it ask for the NPU too",
            "NPU 上没有 {} 的定义, 缺少它时该条件会触发 #error: 请去掉该条件, 或使其同时判断 NPU",
            name);
      default:
        return Say(
            "nothing defines {} on an NPU: check which branch of this condition is compiled there",
            "NPU 上没有 {} 的定义: 请确认该条件在 NPU 上编译哪个分支", name);
    }
  }

  /// Of a call that stays because of what one argument does.
  static Text ArgumentText(Outcome outcome, const std::string& name, const std::string& argument) {
    if (outcome == Outcome::kTwice) {
      return Say(
          "{} stays: its counterpart takes {} twice, and evaluating that may change something; put "
          "it into a variable before the call, pass the variable, and migrate again",
          "{} 保持原样: 其对应项需两次传入 {}, 而对其求值可能产生副作用; 请在调用之前将其存入变量, "
          "改为传入该变量, 再重新迁移",
          name, argument);
    }
    return Say(
        "{} stays: nothing takes the place of {} on an NPU, and evaluating that may change "
        "something; evaluate it before the call, pass a variable, and migrate again",
        "{} 保持原样: NPU 上没有 {} 的位置, 而对其求值可能产生副作用; 请在调用之前求值, "
        "改为传入变量, 再重新迁移",
        name, argument);
  }

  static Text RowText(Outcome outcome, const NativeRule& rule, const std::string& name) {
    switch (outcome) {
      case Outcome::kArguments:
        return Say(
            "{} takes other arguments than {}, which transplt does not write for this form; "
            "rewrite it by hand",
            "{} 的参数与 {} 不同, transplt 无法改写此种形式; 请手工改写", rule.to, name);
      case Outcome::kUnsure:
        return Say(
            "{} stays: the class of its object is unknown, or it is not one of torch; for a "
            "tensor write {}",
            "{} 保持原样: 其对象的类型未知或不属于 torch; 若为张量请写为 {}", name, rule.to);
      case Outcome::kWithItsUse:
        return Say(
            "{} stays: another part of the same call, declaration or comparison stays too; rewrite "
            "both together",
            "{} 保持原样: 同一调用、声明或比较的其余部分也保持原样; 请一并改写", name);
      case Outcome::kCondition:
      case Outcome::kConditionTrue:
      case Outcome::kConditionFalse:
      case Outcome::kConditionIdle:
      case Outcome::kConditionElse:
      case Outcome::kConditionFails:
        return ConditionText(outcome, name);
      case Outcome::kForward:
        return Say(
            "{} is declared here in place of a header of CUDA; the declaration does no harm, take "
            "it "
            "out once nothing uses it",
            "{} 在此代替 CUDA 头文件作声明; 该声明无害, 不再使用后可去掉", name);
      case Outcome::kUnknown:
        return WithWhy(Say("{} stays as it is", "{} 保持原样", name), rule);
      default:
        break;
    }
    if (!rule.instead.empty()) {
      return WithWhy(Say("{} cannot be renamed for an NPU; write {}",
                         "{} 不能仅靠改名用于 NPU; 请改写为 {}", name, rule.instead),
                     rule);
    }
    return WithWhy(Say("{} has no counterpart on an NPU", "{} 在 NPU 上没有对应项", name), rule);
  }

  static Text Names(const std::set<std::string>& ids, const NativeRules& rules) {
    Text names;
    for (const std::string& id : ids) {
      const NativeRule* rule = rules.Find(id);
      if (rule == nullptr || id == "kernel") continue;
      names.en += (names.en.empty() ? "" : ", ") + rule->why;
      names.zh += (names.zh.empty() ? "" : "、") + rule->why_zh;
    }
    return names;
  }

  /// Kernels that one body in a macro makes are one piece of work.
  void AddKernels() {
    std::map<uint32_t, std::vector<const NativeKernel*>> bodies;
    for (const NativeKernel& kernel : source_.kernels) {
      bodies[kernel.range.start].push_back(&kernel);
    }
    for (const auto& [start, kernels] : bodies) AddKernel(kernels);
  }

  void AddKernel(const std::vector<const NativeKernel*>& kernels) {
    const NativeKernel& kernel = *kernels.front();
    std::set<uint32_t> lines;
    std::vector<std::string> names;
    for (const NativeKernel* one : kernels) {
      names.push_back(one->name);
      for (const NativeLaunch& launch : source_.launches) {
        if (launch.kernel != one->name) continue;
        const auto started = StartedBy(launch, source_.kernels);
        if (std::ranges::find(started, one) != started.end()) {
          lines.insert(LineOf(launch.range.start));
        }
      }
    }
    const Text features = Names(kernel.features, rules_);
    const double hours = HoursFor(kernel.features, rules_);
    const uint32_t first = LineOf(kernel.whole.start);
    const uint32_t last = LineOf(kernel.whole.end - 1);
    Text text =
        Say("kernel {} (lines {} to {}) runs on CUDA alone: write it in Ascend C, about {} hours",
            "核函数 {} (第 {} 至 {} 行) 仅能在 CUDA 上运行: 请用 Ascend C 编写, 约 {} 小时",
            names.front(), first, last, hours);
    if (names.size() > 1) {
      text =
          Say("kernels {} (one macro, lines {} to {}) run on CUDA alone: write them in Ascend C, "
              "about {} hours",
              "核函数 {} (由同一个宏生成, 第 {} 至 {} 行) 仅能在 CUDA 上运行: 请用 Ascend C 编写, "
              "约 {} 小时",
              fmt::format("{}", fmt::join(names, ", ")), first, last, hours);
    }
    if (!features.empty()) {
      text.en += (names.size() > 1 ? "; they use " : "; it uses ") + features.en;
      text.zh += "；" + std::string(names.size() > 1 ? "它们" : "它") + "使用" + features.zh;
    }
    if (!lines.empty()) {
      text.en += fmt::format("; started on line {}", fmt::join(lines, ", "));
      text.zh += fmt::format("；启动于第 {} 行", fmt::join(lines, ", "));
    }
    findings_.push_back(RowAt(kernel.range, "native-kernel", std::move(text),
                              Operation::kUnsupported, Severity::kStopsRun));
    findings_.back().cause = kOwnExtensionCause;
  }

  static Text LaunchText(const std::vector<std::string>& kernels) {
    if (kernels.empty()) {
      return Say(
          "starts a CUDA kernel that is chosen elsewhere: choose among the kernels in "
          "Ascend C here, and start the one with kernel<<<blocks, nullptr, stream>>>(...)",
          "启动在别处选定的 CUDA 核函数: 请在此处选用 Ascend C 核函数, 并以 "
          "kernel<<<blocks, nullptr, stream>>>(...) 启动");
    }
    if (kernels.front().find("##") != std::string::npos) {
      return Say("starts the CUDA kernel {}, which a macro names where it is used",
                 "启动 CUDA 核函数 {}, 其名称由宏在使用处生成", kernels.front());
    }
    return Say("starts the CUDA kernel {}, which another source defines",
               "启动由其他源码定义的 CUDA 核函数 {}", fmt::format("{}", fmt::join(kernels, ", ")));
  }

  /// False if a row tells of the same parameter of a macro: `Kernel<T, 64><<<`, `Kernel<T,
  /// 128><<<`.
  bool IsNewChoice(const NativeLaunch& launch, std::set<std::string>& told) const {
    const std::string_view text = launch.range.In(file_.bytes());
    const std::string_view name = text.substr(0, text.find('<'));
    return !text.ends_with("<<<") || name.empty() || told.insert("?" + std::string(name)).second;
  }

  /// Of kernels that another source defines: a row where each is started first, with the lines of
  /// the other places.
  void AddLaunches() {
    std::set<std::string> told;
    std::map<std::string, size_t> rows;  // numbers of findings, by kernel
    for (const NativeKernel& kernel : source_.kernels) told.insert(kernel.name);
    std::map<uint32_t, std::vector<const NativeLaunch*>> places;
    for (const NativeLaunch& launch : source_.launches) {
      places[launch.range.start].push_back(&launch);
    }
    for (const auto& [start, launches] : places) {
      std::vector<std::string> unknown;
      bool is_chosen = false;
      for (const NativeLaunch* launch : launches) {
        is_chosen = is_chosen || (launch->kernel.empty() && IsNewChoice(*launch, told));
        if (launch->kernel.empty()) continue;
        if (told.insert(launch->kernel).second) {
          unknown.push_back(launch->kernel);
        } else if (const auto row = rows.find(launch->kernel); row != rows.end()) {
          AddLine(row->second, start);
        }
      }
      if (unknown.empty() && !is_chosen) continue;
      for (const std::string& kernel : unknown) rows.emplace(kernel, findings_.size());
      findings_.push_back(RowAt(launches.front()->range, "native-launch", LaunchText(unknown),
                                Operation::kUnsupported, Severity::kStopsRun));
      findings_.back().cause = kOwnExtensionCause;
    }
  }

  /// True if an edit stands between `<<<` and `>>>`: it is the stream that changes there.
  bool HasEditedStream() const {
    return std::ranges::any_of(source_.launches, [&](const NativeLaunch& launch) {
      const size_t close = std::string_view(file_.bytes()).find(">>>", launch.range.end);
      if (close == std::string_view::npos) return false;
      const TextRange shape = {launch.range.end, static_cast<uint32_t>(close)};
      return std::ranges::any_of(findings_, [&](const Finding& finding) {
        return !finding.fix.empty() && shape.Contains(finding.range);
      });
    });
  }

  Text HalfText() const {
    const bool has_streams = HasEditedStream();
    Text text = Say("the host code of this file is migrated", "此文件的主机代码已迁移");
    if (has_streams) {
      text = Say("the host code of this file is migrated, the streams of its launches too",
                 "此文件的主机代码已迁移, 包括核函数启动所用的流");
    }
    const bool has_kernels = !source_.kernels.empty();
    const bool has_launches = !source_.launches.empty();
    const Text left =
        !has_launches ? Say("its kernels are not", "核函数未迁移")
        : has_kernels
            ? Say("its kernels and the shape of their launches are not", "核函数及其启动形式未迁移")
            : Say("the kernels that it launches and the shape of their launches are not",
                  "其启动的核函数及启动形式未迁移");
    const Text until =
        Say("it builds neither for CUDA nor for an NPU until they are written, "
            "kernel<<<blocks, nullptr, stream>>>(...) in Ascend C",
            "在用 Ascend C 写成 kernel<<<blocks, nullptr, stream>>>(...) 之前, 它既不能为 CUDA "
            "也不能为 NPU 编译");
    return {text.en + "; " + left.en + ": " + until.en, text.zh + "；" + left.zh + ": " + until.zh};
  }

  /// Whoever writes the kernels anew finds their host code done; until then nothing builds it.
  void AddHalf() {
    const bool is_edited =
        std::ranges::any_of(findings_, [](const Finding& finding) { return !finding.fix.empty(); });
    if (!is_edited) return;
    const TextRange place =
        source_.kernels.empty() ? source_.launches.front().range : source_.kernels.front().range;
    findings_.push_back(RowAt({place.start, place.start}, "native-half", HalfText(),
                              Operation::kSuggestion, Severity::kNote));
    findings_.back().cause = kOwnExtensionCause;
  }

  /// Edits would be made in vain here, and be in the way of whoever reads the others.
  void AddWaiting(const std::string& module) {
    size_t uses = 0;
    size_t known = 0;
    const NativeFinding* first = nullptr;
    for (const NativeFinding& finding : source_.findings) {
      const bool is_edit = finding.outcome == Outcome::kEdited;
      if (!is_edit && (IsLaunch(finding) || !StopsAnNpu(finding.outcome))) continue;
      if (first == nullptr) first = &finding;
      ++uses;
      known += is_edit ? 1 : 0;
    }
    if (first == nullptr) return;
    Text text =
        module.empty()
            ? Say("this file stays as it is, since nothing is built of it for an NPU before the "
                  "kernels that belong to it are written in Ascend C",
                  "此文件保持原样: 在用 Ascend C 写出相关核函数之前, 无法由其为 NPU 编译")
            : Say("this file stays as it is, since {} is not built for an NPU before its kernels "
                  "are written in Ascend C",
                  "此文件保持原样: 在用 Ascend C 写出核函数之前, 无法为 NPU 编译 {}", module);
    const Text host = known > 0 ? Say("uses of CUDA in its host code: {}, with a counterpart: {}",
                                      "其主机代码使用 CUDA {} 处, 其中 {} 处有对应项", uses, known)
                                : Say("uses of CUDA in its host code: {}, none with a counterpart",
                                      "其主机代码使用 CUDA {} 处, 均无对应项", uses);
    text = {text.en + "; " + host.en, text.zh + "；" + host.zh};
    const TextRange place = {first->range.start, first->range.start};
    findings_.push_back(
        RowAt(place, "native-waits", std::move(text), Operation::kSuggestion, Severity::kNote));
    findings_.back().cause = kOwnExtensionCause;
  }

  /// What the edits write of torch is C++.
  void AddLanguage() {
    if (!source_.path.ends_with(".c")) return;
    const auto edit = std::ranges::find_if(findings_, [&](const Finding& finding) {
      const NativeRule* rule = finding.fix.empty() ? nullptr : rules_.Find(finding.rule_id);
      return rule != nullptr && rule->to.find("::") != std::string::npos;
    });
    if (edit == findings_.end()) return;
    const TextRange place = {edit->range.start, edit->range.start};
    findings_.push_back(
        RowAt(place, "native-language",
              Say("this source is C, and classes of torch are C++: name it .cpp, here "
                  "and where it is built",
                  "此源码为 C, 而 torch 的类属于 C++: 请将文件及其编译处改名为 .cpp"),
              Operation::kSuggestion, Severity::kStopsRun));
    findings_.back().cause = kHostCause;
  }

  /// Lines with a row say already that something is left to write.
  static Text MismatchText(const std::string& message) {
    Text text = Say("the result does not fit the declarations of AscendCL and torch_npu: {}",
                    "修改结果与 AscendCL、torch_npu 的声明不符: {}", message);
    if (!message.starts_with("redefinition of '")) return text;
    // Functions for the errors of CUDA and of cuBLAS, as many a helper has them.
    text.en += "; types of CUDA that differed are one type now: take one of the two functions out";
    text.zh += "；原本不同的 CUDA 类型现为同一类型: 请去掉两个函数之一";
    return text;
  }

  void AddMismatches() {
    std::set<uint32_t> told;
    for (const Finding& finding : findings_) {
      if (finding.fix.empty()) told.insert(LineOf(finding.range.start));
    }
    for (const NativeFinding& finding : source_.findings) {
      if (finding.outcome != Outcome::kEdited) told.insert(LineOf(finding.range.start));
    }
    for (const NativeDiagnostic& mismatch : source_.mismatches) {
      if (!told.insert(LineOf(mismatch.offset)).second) continue;
      findings_.push_back(RowAt({mismatch.offset, mismatch.offset}, "native-check",
                                MismatchText(mismatch.message), Operation::kSuggestion,
                                Severity::kStopsRun));
      findings_.back().cause = kHostCause;
    }
  }

  void AddMissingHeaders() {
    std::vector<std::string> missing;
    for (const std::string& header : source_.missing_headers) {
      const bool is_standard = header.find('.') == std::string::npos;
      const bool is_told = std::ranges::find(missing, header) != missing.end();
      if (!is_standard && !is_told && !Words("declared-headers").Has(header)) {
        missing.push_back(header);
      }
    }
    const auto by_name =
        std::count_if(source_.findings.begin(), source_.findings.end(),
                      [](const NativeFinding& finding) { return !finding.is_resolved; });
    if (missing.empty() || by_name == 0) return;
    const std::string names = fmt::format("{}", fmt::join(missing, ", "));
    findings_.push_back(RowAt({0, 0}, "native-header",
                              Say("not found: {}; {} names were decided by their spelling alone",
                                  "未找到: {}; {} 个名称仅按拼写判定", names, by_name),
                              Operation::kSuggestion, Severity::kNote));
    findings_.back().cause = kHostCause;
  }

  /// Where a brace or an #if has no end, all behind it is read as a part of it.
  void AddOpenEnd() {
    const auto open = OpenEndIn(file_.bytes(), TokensOf(file_.bytes()));
    // A header may open what another one closes.
    const bool is_part = open && open->size() == 1 && Words("cxx-headers").Has(file_.path());
    if (!open || is_part) return;
    findings_.push_back(
        RowAt(*open, "native-source",
              Say("{} here has no counterpart in this file: the parser gave up there, and names "
                  "behind it "
                  "were decided by their spelling alone",
                  "此处的 {} 在文件中没有配对: 解析器在此停止, 其后的名称仅按拼写判定",
                  open->In(file_.bytes())),
              Operation::kSuggestion, Severity::kMayGoWrong));
    findings_.back().cause = "native-parser";
  }

  const SourceFile& file_;
  const NativeSource& source_;
  const std::string_view torch_;
  const NativeRules& rules_;
  Findings findings_;
  std::map<std::pair<Outcome, std::string>, size_t> rows_;
  std::map<size_t, std::set<uint32_t>> lines_;  // that the message of a row names
};

/// Counts what a source has by name alone.
Findings Inventory(const SourceFile& file, const Text& reason) {
  const std::vector<NativeToken> tokens = TokensOf(file.bytes());
  const NativeRules& rules = NativeRules::Builtin();
  const NativeFacts nothing;
  const std::set<std::string> own = MacrosIn(file.bytes(), tokens);
  const auto found = RewriteNative(file.bytes(), tokens, {rules, nothing, own});
  const size_t kernels = KernelsIn(file.bytes(), tokens, rules).size();
  const auto has_edit = [](const NativeFinding& one) { return one.outcome == Outcome::kEdited; };
  const auto known = std::count_if(found.begin(), found.end(), has_edit);
  if (found.empty() && kernels == 0) return {};
  const TextRange place = found.empty() ? TextRange{0, 0} : found.front().range;
  Findings rows = {RowAt(place, "native-source",
                         Say("not migrated, since {}; by name: {} uses of CUDA, {} of them with a "
                             "counterpart, and {} kernels",
                             "未迁移: {}; 按名称统计: {} 处使用 CUDA, 其中 {} 处有对应项, 另有 {} "
                             "个核函数",
                             reason.en, found.size(), known, kernels),
                         Operation::kSuggestion, Severity::kMayGoWrong)};
  rows.back().message.zh = Say("",
                               "未迁移: {}; 按名称统计: {} 处使用 CUDA, 其中 {} 处有对应项, "
                               "另有 {} 个核函数",
                               reason.zh, found.size(), known, kernels)
                               .zh;
  rows.back().cause = "native-source";
  return rows;
}

/// True if another source of the project includes `path`, or one by its name, within braces: then
/// no #include may stand in it.
bool IsPart(std::string_view path, const NativeSources& sources) {
  const auto name_of = [](std::string_view path_or_name) {
    return path_or_name.substr(path_or_name.rfind('/') + 1);
  };
  return std::ranges::any_of(sources.all(), [&](const auto& entry) {
    return std::ranges::any_of(entry.second.parts, [&](const std::string& header) {
      return name_of(header) == name_of(path);
    });
  });
}

/// The #include lines that the accepted edits need.
Findings Includes(const SourceFile& file, const Selection& selection,
                  const NativeSources& sources) {
  AppliedRules applied;
  for (const Finding& finding : selection.accepted()) {
    applied[finding.rule_id].push_back(finding.range.start);
  }
  std::vector<Edit> edits =
      MissingIncludes(file.bytes(), TokensOf(file.bytes()), NativeRules::Builtin(), applied,
                      IsPart(file.path(), sources));
  if (edits.empty()) return {};
  Finding finding;
  finding.range = edits.front().range;
  finding.rule_id = "native-include";
  finding.message =
      Say("include what declares the names that the edits write", "包含声明修改所用名称的头文件");
  finding.fix.edits = std::move(edits);
  return {finding};
}

/// True if brackets that were in order are not any more.
bool BreaksBrackets(std::string_view before, std::string_view after) {
  const auto balance = [](std::string_view text) {
    std::map<std::string_view, int> counts;
    for (const NativeToken& token : TokensOf(text)) {
      if (token.kind == NativeToken::Kind::kPunctuation) ++counts[token.range.In(text)];
    }
    return std::array{counts["("] - counts[")"], counts["["] - counts["]"],
                      counts["{"] - counts["}"]};
  };
  return balance(before) != balance(after);
}

/// The module of a source that stays as it is until kernels are written; null of any other.
const std::string* ModuleWaitedFor(std::string_view path, const FileMigrationOptions& options) {
  if (options.waiting_sources == nullptr) return nullptr;
  const auto found = options.waiting_sources->find(path);
  return found == options.waiting_sources->end() ? nullptr : &found->second;
}

}  // namespace

FileMigration MigrateNative(const std::string& path, const std::string& bytes,
                            const NativeSources& sources, const FileMigrationOptions& options) {
  FileMigration result;
  result.outcome.file = path;
  const bool is_asked = Words("cxx-words").HasPartOf(bytes);
  const Result<SourceFile> file = SourceFile::FromBytes(path, bytes);
  const bool is_wide = bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF");
  if (!file && is_wide) {
    return SkippedFile(path, Say("the file is UTF-16, which transplt does not migrate; save it as "
                                 "UTF-8",
                                 "文件为 UTF-16 编码, transplt 无法迁移; 请另存为 UTF-8"));
  }
  if (!file && is_asked) return SkippedFile(path, file.error().what);
  if (!is_asked || !file || IsServed(path, options)) return result;  // a binary by this name, too
  const NativeSource* source = sources.Find(path);
  if (source != nullptr && source->fingerprint != FingerprintOf(bytes)) {
    return SkippedFile(path, Say("changed while transplt was reading it; migrate again",
                                 "读取期间文件发生变化; 请重新迁移"));
  }
  Selection selection(*file, options.decisions, options.declined);
  if (source != nullptr) {
    NativeReport report(*file, *source, options.machine.torch);
    const std::string* const module = ModuleWaitedFor(path, options);
    Findings findings = module == nullptr ? report.All() : report.WhileWaiting(*module);
    std::erase_if(findings, [&](const Finding& finding) {
      return std::ranges::find(options.disabled, finding.rule_id) != options.disabled.end();
    });
    const Text* const reason = ReasonToKeep(path, options);
    if (reason != nullptr) findings = KeptRow(findings, *reason);
    selection.Add(std::move(findings));
  } else if (!sources.reason().empty()) {
    selection.Add(Inventory(*file, sources.reason()));
  }
  if (ReasonToKeep(path, options) == nullptr) {
    selection.AddWhatFollows(Includes(*file, selection, sources));
  }
  return ResultOf(selection, selection.edits(), *file, {options.with_diff, options.with_edits},
                  [&](const std::string& text) { return BreaksBrackets(bytes, text); });
}

}  // namespace transplt
