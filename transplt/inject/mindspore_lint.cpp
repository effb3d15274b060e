// SPDX-License-Identifier: Apache-2.0
// Mistakes in what scripts of MindSpore collect already.
#include <algorithm>
#include <array>

#include "generators/generator_kind.h"
#include "transplt/base/one_of.h"
#include "transplt/inject/frameworks.h"
#include "transplt/inject/lint_report.h"
#include "transplt/inject/literal_json.h"
#include "transplt/inject/mindspore_injector.h"
#include "transplt/inject/tensorflow_sites.h"
#include "transplt/python/arguments.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// A variable of the environment, and the option that its value is.
struct Variable {
  std::string_view name;
  std::string_view tool;
  std::string_view option;
};
constexpr std::array<Variable, 5> kVariables = {
    {{"MINDSPORE_DUMP_CONFIG", "dump", "dump_config"},
     {"GLOG_v", "log", "GLOG_v"},
     {"GLOG_logtostderr", "log", "GLOG_logtostderr"},
     {"GLOG_log_dir", "log", "GLOG_log_dir"},
     {"MS_SUBMODULE_LOG_v", "log", "MS_SUBMODULE_LOG_v"}}};

class MindsporeLinter {
 public:
  MindsporeLinter(const InjectFile& file, const OptionTable& table)
      : file_(file), report_("lint-mindspore", "mindspore", table) {}

  FileInjection Lint() {
    for (Node assignment : file_.NodesOf(NodeKind::kAssignment)) LintEnvironment(assignment);
    report_.CheckOptions("dump", dump_);
    report_.CheckOptions("log", log_);
    for (Node dictionary : file_.NodesOf(NodeKind::kDictionary)) LintSettings(dictionary);
    for (Node call : file_.NodesOf(NodeKind::kCall)) {
      if (file_.Calls(call, "set_context", {"mindspore"})) LintContext(call);
      if (file_.Calls(call, "Print", {"mindspore"})) {
        report_.CheckConstraints(file_, "print", {}, call);
      }
    }
    return report_.Take();
  }

 private:
  /// `os.environ["MINDSPORE_DUMP_CONFIG"] = ...`.
  void LintEnvironment(Node assignment) {
    const Node left = assignment.Child(Field::kLeft);
    if (!left.Is(NodeKind::kSubscript) || !left.Child(Field::kValue).text().ends_with("environ")) {
      return;
    }
    const std::optional<std::string> name = LiteralValue(left.Child(Field::kSubscript));
    for (const Variable& variable : kVariables) {
      if (name != variable.name) continue;
      const LintedOption option{std::string(variable.option), assignment,
                                LiteralValue(assignment.Child(Field::kRight))};
      (variable.tool == "dump" ? dump_ : log_).push_back(option);
      if (variable.tool == "dump") {
        report_.Report(assignment, DumpConfigIsReadAtStart(option.value.value_or("FILE")));
        return;
      }
      const Node import = ImportBefore(assignment);
      if (!import) return;
      report_.Report(assignment,
                     Say("{} is set after mindspore was loaded at line {}, which has read it by "
                         "then: set it before",
                         "{} 在第 {} 行加载 mindspore 之后才设置, 此时已不再读取: 请在加载前设置",
                         variable.name, file_.LineOf(import)));
      return;
    }
  }

  /// The import of mindspore at module level that stands before `node`, or null.
  Node ImportBefore(Node node) const {
    if (file_.names().ScopeOf(node) != 0) return {};
    for (const Binding& binding : file_.names().bindings()) {
      const bool is_it = binding.target == "mindspore" || binding.target.starts_with("mindspore.");
      if (binding.kind == BindingKind::kImport && binding.scope == 0 && is_it &&
          binding.statement.range().start < node.range().start) {
        return binding.statement;
      }
    }
    return {};
  }

  /// What is written into a data_dump.json. Members may be added further down, so that one that
  /// is missing is no mistake.
  void LintSettings(Node dictionary) {
    const GeneratorKind& kind = *FindGeneratorKind("mindspore-dump");
    const bool is_it = std::ranges::any_of(NamedChildren(dictionary), [&](Node pair) {
      return pair.Is(NodeKind::kPair) &&
             IsOneOf(LiteralValue(pair.Child(Field::kKey)).value_or(""), kind.members);
    });
    if (!is_it) return;
    const LiteralJson settings = LiteralJsonOf(dictionary);
    const Result<ConfigSchema> schema = ConfigSchema::Parse(kind.schema());
    const Result<JsonDocument> document = JsonDocument::Parse("settings", settings.text);
    if (!schema || !document) return;
    for (const ConfigMistake& mistake : schema->Check(*document)) {
      const auto place = settings.places.find(mistake.pointer);
      if (mistake.is_note || mistake.is_missing || place == settings.places.end()) continue;
      if (mistake.pointer.empty() || settings.computed.contains(mistake.pointer)) continue;
      // An element of a list is told under the name of the list.
      const std::string named =
          mistake.pointer.substr(0, mistake.pointer.find_last_not_of("0123456789") + 1);
      const size_t end = named.find_last_not_of('/') + 1;
      const size_t start = named.rfind('/', end - 1) + 1;
      const std::string name = named.substr(start, end - start);
      report_.Report(place->second, {name + ": " + mistake.what.en, name + ": " + mistake.what.zh});
    }
  }

  void LintContext(Node call) {
    std::vector<LintedOption> options;
    for (const Argument& argument : ArgumentsOf(call)) {
      const bool is_known = argument.keyword.starts_with("save_graphs") ||
                            argument.keyword == "reserve_class_name_in_scope" ||
                            argument.keyword == "env_config_path";
      if (!is_known) continue;
      // Later versions take levels for save_graphs.
      const bool is_level = argument.value.Is(NodeKind::kInteger);
      options.push_back({std::string(argument.keyword), argument.node,
                         is_level ? std::nullopt : LiteralValue(argument.value)});
    }
    // Where the graphs are written may be said in another place than whether they are.
    options.push_back({"save_graphs", call, std::nullopt});
    report_.CheckOptions("context", options);
  }

  const InjectFile& file_;
  LintReport report_;
  std::vector<LintedOption> dump_;
  std::vector<LintedOption> log_;
};

}  // namespace

FileInjection LintMindspore(const InjectFile& file, const OptionTable& table) {
  return MindsporeLinter(file, table).Lint();
}

}  // namespace transplt
