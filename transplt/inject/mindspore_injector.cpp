// SPDX-License-Identifier: Apache-2.0
#include "transplt/inject/mindspore_injector.h"

#include <fmt/format.h>

#include <algorithm>

#include "transplt/base/text_parts.h"
#include "transplt/facts/imported_library.h"
#include "transplt/inject/frameworks.h"
#include "transplt/python/main_block.h"
#include "transplt/python/parameters.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr std::string_view kMindsporeRule = "inject-mindspore";

/// True if the code goes through `name` item by item, or takes it apart: a list, a tuple.
bool GoesThrough(Node code, std::string_view name) {
  return std::ranges::any_of(NodesIn(code), [&](Node node) {
    const bool is_loop = node.Is(NodeKind::kForStatement) || node.Is(NodeKind::kForInClause);
    const bool takes_apart =
        node.Is(NodeKind::kAssignment) && (node.Child(Field::kLeft).Is(NodeKind::kPatternList) ||
                                           node.Child(Field::kLeft).Is(NodeKind::kTuplePattern));
    if (is_loop || takes_apart) return node.Child(Field::kRight).text() == name;
    const bool asks = node.Is(NodeKind::kCall) && node.Child(Field::kFunction).text() == "len";
    return asks && node.Child(Field::kArguments).first_named_child().text() == name;
  });
}

/// False for a parameter that may be None, a dictionary or a list: Print takes tensors, numbers and
/// texts.
bool IsPrintable(Node parameter, Node construct) {
  if (GoesThrough(construct.Child(Field::kBody), parameter.text())) return false;
  const Node whole = parameter.parent();
  if (whole.Is(NodeKind::kDictionarySplatPattern)) return false;
  const bool has_default =
      whole.Is(NodeKind::kDefaultParameter) || whole.Is(NodeKind::kTypedDefaultParameter);
  return !has_default || !whole.Child(Field::kValue).Is(NodeKind::kNone);
}

}  // namespace

FileInjection InjectMindspore(const InjectFile& file, const InjectRequest& request) {
  return MindsporeInjector(file, request).Inject();
}

FileInjection MindsporeInjector::Inject() {
  const Node import = FirstLoad();
  const std::string_view tool = request_.tool;
  // A model may come from a file that loads MindSpore.
  if (!import && tool != "callbacks") return {};
  if (import) plan_.ImportBehind(import);
  if (tool == "dump") LeaveDump(import);
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

Text DumpConfigIsReadAtStart(const std::string& file) {
  return Say(
      "MINDSPORE_DUMP_CONFIG has no effect once the script runs: start it with "
      "`transplt generate launch --dump-config {}`, or export the variable before",
      "MINDSPORE_DUMP_CONFIG 在脚本运行过程中设置不生效: 请用 `transplt generate "
      "launch --dump-config {}` 启动, 或在启动前 export 该变量",
      file);
}

/// No line of the script can set it.
void MindsporeInjector::LeaveDump(Node import) {
  if (!IsStarted()) return;
  result_.sites.push_back({import.range(), std::string(request_.tool),
                           Say("left: set before the process starts, see generate launch",
                               "不处理: 须在进程启动前设置, 见 generate launch")});
  Leave(import, DumpConfigIsReadAtStart(Text("dump_config")), request_.options);
}

void MindsporeInjector::InjectLog(Node import) {
  if (!IsStarted()) return;
  std::vector<std::string> lines = {"import os"};
  std::string names;
  for (const OptionValue& option : request_.options) {
    lines.push_back(fmt::format("os.environ[{}] = {}", plan_.Quoted(option.spec->name),
                                plan_.Quoted(option.value)));
    names += (names.empty() ? "" : ", ") + option.spec->name;
  }
  plan_.InsertBefore(import, lines, Reason(import, names));
  Note(import, names, request_.options);
  // A value that the program sets itself would take its place again.
  for (Node assignment : file_.NodesOf(NodeKind::kAssignment)) {
    const Node variable = assignment.Child(Field::kLeft);
    const Node value = assignment.Child(Field::kRight);
    const bool is_setting = variable.Is(NodeKind::kSubscript) && value &&
                            variable.Child(Field::kValue).text().ends_with("environ");
    const auto name =
        is_setting ? LiteralValue(LastNamedChild(variable)) : std::optional<std::string>();
    const OptionValue* option = name ? request_.Find(*name) : nullptr;
    if (option == nullptr || value.text() == plan_.Quoted(option->value)) continue;
    plan_.Replace(value.range(), plan_.Quoted(option->value), Reason(assignment, *name));
  }
}

/// What `name` of MindSpore, or the module `name`, is called here: itself, unless the author uses
/// the name for something else.
std::string MindsporeInjector::NameFor(std::string_view name) const {
  for (const Binding& binding : file_.names().bindings()) {
    if (binding.scope != 0 || binding.name != name) continue;
    const bool is_it = binding.kind == BindingKind::kImport &&
                       (binding.target == name || IsInside("mindspore", binding.target));
    if (!is_it) return file_.FreshName(name, file_.tree().root());
  }
  return std::string(name);
}

/// True if one of the blocks `with` runs in each function that any of these blocks is part of, and
/// wherever one of `without` does.
bool CoverAllWays(const std::vector<Node>& with, const std::vector<Node>& without, Node module) {
  const std::vector<Node> mains = MainBlocksOf(module);
  const auto is_covered = [&](Node block) {
    return std::ranges::any_of(
        with, [&](Node other) { return other == block || other.IsAncestorOf(block); });
  };
  const auto is_whole = [&](Node block) {
    const Node owner = block.parent();
    return !owner || owner.Is(NodeKind::kFunctionDefinition) ||
           std::ranges::find(mains, owner) != mains.end();
  };
  return std::ranges::any_of(with, is_whole) && std::ranges::all_of(without, is_covered);
}

/// context.set_context(...): a value that the program sets itself is changed there.
void MindsporeInjector::InjectContext(Node import) {
  const bool sets_context = HasPart(file_.source().bytes(), "set_context");
  std::set<std::string> seen;
  if (!sets_context && (!IsStarted() || !MayCompile(file_.names(), seen))) return;
  std::string arguments;
  std::vector<OptionValue> missing;
  for (const OptionValue& option : request_.options) {
    const std::string value = option.spec->type == OptionType::kBool
                                  ? (option.value == "true" ? "True" : "False")
                                  : plan_.Quoted(option.value);
    std::vector<Node> with;
    std::vector<Node> without;
    for (Node call : file_.NodesOf(NodeKind::kCall)) {
      if (InjectFile::LastName(call) != "set_context" ||
          !file_.Calls(call, "set_context", {"mindspore"})) {
        continue;
      }
      const std::vector<Argument> given = ArgumentsOf(call);
      const Argument* argument = FindKeyword(given, option.spec->name);
      (argument == nullptr ? without : with).push_back(BlockOf(EnclosingStatement(call)));
      if (argument == nullptr) continue;
      Note(call, option.spec->name, {option});
      if (argument->value.text() == value) continue;
      plan_.Replace(argument->value_range, value, Reason(call, option.spec->name));
      if (!HasSideEffects(argument->value)) continue;
      Tell(call, Say("{}: the script computed it, as {}: now each process and each run has {}",
                     "{}: 脚本原为计算所得 {}: 现在各进程、各次运行均为 {}", option.spec->name,
                     argument->value.text(), value));
    }
    if (!CoverAllWays(with, without, file_.tree().root())) {
      arguments += fmt::format("{}{}={}", arguments.empty() ? "" : ", ", option.spec->name, value);
      missing.push_back(option);
    }
  }
  if (arguments.empty()) return;
  if (!IsStarted()) return;
  const std::string name = NameFor("context");
  plan_.Import("from mindspore import context" + (name == "context" ? "" : " as " + name));
  plan_.Define(name + ".set_context(" + arguments + ")");
  Note(import, "set_context(" + arguments + ")", missing);
}

/// ops.Print() in the construct of one class.
void MindsporeInjector::InjectPrint() {
  for (Node definition : file_.NodesOf(NodeKind::kClassDefinition)) {
    if (definition.Child(Field::kName).text() == Text("cell")) PrintIn(definition);
  }
}

/// The parameters of `construct` for which a call of a cell of the class hands over None.
std::set<std::string> MindsporeInjector::GivenNone(Node definition, Node construct) const {
  std::set<std::string> given;
  const std::string name(definition.Child(Field::kName).text());
  const auto is_of_class = [&](const ValueSource& made) {
    if (!made.node.Is(NodeKind::kCall)) return false;
    const auto own = sources_.DefinitionOf(made.At(made.node.Child(Field::kFunction)));
    return own && own->node.Is(NodeKind::kClassDefinition) &&
           own->path() == file_.source().path() && own->node.Child(Field::kName).text() == name;
  };
  const auto add = [&](const ValueSource& file) {
    for (const Node call : NodesIn(file.names->tree())) {
      if (!call.Is(NodeKind::kCall)) continue;
      const std::vector<ValueSource> cells = sources_.Of(file.At(call.Child(Field::kFunction)));
      if (std::ranges::none_of(cells, is_of_class)) continue;
      size_t position = 0;
      for (const Argument& argument : ArgumentsOf(call)) {
        const Node parameter = ParameterOf(construct, position, argument.keyword);
        const std::vector<ValueSource> values = sources_.Of(file.At(argument.value));
        const bool may_be_none = std::ranges::any_of(
            values, [](const ValueSource& value) { return value.node.Is(NodeKind::kNone); });
        if (parameter && may_be_none) given.emplace(parameter.text());
        position += argument.keyword.empty() ? 1 : 0;
      }
    }
  };
  add({{}, &file_.names()});
  if (file_.project() == nullptr) return given;
  for (const std::string& path : file_.project()->FilesSpelling(name)) {
    const auto opened = path == file_.source().path() ? nullptr : file_.project()->Open(path);
    if (opened != nullptr) add({{}, &opened->names(), opened});
  }
  return given;
}

void MindsporeInjector::PrintIn(Node definition) {
  Node init;
  Node construct;
  const Node body = definition.Child(Field::kBody);
  for (Node member : NamedChildren(body)) {
    if (member.Is(NodeKind::kDecoratedDefinition)) member = member.Child(Field::kDefinition);
    if (!member.Is(NodeKind::kFunctionDefinition)) continue;
    const std::string_view name = member.Child(Field::kName).text();
    if (name == "__init__") init = member;
    if (name == "construct") construct = member;
  }
  if (!init || !construct) {
    Leave(definition.Child(Field::kName),
          Say("a class with __init__ and construct is needed to print",
              "需要含 __init__ 与 "
              "construct 的类才能打印"),
          request_.options);
    return;
  }
  const std::set<std::string> nones = GivenNone(definition, construct);
  std::string values;
  std::string left;
  for (const Binding& binding : file_.names().bindings()) {
    if (binding.kind != BindingKind::kParameter || binding.name == "self" ||
        file_.names().ScopeNode(binding.scope) != construct) {
      continue;
    }
    if (!IsPrintable(binding.node, construct) || nones.contains(std::string(binding.name))) {
      left += (left.empty() ? "" : ", ") + std::string(binding.name);
      continue;
    }
    values += fmt::format(", {}, {}", plan_.Quoted(std::string(binding.name) + ":"), binding.name);
  }
  if (!left.empty()) {
    const transplt::Text why =
        Say("{}: may be None, a dictionary or a list, which Print refuses: print it where it has a "
            "value, or its items",
            "{}: 可能为 None、字典或列表, Print 不接受: 请在其有值处打印, 或逐项打印", left);
    if (values.empty()) return Leave(construct, why, request_.options);
    Tell(construct, why);
  }
  if (values.empty()) {
    Leave(construct, Say("construct has nothing to print", "construct 没有可打印的参数"),
          request_.options);
    return;
  }
  const Node last = LastNamedChild(init.Child(Field::kBody));
  Node first = construct.Child(Field::kBody).first_named_child();
  const bool is_docstring =
      first.Is(NodeKind::kExpressionStatement) && first.first_named_child().Is(NodeKind::kString);
  if (is_docstring && first.next_named_sibling()) first = first.next_named_sibling();
  if (!EditPlan::CanInsertBefore(last) || !EditPlan::CanInsertBefore(first)) {
    Leave(construct, Say("its body shares its line", "其内容与其他语句同行"), request_.options);
    return;
  }
  const EditReason reason = Reason(construct, "ops.Print()");
  plan_.Import("import mindspore.ops");
  plan_.InsertAfter(last, {"self.npu_print = mindspore.ops.Print()"}, reason);
  plan_.InsertBefore(first, {"self.npu_print(" + values.substr(2) + ")"}, reason);
  Note(construct, "ops.Print()", request_.options);
}

EditReason MindsporeInjector::Reason(Node node, std::string_view what) const {
  return {node.range(), std::string(kMindsporeRule), Say("sets {}", "设置 {}", what)};
}

void MindsporeInjector::Leave(Node node, transplt::Text why, const std::vector<OptionValue>& left) {
  result_.Leave(left, node.range(), why);
  const bool is_site = std::ranges::any_of(
      result_.sites, [&](const InjectionSite& site) { return site.range == node.range(); });
  if (!is_site) {
    result_.sites.push_back(
        {node.range(), std::string(request_.tool), {"left: " + why.en, "不处理: " + why.zh}});
  }
  Tell(node, std::move(why));
}

void MindsporeInjector::Tell(Node node, transplt::Text what) {
  result_.findings.push_back(RowAt(node.range(), kMindsporeRule, std::move(what)));
}

void MindsporeInjector::Note(Node node, std::string_view what,
                             const std::vector<OptionValue>& set) {
  result_.Set(set);
  result_.sites.push_back(
      {node.range(), std::string(request_.tool), Say("sets {}", "设置 {}", what)});
}

}  // namespace transplt
