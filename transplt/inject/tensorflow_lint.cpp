// SPDX-License-Identifier: Apache-2.0
// Mistakes in what scripts of TensorFlow set already.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "transplt/base/similar_name.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/inject/frameworks.h"
#include "transplt/inject/lint_report.h"
#include "transplt/inject/tensorflow_injector.h"
#include "transplt/inject/tool_constraints.h"
#include "transplt/python/statement.h"

namespace transplt {
namespace {

constexpr std::string_view kFramework = "tensorflow";

/// Something that is set in a script, with what the table says about it.
struct SetOption {
  std::string name;
  Node at;
  Node value;
  std::string field;  ///< "b", "i", "s"; empty where the place has no fields
};

/// A class whose parameters are options.
struct ConfigClass {
  std::string_view name;
  std::string_view parameters;  ///< Words() of them, in their order
  const std::string OptionSpec::*option;
};
constexpr std::array<ConfigClass, 2> kConfigClasses = {
    {{"DumpConfig", "dump-config-parameters", &OptionSpec::dump_config},
     {"ProfilingConfig", "profiling-config-parameters", &OptionSpec::profiling_config}}};

class TensorflowLinter {
 public:
  TensorflowLinter(const InjectFile& file, const OptionTable& table)
      : file_(file),
        table_(table),
        sites_(FindTensorflowSites(file)),
        report_("lint-tensorflow", kFramework, table) {}

  FileInjection Lint() {
    for (const NpuOptimizer& optimizer : sites_.optimizers) LintOptimizer(optimizer);
    for (Node call : file_.NodesOf(NodeKind::kCall)) {
      for (const ConfigClass& config : kConfigClasses) {
        const bool is_it =
            InjectFile::LastName(call) == config.name && IsNpuCall(file_, call, config.name);
        if (is_it) LintConfigObject(call, config);
      }
    }
    for (Node call : sites_.run_configs) LintRunConfig(call);
    for (Node call : sites_.devices) LintDevice(call);
    for (const ConfigSlot& slot : sites_.slots) LintInitialize(slot);
    LintRankQueries();
    if (dumps_) {
      for (Node call : sites_.idle_runs) Report(call, IdleRunSpoilsDump());
    }
    return report_.Take();
  }

 private:
  void Report(Node at, Text what) { report_.Report(at, std::move(what)); }

  void LintOptimizer(const NpuOptimizer& optimizer) {
    const std::string name = Lower(optimizer.name);
    const bool is_meant = HasPart(name, "npuoptimizer");
    if (!optimizer.name.empty() && optimizer.name != "NpuOptimizer") {
      if (is_meant) {
        Report(optimizer.name_value,
               Say("the NPU ignores an optimizer that is called {}: it must be NpuOptimizer",
                   "NPU 会忽略名为 {} 的优化器: 名称必须是 NpuOptimizer", optimizer.name));
      }
      return;
    }
    for (const NpuOptimizer& other : sites_.optimizers) {
      const bool same = other.object && optimizer.object &&
                        other.object.text() == optimizer.object.text() &&
                        BlockOf(other.statement) == BlockOf(optimizer.statement) &&
                        other.statement.range().start > optimizer.statement.range().start &&
                        (other.name.empty() || other.name == "NpuOptimizer");
      if (same) {
        Report(other.statement, Say("a second NpuOptimizer of the same configuration: what it sets "
                                    "overrides the first",
                                    "同一配置的第二个 NpuOptimizer: 其设置会覆盖前者"));
      }
    }
    std::vector<SetOption> set;
    for (const NpuOptimizer::Parameter& parameter : optimizer.parameters) {
      if (parameter.key.empty()) continue;
      const SetOption option{parameter.key, parameter.statement, parameter.value, parameter.field};
      LintOption(option);
      if (!parameter.is_guarded) set.push_back(option);
    }
    LintTogether(set);
  }

  /// Name, field and value of one option.
  void LintOption(const SetOption& option) {
    const OptionSpec* spec = report_.Find("", option.name, option.at);
    if (spec == nullptr) return;
    const std::string_view field = FieldOf({spec, ""});
    if (!option.field.empty() && option.field != field) {
      Report(option.at,
             Say("{} is read from .{}: what .{} holds is ignored",
                 "{} 从 .{} 读取: .{} 的内容会被忽略", option.name, field, option.field));
      return;
    }
    if (option.name == "enable_dump" && !option.value.Is(NodeKind::kFalse)) dumps_ = true;
    std::optional<std::string> value = LiteralValue(option.value);
    if (option.field == "s" && IsText(option.value)) {
      Report(option.at,
             Say("{} takes bytes, and Python 3 refuses text here: write tf.compat.as_bytes({})",
                 "{} 需要 bytes, Python 3 在此拒绝字符串: 请写 tf.compat.as_bytes({})", option.name,
                 option.value.text()));
      return;
    }
    if (!value) return;
    if (spec->type == OptionType::kBool && value == "1") value = "true";  // Python takes it
    if (spec->type == OptionType::kBool && value == "0") value = "false";
    if (std::optional<Text> mistake = MistakeIn(*spec, *value)) {
      Report(option.at, *std::move(mistake));
    }
  }

  /// What excludes or needs each other.
  void LintTogether(const std::vector<SetOption>& set) {
    std::vector<LintedOption> options;
    std::vector<OptionValue> values;
    for (const SetOption& option : set) {
      if (option.value.Is(NodeKind::kNone)) continue;  // as if it were not set
      options.push_back({option.name, option.at, LiteralValue(option.value)});
      const OptionSpec* spec = table_.Find(kFramework, option.name);
      if (spec != nullptr) values.push_back({spec, options.back().value.value_or("")});
    }
    report_.CheckTogether("", options);
    for (const OptionValue& unread : WithoutSwitch(values)) {
      const auto at = std::ranges::find(options, unread.spec->name, &LintedOption::name);
      if (at == options.end() || ProgramHasWord(file_, unread.spec->goes_with)) continue;
      Report(at->at, NothingSwitchesOn(*unread.spec));
    }
  }

  void LintConfigObject(Node call, const ConfigClass& config) {
    const std::vector<std::string>& parameters = Words(config.parameters).words();
    std::vector<SetOption> set;
    size_t position = 0;
    for (const Argument& argument : ArgumentsOf(call)) {
      if (argument.is_splat) return;
      std::string name(argument.keyword);
      if (name.empty()) {
        if (position == parameters.size()) return;
        name = parameters[position++];
      }
      const auto spec = std::ranges::find_if(table_.options(), [&](const OptionSpec& row) {
        return row.framework == kFramework && row.*config.option == name;
      });
      if (spec == table_.options().end()) {
        ReportUnknown(argument.node, name, {parameters.begin(), parameters.end()});
        continue;
      }
      set.push_back({spec->name, argument.node, argument.value, ""});
      LintOption(set.back());
    }
    LintTogether(set);
  }

  void ReportUnknown(Node at, const std::string& name, const std::vector<std::string_view>& known) {
    const auto near = SimilarName(name, known);
    Report(at, near ? Say("no option is called {}: it is ignored; did you mean {}?",
                          "没有名为 {} 的选项, 会被忽略; 您是否想写 {}?", name, *near)
                    : Say("no option is called {}: it is ignored", "没有名为 {} 的选项, 会被忽略",
                          name));
  }

  void LintRunConfig(Node call) {
    for (const Argument& argument : ArgumentsOf(call)) {
      const std::string name(argument.keyword);
      if (name.empty() || table_.Find(kFramework, name) == nullptr) continue;
      LintOption({name, argument.node, argument.value, ""});
    }
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const Argument* config = FindKeyword(arguments, "session_config");
    if (config == nullptr) return;
    for (const NpuOptimizer& optimizer : sites_.optimizers) {
      if (!optimizer.object || optimizer.object.text() != config->value.text()) continue;
      for (const NpuOptimizer::Parameter& parameter : optimizer.parameters) {
        const OptionSpec* spec = table_.Find(kFramework, parameter.key);
        if (spec != nullptr && !spec->dump_config.empty()) {
          Report(
              parameter.statement,
              Say("NPURunConfig overrides {} of its session_config: give it a dump_config",
                  "NPURunConfig 会覆盖其 session_config 的 {}: 请使用 dump_config", parameter.key));
        }
      }
    }
  }

  /// The options of npu_device are attributes, at any depth.
  void LintDevice(Node call) {
    const std::string prefix =
        std::string(call.Child(Field::kFunction).Child(Field::kObject).text()) +
        ".global_options().";
    std::vector<SetOption> set;
    for (Node assignment : file_.NodesOf(NodeKind::kAssignment)) {
      const std::string_view left = assignment.Child(Field::kLeft).text();
      if (!left.starts_with(prefix)) continue;
      const std::string_view path = left.substr(prefix.size());
      for (const OptionSpec& spec : table_.options()) {
        if (spec.framework != kFramework || spec.tf2 != path) continue;
        const SetOption option{spec.name, assignment, assignment.Child(Field::kRight), ""};
        LintOption(option);
        if (BlockOf(EnclosingStatement(assignment)) == BlockOf(EnclosingStatement(call))) {
          set.push_back(option);
        }
      }
    }
    LintTogether(set);
  }

  void LintInitialize(const ConfigSlot& slot) {
    if (!slot.initialize) return;
    const std::vector<Argument> arguments = ArgumentsOf(slot.call);
    const Handed handed = FindArgument(arguments, slot.keyword, slot.position);
    if (handed.argument == nullptr) return;
    for (const NpuOptimizer& optimizer : sites_.optimizers) {
      if (!optimizer.object || optimizer.object.text() != handed.argument->value.text()) continue;
      for (const NpuOptimizer::Parameter& parameter : optimizer.parameters) {
        const OptionSpec* spec = table_.Find(kFramework, parameter.key);
        if (spec != nullptr && !spec->initialize) {
          Report(parameter.statement,
                 Say("initialize_system does not read {}: set it where the session runs",
                     "initialize_system 不读取 {}: 请在运行会话处设置", parameter.key));
        }
      }
    }
  }

  /// get_rank_id() and the like, before the session in the same function runs anything.
  void LintRankQueries() {
    if (sites_.initializes) return;
    for (const Node query : sites_.rank_queries) {
      const uint32_t scope = file_.names().ScopeOf(query);
      bool runs_before = false;
      bool runs_behind = false;
      for (const Node call : file_.NodesOf(NodeKind::kCall)) {
        if (file_.names().ScopeOf(call) != scope) continue;
        if (!Words("graph-runs").Has(InjectFile::LastName(call))) continue;
        (call.range().start < query.range().start ? runs_before : runs_behind) = true;
      }
      if (runs_before || !runs_behind) continue;
      if (ProgramHasWord(file_, "initialize_system")) return;
      Report(query,
             Say("{} is called before initialize_system has run: run it in a session of its own "
                 "before, as --initialize-system does",
                 "{} 在 initialize_system 执行之前被调用: 请先在单独的 session 中执行, 可使用 "
                 "--initialize-system",
                 InjectFile::LastName(query)));
      return;
    }
  }

  const InjectFile& file_;
  const OptionTable& table_;
  const TensorflowSites sites_;
  LintReport report_;
  bool dumps_ = false;
};

}  // namespace

FileInjection LintTensorflow(const InjectFile& file, const OptionTable& table) {
  return TensorflowLinter(file, table).Lint();
}

}  // namespace transplt
