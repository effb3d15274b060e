// SPDX-License-Identifier: Apache-2.0
// Mistakes in what scripts of TensorFlow set already.
#include <fmt/format.h>

#include "transplt/base/text_parts.h"
#include "transplt/inject/frameworks.h"
#include "transplt/inject/lint_report.h"
#include "transplt/inject/tensorflow_injector.h"
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

class Linter {
 public:
  Linter(const InjectFile& file, const OptionTable& table)
      : file_(file),
        table_(table),
        sites_(FindTensorflowSites(file)),
        report_("lint-tensorflow", kFramework, table) {}

  FileInjection Lint() {
    for (const NpuOptimizer& optimizer : sites_.optimizers) LintOptimizer(optimizer);
    for (Node call : file_.NodesOf(NodeKind::kCall)) {
      if (InjectFile::LastName(call) == "DumpConfig" && IsNpuCall(file_, call, "DumpConfig")) {
        LintDumpConfig(call);
      }
    }
    for (Node call : sites_.run_configs) LintRunConfig(call);
    for (Node call : sites_.devices) LintDevice(call);
    for (const ConfigSlot& slot : sites_.slots) LintInitialize(slot);
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
    std::optional<std::string> value = LiteralValue(option.value);
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
    for (const SetOption& option : set) {
      options.push_back({option.name, option.at, LiteralValue(option.value)});
    }
    report_.CheckTogether("", options);
  }

  std::vector<SetOption> KeywordsOf(Node call) {
    std::vector<SetOption> set;
    for (const Argument& argument : ArgumentsOf(call)) {
      if (argument.keyword.empty()) continue;
      set.push_back({std::string(argument.keyword), argument.node, argument.value, ""});
    }
    return set;
  }

  void LintDumpConfig(Node call) {
    const std::vector<SetOption> set = KeywordsOf(call);
    for (const SetOption& option : set) LintOption(option);
    LintTogether(set);
  }

  void LintRunConfig(Node call) {
    for (const SetOption& option : KeywordsOf(call)) {
      if (table_.Find(kFramework, option.name) != nullptr) LintOption(option);
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

  const InjectFile& file_;
  const OptionTable& table_;
  const TensorflowSites sites_;
  LintReport report_;
};

}  // namespace

FileInjection InjectTensorflow(const InjectFile& file, const InjectRequest& request) {
  return TensorflowInjector(file, request).Inject();
}

FileInjection LintTensorflow(const InjectFile& file, const OptionTable& table) {
  return Linter(file, table).Lint();
}

}  // namespace transplt
