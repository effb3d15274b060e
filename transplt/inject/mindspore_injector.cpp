// SPDX-License-Identifier: Apache-2.0
#include "transplt/inject/mindspore_injector.h"

#include <fmt/format.h>

#include <algorithm>

#include "transplt/base/text_parts.h"
#include "transplt/inject/frameworks.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr std::string_view kRule = "inject-mindspore";

/// The first import of mindspore at module level, or null.
Node MindsporeImport(const InjectFile& file) {
  for (const Binding& binding : file.names().bindings()) {
    const bool is_it = binding.target == "mindspore" || binding.target.starts_with("mindspore.");
    if (binding.kind == BindingKind::kImport && binding.scope == 0 && is_it &&
        binding.statement.parent().Is(NodeKind::kModule)) {
      return binding.statement;
    }
  }
  return {};
}

bool RunsItself(const InjectFile& file) { return HasPart(file.source().bytes(), "__name__"); }

/// "a,b" as `["a", "b"]`, or without quotes for numbers.
std::string JsonList(std::string_view text, bool quoted) {
  std::string list;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    list += list.empty() ? "" : ", ";
    list +=
        quoted ? fmt::format("\"{}\"", text.substr(0, comma)) : std::string(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return "[" + list + "]";
}

}  // namespace

FileInjection InjectMindspore(const InjectFile& file, const InjectRequest& request) {
  return MindsporeInjector(file, request).Inject();
}

FileInjection MindsporeInjector::Inject() {
  const Node import = MindsporeImport(file_);
  if (!import) return {};
  plan_.ImportBehind(import);
  const std::string_view tool = request_.tool;
  if (tool == "dump") InjectDump(import);
  if (tool == "log") InjectLog(import);
  if (tool == "context") InjectContext(import);
  if (tool == "print") InjectPrint();
  if (tool == "callbacks") InjectCallbacks();
  if (tool == "metrics") InjectMetrics();
  for (Finding& finding : plan_.Findings()) result_.findings.push_back(std::move(finding));
  return std::move(result_);
}

bool MindsporeInjector::IsOn(std::string_view name) const {
  const OptionValue* option = request_.Find(name);
  return option != nullptr && option->IsTrue();
}

std::string MindsporeInjector::Text(std::string_view name) const {
  const OptionValue* option = request_.Find(name);
  return option == nullptr ? std::string() : option->value;
}

/// The environment must be set before mindspore is loaded, in the file that is run.
void MindsporeInjector::InjectDump(Node import) {
  if (!RunsItself(file_)) return;
  std::vector<std::string> lines = {"import os"};
  if (request_.Find("dump_path") != nullptr) {
    const auto number = [&](std::string_view name, std::string_view otherwise) {
      const std::string value = Text(name);
      return value.empty() ? std::string(otherwise) : value;
    };
    const std::string kernels = JsonList(Text("kernels"), true);
    const std::string name = request_.Find("net_name") == nullptr ? "Net" : Text("net_name");
    const std::string devices = request_.ranks.empty() ? "[0, 1, 2, 3, 4, 5, 6, 7]" : [&] {
      std::string list;
      for (int rank : request_.ranks) list += (list.empty() ? "" : ", ") + std::to_string(rank);
      return "[" + list + "]";
    }();
    const bool async = IsOn("async_dump");
    lines.emplace_back("import json");
    lines.push_back("with open(" + Quoted("dump_config") + ", " + plan_.Quoted("w") +
                    ") as dump_file:");
    lines.emplace_back("    json.dump({");
    lines.emplace_back("        \"common_dump_settings\": {");
    lines.push_back(fmt::format("            \"dump_mode\": {},", kernels == "[]" ? 0 : 1));
    lines.push_back("            \"path\": " + Quoted("dump_path") + ",");
    lines.push_back("            \"net_name\": " + plan_.Quoted(name) + ",");
    lines.push_back("            \"iteration\": " + number("iteration", "0") + ",");
    lines.push_back("            \"input_output\": " + number("input_output", "0") + ",");
    lines.push_back("            \"kernels\": " + kernels + ",");
    lines.push_back("            \"support_device\": " + devices + "},");
    if (async) {
      lines.push_back("        \"async_dump_settings\": {\"enable\": True, \"op_debug_mode\": " +
                      number("op_debug_mode", "0") + "}}, dump_file)");
    } else {
      lines.push_back(fmt::format(
          "        \"e2e_dump_settings\": {{\"enable\": True, \"trans_flag\": {}}}}}, dump_file)",
          IsOn("trans_flag") ? "True" : "False"));
    }
  }
  lines.push_back(fmt::format("os.environ[{}] = {}", plan_.Quoted("MINDSPORE_DUMP_CONFIG"),
                              Quoted("dump_config")));
  plan_.InsertBefore(import, lines, Reason(import, "MINDSPORE_DUMP_CONFIG"));
  Leave(import,
        Say("MINDSPORE_DUMP_CONFIG is set before mindspore is loaded; the guide sets it "
            "before the script starts: where another module loads mindspore first, export it",
            "MINDSPORE_DUMP_CONFIG 在加载 mindspore 之前设置; 指南要求在脚本启动前设置: "
            "若其他模块先加载 mindspore, 请改用 export"));
  Note(import, "MINDSPORE_DUMP_CONFIG");
}

void MindsporeInjector::InjectLog(Node import) {
  if (!RunsItself(file_)) return;
  std::vector<std::string> lines = {"import os"};
  std::string names;
  for (const OptionValue& option : request_.options) {
    lines.push_back(fmt::format("os.environ[{}] = {}", plan_.Quoted(option.spec->name),
                                plan_.Quoted(option.value)));
    names += (names.empty() ? "" : ", ") + option.spec->name;
  }
  plan_.InsertBefore(import, lines, Reason(import, names));
  Note(import, names);
}

/// context.set_context(...): a value that the program sets itself is changed there.
void MindsporeInjector::InjectContext(Node import) {
  if (!RunsItself(file_) && !HasPart(file_.source().bytes(), "set_context")) {
    return;
  }
  std::string arguments;
  for (const OptionValue& option : request_.options) {
    const std::string value = option.spec->type == OptionType::kBool
                                  ? (option.value == "true" ? "True" : "False")
                                  : plan_.Quoted(option.value);
    bool is_set = false;
    for (Node call : file_.NodesOf(NodeKind::kCall)) {
      if (InjectFile::LastName(call) != "set_context" ||
          !file_.Calls(call, "set_context", {"mindspore"})) {
        continue;
      }
      const std::vector<Argument> given = ArgumentsOf(call);
      const Argument* argument = FindKeyword(given, option.spec->name);
      if (argument == nullptr) continue;
      is_set = true;
      Note(call, option.spec->name);
      if (argument->value.text() != value) {
        plan_.Replace(argument->value_range, value, Reason(call, option.spec->name));
      }
    }
    if (!is_set) {
      arguments += fmt::format("{}{}={}", arguments.empty() ? "" : ", ", option.spec->name, value);
    }
  }
  if (arguments.empty()) return;
  if (!RunsItself(file_)) return;
  plan_.Import("from mindspore import context");
  plan_.Define("context.set_context(" + arguments + ")");
  Note(import, "set_context(" + arguments + ")");
}

/// ops.Print() in the construct of one class.
void MindsporeInjector::InjectPrint() {
  for (Node definition : file_.NodesOf(NodeKind::kClassDefinition)) {
    if (definition.Child(Field::kName).text() == Text("cell")) PrintIn(definition);
  }
}

void MindsporeInjector::PrintIn(Node definition) {
  Node init;
  Node construct;
  const Node body = definition.Child(Field::kBody);
  for (const Node member : NamedChildren(body)) {
    if (!member.Is(NodeKind::kFunctionDefinition)) continue;
    const std::string_view name = member.Child(Field::kName).text();
    if (name == "__init__") init = member;
    if (name == "construct") construct = member;
  }
  if (!init || !construct) {
    Leave(definition.Child(Field::kName),
          Say("a class with __init__ and construct is needed to print",
              "需要含 __init__ 与 "
              "construct 的类才能打印"));
    return;
  }
  std::string values;
  for (const Binding& binding : file_.names().bindings()) {
    if (binding.kind != BindingKind::kParameter || binding.name == "self" ||
        file_.names().ScopeNode(binding.scope) != construct) {
      continue;
    }
    values += fmt::format(", {}, {}", plan_.Quoted(std::string(binding.name) + ":"), binding.name);
  }
  if (values.empty()) {
    Leave(construct, Say("construct has nothing to print", "construct 没有可打印的参数"));
    return;
  }
  const Node last = LastNamedChild(init.Child(Field::kBody));
  Node first = construct.Child(Field::kBody).first_named_child();
  const bool is_docstring =
      first.Is(NodeKind::kExpressionStatement) && first.first_named_child().Is(NodeKind::kString);
  if (is_docstring && first.next_named_sibling()) first = first.next_named_sibling();
  if (!EditPlan::CanInsertBefore(last) || !EditPlan::CanInsertBefore(first)) {
    Leave(construct, Say("its body shares its line", "其内容与其他语句同行"));
    return;
  }
  const EditReason reason = Reason(construct, "ops.Print()");
  plan_.Import("import mindspore.ops");
  plan_.InsertAfter(last, {"self.npu_print = mindspore.ops.Print()"}, reason);
  plan_.InsertBefore(first, {"self.npu_print(" + values.substr(2) + ")"}, reason);
  Note(construct, "ops.Print()");
}

EditReason MindsporeInjector::Reason(Node node, std::string_view what) const {
  return {node.range(), std::string(kRule), Say("sets {}", "设置 {}", what)};
}

void MindsporeInjector::Leave(Node node, transplt::Text why) {
  result_.findings.push_back(RowAt(node.range(), kRule, std::move(why)));
}

void MindsporeInjector::Note(Node node, std::string_view what) {
  result_.sites.push_back(
      {node.range(), std::string(request_.tool), Say("sets {}", "设置 {}", what)});
}

}  // namespace transplt
