// SPDX-License-Identifier: Apache-2.0
#include "transplt/inject/tensorflow_spelling.h"

#include <fmt/format.h>

#include <algorithm>

#include "transplt/inject/tensorflow_sites.h"

namespace transplt {
namespace {

constexpr std::string_view kOptimizers = ".graph_options.rewrite_options.custom_optimizers";
constexpr std::string_view kRewriterImport =
    "from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig";
constexpr std::string_view kMemory = ".graph_options.rewrite_options.memory_optimization";

bool IsSwitch(const OptionValue& option) {
  const std::string& name = option.spec->name;
  return option.IsTrue() &&
         (name == "enable_dump" || name == "enable_dump_debug" || name == "profiling_mode");
}

}  // namespace

std::string_view FieldOf(const OptionValue& option) {
  switch (option.spec->type) {
    case OptionType::kBool:
      return "b";
    case OptionType::kInt:
      return "i";
    case OptionType::kString:
      break;
  }
  return "s";
}

std::string NamesOf(const std::vector<OptionValue>& options) {
  std::string names;
  for (const OptionValue& option : options) {
    names += (names.empty() ? "" : ", ") + option.spec->name;
  }
  return names;
}

std::string TensorflowSpelling::Prefix() {
  if (!prefix_.empty()) return prefix_;
  // What the file itself writes in front of such names.
  for (Node call : file_.NodesOf(NodeKind::kCall)) {
    const std::string_view name = InjectFile::LastName(call);
    const bool is_known = name == "ConfigProto" || name == "Session" ||
                          name == "InteractiveSession" || name == "placeholder" ||
                          name == "global_variables_initializer";
    const Node callee = call.Child(Field::kFunction);
    if (!is_known || !callee.Is(NodeKind::kAttribute) || file_.IsInjected(call)) continue;
    for (const QualifiedName& found : file_.names().Resolve(callee)) {
      const std::string bare(name);
      if (found.name == "tensorflow." + bare || found.name == "tensorflow.compat.v1." + bare ||
          found.name == "tf." + bare) {
        return prefix_ = callee.Child(Field::kObject).text();
      }
    }
  }
  return prefix_ = AliasOfTensorflow();
}

std::string TensorflowSpelling::AliasOfTensorflow() {
  // npu_bridge is for TensorFlow 1; what else runs on an NPU may be of TensorFlow 2.
  const bool is_v1 =
      file_.ImportsPackage("npu_bridge") && !file_.ImportsPackage("tensorflow.compat.v1");
  const std::string version = is_v1 ? "" : ".compat.v1";
  for (const std::string_view module : {"tensorflow", "tensorflow.compat.v1"}) {
    const std::string alias = file_.names().LocalNameOf(module);
    if (!alias.empty()) return alias + (module == "tensorflow" ? version : "");
  }
  const bool has_star = file_.HasStarImport("npu_bridge.npu_init") ||
                        file_.HasStarImport("npu_device.compat.v1.npu_init");
  if (!has_star && !file_.Binds("tf")) plan_.Import("import tensorflow as tf");
  return "tf" + version;
}

std::string TensorflowSpelling::NewConfigProto(Node at) {
  const std::string callee = ConfigProtoClass();
  ImportForModule(callee, at);
  return callee + "(allow_soft_placement=True)";
}

std::string TensorflowSpelling::ConfigProtoClass() {
  for (Node call : file_.NodesOf(NodeKind::kCall)) {
    if (IsConfigProto(file_, call) && !file_.IsInjected(call)) {
      return std::string(call.Child(Field::kFunction).text());
    }
  }
  return Prefix() + ".ConfigProto";
}

void TensorflowSpelling::ImportForModule(const std::string& spelled, Node at) {
  const std::string name = spelled.substr(0, spelled.find_first_of(".("));
  const NameTable& names = file_.names();
  const bool is_visible = std::ranges::any_of(names.bindings(), [&](const Binding& binding) {
    return binding.name == name &&
           (binding.scope == 0 || names.ScopeNode(binding.scope).IsAncestorOf(at));
  });
  // What is put behind the imports as a whole comes behind all of them.
  const bool is_of_module = !at.parent();
  if (is_visible && (is_of_module || !file_.MayBeUnbound(name, at))) return;
  for (const Binding& binding : names.bindings()) {
    const bool is_it = binding.kind == BindingKind::kImport && binding.name == name;
    if (!is_it || file_.IsInjected(binding.node)) continue;
    const size_t dot = binding.target.rfind('.');
    const std::string last =
        dot == std::string::npos ? binding.target : binding.target.substr(dot + 1);
    const std::string as = last == name ? "" : " as " + name;
    plan_.Import(dot == std::string::npos
                     ? fmt::format("import {}{}", last, as)
                     : fmt::format("from {} import {}{}", binding.target.substr(0, dot), last, as));
    return;
  }
}

std::string TensorflowSpelling::SessionClass(Node at) {
  const std::string proto = ConfigProtoClass();
  const std::string module = proto.substr(0, proto.rfind("ConfigProto"));
  const bool is_bare = module.empty() && !file_.BindsAt("Session", at);
  const std::string session = (is_bare ? Prefix() + "." : module) + "Session";
  ImportForModule(session, at);
  return session;
}

std::string TensorflowSpelling::NpuOperators(Node at, bool is_compat) {
  constexpr std::string_view kV1 = "npu_bridge.npu_init";
  constexpr std::string_view kCompat = "npu_device.compat.v1.npu_init";
  const std::string name = "npu_ops";
  if (file_.BindsAt(name, at) || file_.HasStarImport(kV1) || file_.HasStarImport(kCompat)) {
    return name;
  }
  const bool is_v1 = file_.ImportsPackage("npu_bridge") ||
                     !(is_compat || file_.ImportsPackage("npu_device.compat"));
  plan_.Import(fmt::format("from {} import {}", is_v1 ? kV1 : kCompat, name));
  return name;
}

std::string TensorflowSpelling::SessionCreator(Node session) {
  const Node callee = session.Child(Field::kFunction);
  const bool has_module = callee.Is(NodeKind::kAttribute);
  const std::string module =
      has_module ? std::string(callee.Child(Field::kObject).text()) : Prefix() + ".train";
  return module + ".ChiefSessionCreator";
}

std::string TensorflowSpelling::KerasSession(const std::string& config, Node at) {
  const auto import_name = [&](const std::string& module, const std::string& name) {
    const bool known = file_.BindsAt(name, at) || file_.HasStarImport(module);
    if (!known) plan_.Import("from " + module + " import " + name);
  };
  if (!file_.ImportsPackage("keras")) {
    import_name("npu_bridge.npu_init", "set_keras_session_npu_config");
    return fmt::format("npu_keras_sess = set_keras_session_npu_config(config={})", config);
  }
  // The keras that is installed beside TensorFlow has a session of its own.
  import_name("npu_bridge.npu_init", "npu_config_proto");
  std::string backend = file_.names().LocalNameOf("keras.backend");
  if (!backend.empty()) {
    backend += ".";
  } else {
    plan_.Import("from keras.backend import set_session");
  }
  return fmt::format("{}set_session({}(config=npu_config_proto(config_proto={})))", backend,
                     SessionClass(at), config);
}

std::string TensorflowSpelling::RunConfig(Node at) {
  ImportForModule(Prefix(), at);
  return Prefix() + ".estimator.RunConfig";
}

std::string TensorflowSpelling::RewriterOff(bool is_local) {
  const bool has_star = is_local || file_.HasStarImport("npu_bridge.npu_init") ||
                        file_.HasStarImport("npu_device.compat.v1.npu_init");
  if (!has_star && !file_.Binds("RewriterConfig")) {
    plan_.Import(std::string(kRewriterImport));
  }
  return "RewriterConfig.OFF";
}

std::string TensorflowSpelling::NpuClass(std::string_view name, Node sibling) {
  const Node callee = sibling.Child(Field::kFunction);
  if (callee.Is(NodeKind::kAttribute)) {
    return std::string(callee.Child(Field::kObject).text()) + "." + std::string(name);
  }
  const bool known = file_.BindsAt(name, sibling) || file_.HasStarImport("npu_bridge.npu_init") ||
                     file_.HasStarImport("npu_bridge.estimator.npu.npu_config");
  if (!known) {
    plan_.Import("from npu_bridge.estimator.npu.npu_config import " + std::string(name));
  }
  return std::string(name);
}

std::string TensorflowSpelling::ParameterValue(const OptionValue& option, const std::string& flag) {
  if (option.spec->type != OptionType::kString) return PlainValue(option, flag);
  const std::string prefix = Prefix();
  const std::string head = prefix.substr(0, prefix.find('.'));
  return fmt::format("{}.compat.as_bytes({})", head, plan_.Quoted(option.value));
}

std::string TensorflowSpelling::PlainValue(const OptionValue& option,
                                           const std::string& flag) const {
  switch (option.spec->type) {
    case OptionType::kBool:
      if (!flag.empty() && IsSwitch(option)) return flag;
      return option.value == "true" ? "True" : "False";
    case OptionType::kInt:
      return option.value;
    case OptionType::kString:
      break;
  }
  return plan_.Quoted(option.value);
}

bool TensorflowSpelling::IsGated(const std::vector<OptionValue>& options) const {
  return !request_.ranks.empty() && std::ranges::any_of(options, IsSwitch);
}

std::string TensorflowSpelling::RankCondition(bool has_os) {
  if (!has_os && !file_.Binds("os")) plan_.Import("import os");
  std::string ranks;
  for (int rank : request_.ranks) ranks += (ranks.empty() ? "" : ", ") + std::to_string(rank);
  const std::string rank =
      fmt::format("int(os.getenv({}, {}))", plan_.Quoted("RANK_ID"), plan_.Quoted("0"));
  if (request_.ranks.size() == 1) return fmt::format("{} == {}", rank, ranks);
  return fmt::format("{} in ({})", rank, ranks);
}

std::vector<std::string> TensorflowSpelling::GateLines(const std::string& flag, Node at) {
  const bool is_local = file_.MayBeUnbound("os", at);
  std::vector<std::string> lines = {"if " + RankCondition(file_.BindsAt("os", at)) + ":",
                                    "    " + flag + " = True", "else:", "    " + flag + " = False"};
  if (is_local) lines.insert(lines.begin(), "import os");
  return lines;
}

std::vector<std::string> TensorflowSpelling::FolderLines(const std::vector<OptionValue>& options) {
  std::vector<std::string> lines;
  for (const OptionValue& option : options) {
    if (!request_.make_folders || option.spec->name != "dump_path") continue;
    if (!file_.Binds("os")) plan_.Import("import os");
    lines.push_back(fmt::format("os.makedirs({}, exist_ok=True)", plan_.Quoted(option.value)));
  }
  return lines;
}

/// True if the author sets memory_optimization on the object that `config` is at `at`.
bool TensorflowSpelling::SetsMemory(const std::string& config, Node at) const {
  const NameTable& names = file_.names();
  const uint32_t scope = names.ScopeOf(at);
  const bool is_local = std::ranges::any_of(names.bindings(), [&](const Binding& binding) {
    return binding.scope == scope && binding.name == config;
  });
  return std::ranges::any_of(file_.NodesOf(NodeKind::kAssignment), [&](Node assignment) {
    const Node left = assignment.Child(Field::kLeft);
    if (left.text() != config + std::string(kMemory)) return false;
    return !is_local || names.ScopeOf(left) == scope;
  });
}

std::vector<std::string> TensorflowSpelling::OptimizerLines(const std::string& config, bool is_new,
                                                            const std::vector<OptionValue>& options,
                                                            Node at) {
  std::vector<std::string> lines;
  std::string flag;
  const bool has_text = std::ranges::any_of(
      options, [](const OptionValue& option) { return option.spec->type == OptionType::kString; });
  if (has_text) ImportForModule(Prefix(), at);
  if (IsGated(options)) {
    flag = file_.FreshName("dump_flag", at);
    lines = GateLines(flag, at);
  }
  for (std::string& line : FolderLines(options)) lines.push_back(std::move(line));
  const std::string op = file_.FreshName("custom_op", at);
  const std::string name = plan_.Quoted("NpuOptimizer");
  const std::string optimizers = config + std::string(kOptimizers);
  const bool is_local = file_.MayBeUnbound("RewriterConfig", at);
  const std::string memory = SetsMemory(config, at)
                                 ? ""
                                 : config + std::string(kMemory) + " = " +
                                       RewriterOff(file_.BindsAt("RewriterConfig", at));
  if (is_local && !memory.empty()) lines.emplace_back(kRewriterImport);
  if (is_new) {
    lines.push_back(fmt::format("{} = {}.add()", op, optimizers));
    lines.push_back(fmt::format("{}.name = {}", op, name));
  } else {
    const std::string other = file_.FreshName("existing_op", at);
    lines.push_back(fmt::format("{} = None", op));
    lines.push_back(fmt::format("for {} in {}:", other, optimizers));
    lines.push_back(fmt::format("    if {}.name == {}:", other, name));
    lines.push_back(fmt::format("        {} = {}", op, other));
    lines.push_back(fmt::format("if {} is None:", op));
    lines.push_back(fmt::format("    {} = {}.add()", op, optimizers));
    lines.push_back(fmt::format("    {}.name = {}", op, name));
    if (!memory.empty()) lines.push_back("    " + memory);
  }
  for (const OptionValue& option : options) {
    lines.push_back(fmt::format("{}.parameter_map[{}].{} = {}", op, plan_.Quoted(option.spec->name),
                                FieldOf(option), ParameterValue(option, flag)));
  }
  if (is_new && !memory.empty()) lines.push_back(memory);
  return lines;
}

}  // namespace transplt
