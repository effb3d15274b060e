// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/value_role.h"

#include <algorithm>
#include <array>

#include "transplt/base/one_of.h"
#include "transplt/python/arguments.h"
#include "transplt/python/parameters.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/rule_kinds/value_siblings.h"

namespace transplt {
namespace {

constexpr std::array<std::string_view, 9> kTextKeywords = {
    "help", "description", "desc", "msg", "message", "usage", "epilog", "metavar", "doc"};
constexpr std::array<std::string_view, 11> kLogMethods = {"print", "debug", "info",      "warning",
                                                          "warn",  "error", "exception", "critical",
                                                          "log",   "write", "pprint"};
constexpr std::array<std::string_view, 8> kPathFunctions = {
    "join", "open", "Path", "import_module", "find_library", "CDLL", "which", "glob"};
constexpr std::array<std::string_view, 3> kKeyMethods = {"get", "pop", "setdefault"};
constexpr std::array<std::string_view, 4> kAttributeFunctions = {"getattr", "hasattr", "setattr",
                                                                 "delattr"};
constexpr std::array<std::string_view, 22> kOtherFrameworks = {
    "numba",          "cupy",        "pycuda",   "jax",      "tvm",
    "tensorflow",     "mindspore",   "paddle",   "mxnet",    "chainer",
    "taichi",         "onnxruntime", "pint",     "keras",    "ctranslate2",
    "faster_whisper", "xgboost",     "lightgbm", "catboost", "warp",
    "cuml",           "cudf"};

std::string_view Root(std::string_view dotted) { return dotted.substr(0, dotted.find('.')); }

ValueRole Kept(Text reason) { return {ValueRole::Kind::kKept, std::move(reason), false}; }
ValueRole KeptKey() {
  ValueRole role = Kept(Say("a key of data", "数据的键"));
  role.is_key = true;
  return role;
}
ValueRole KeptFirmly(Text reason) { return {ValueRole::Kind::kKept, std::move(reason), true}; }
ValueRole ByName(std::string_view name) {
  return {SpeaksOfDevice(name) ? ValueRole::Kind::kNamed : ValueRole::Kind::kValue, {}, false};
}

/// `"value" in node.attributeNames() and str(node["value"]).startswith("cuda")`: TorchScript.
bool IsOfSavedGraph(Node call) {
  for (Node node = call.parent(); node.Is(NodeKind::kBooleanOperator); node = node.parent()) {
    if (node.text().find(".attributeNames()") != std::string_view::npos) return true;
  }
  return false;
}

/// `def to(self, target): assert target == "cuda"`: calls of `to` are given a device.
bool IsComparedWithPlaceToMoveTo(Node comparison) {
  const Node subject = comparison.first_named_child();
  Node function = comparison.parent();
  while (function && !function.Is(NodeKind::kFunctionDefinition)) function = function.parent();
  return function && IsMethod(function) && function.Child(Field::kName).text() == "to" &&
         subject.Is(NodeKind::kIdentifier) && ParameterOf(function, 0, {}).text() == subject.text();
}

bool IsLoggingCall(Node call) {
  const std::vector<Callee> callees = CalleesOf(call);
  if (callees.empty()) return false;
  const std::string_view last = callees.front().last_name.text();
  if (last.ends_with("Error") || last.ends_with("Exception") || last.ends_with("Warning")) {
    return true;
  }
  if (!IsOneOf(last, kLogMethods)) return false;
  const std::string_view whole = callees.front().expression.text();
  return whole == "print" || whole == "pprint" || whole.find("log") != std::string_view::npos ||
         whole.find("LOG") != std::string_view::npos || whole.starts_with("warnings.") ||
         whole.find("std") != std::string_view::npos ||
         whole.find("console") != std::string_view::npos;
}

ValueRole RoleOfArgument(Node node, Node call, std::string_view keyword, const FileContext& file) {
  const std::vector<Callee> callees = CalleesOf(call);
  // Generated calls can have very many arguments: only the first two are looked at.
  const Node first = call.Child(Field::kArguments).first_named_child();
  const Node second = first ? first.next_named_sibling() : Node();
  if (callees.empty()) return ByName(keyword);
  const std::string_view last = callees.front().last_name.text();
  if (DefinesOption(last, call.Child(Field::kArguments))) {
    // absl gives the default second: `DEFINE_string("device", "cuda", "where to run")`.
    const bool is_name = keyword.empty() && (node == first || !last.starts_with("DEFINE_"));
    if (is_name || keyword == "dest") {
      return KeptFirmly(Say("the name of a command line option", "命令行选项的名称"));
    }
    return ByName(first.text());  // the name of the option
  }
  if (IsOneOf(last, kAttributeFunctions) && node == second) {
    return Kept(Say("the name of an attribute", "属性名"));
  }
  if (IsOneOf(last, kKeyMethods) && node == first) {
    return KeptKey();
  }
  const std::vector<QualifiedName> names = file.names().Resolve(callees.front().expression);
  for (const QualifiedName& name : names) {
    const std::string_view root = Root(name.name);
    if (!name.local && IsOneOf(root, kOtherFrameworks) && !IsHeldByHparams(node)) {
      return KeptFirmly(Say("an argument of {}", "{} 的参数", root));
    }
    if (name.name.find("_symmetric_memory") != std::string::npos) {
      return KeptFirmly(Say("a backend of symmetric memory, not of a process group",
                            "对称内存的后端, 而非进程组的后端"));
    }
    if (root != "torch" || name.local) continue;
    if (LastPart(name.name) == "record_function") {
      return KeptFirmly(Say("a label", "标签"));
    }
    return keyword.empty() || keyword == "type" ? ValueRole{ValueRole::Kind::kNamed, {}, false}
                                                : ByName(keyword);
  }
  if (IsOneOf(last, kPathFunctions) && keyword.empty()) {
    return KeptFirmly(Say("part of a path, or the name of a library", "路径的一部分或库名"));
  }
  if (last == "to" || last == "to_empty") return {ValueRole::Kind::kNamed, {}, false};
  if (!keyword.empty()) return ByName(keyword);
  if (IsOfSavedGraph(call)) {
    return KeptFirmly(
        Say("a device in the graph of a saved program: the file says it the way it "
            "was saved",
            "已保存程序的计算图中的设备: 文件内容不随迁移改变"));
  }
  // `device.startswith('cuda')`
  return ByName(callees.front().expression.text());
}

Node CallOf(Node argument) {
  Node list = argument.parent();
  return list.Is(NodeKind::kArgumentList) ? list.parent() : Node();
}

/// `Literal["cpu", "cuda"]`: the values that something may have.
bool IsLiteralType(Node subscript) {
  return subscript.Child(Field::kValue).text().ends_with("Literal");
}

/// `device: Literal["cpu", "cuda"]`: what is annotated tells.
ValueRole RoleOfAnnotated(Node type) {
  Node node = type;
  while (node.parent().Is(NodeKind::kType) || node.parent().Is(NodeKind::kTypeParameter) ||
         node.parent().Is(NodeKind::kGenericType) || node.parent().Is(NodeKind::kUnionType)) {
    node = node.parent();
  }
  const Node holder = node.parent();
  const Node left = holder.Child(Field::kLeft);
  const Node name = holder.Child(Field::kName);
  return ByName(left ? left.text() : name ? name.text() : holder.first_named_child().text());
}

/// `match device.type: case "cuda":`
ValueRole RoleOfSubject(Node pattern) {
  Node match = pattern;
  while (match && !match.Is(NodeKind::kMatchStatement)) match = match.parent();
  const std::string_view subject = match ? match.Child(Field::kSubject).text() : "";
  return subject.ends_with(".type") ? ValueRole{ValueRole::Kind::kNamed, {}} : ByName(subject);
}

/// `AMP = "amp"; CUDA = "cuda"; TRT = "trt"`: a choice of which none other is a device.
bool IsOwnWord(Node assignment) {
  static constexpr std::array<std::string_view, 11> kDevices = {
      "cpu", "gpu", "mps", "xpu", "npu", "tpu", "xla", "hpu", "mlu", "meta", "ipu"};
  const std::vector<std::string_view> others = OtherMembers(assignment);
  return !others.empty() && std::none_of(others.begin(), others.end(), [](std::string_view other) {
    return IsOneOf(other, kDevices) || SpeaksOfDevice(other);
  });
}

/// `{"backend": "nccl"}`, `device_map={"": "cuda"}`: the key tells, or what the dictionary is for.
ValueRole RoleOfEntry(Node pair) {
  ValueRole by_key = ByName(pair.Child(Field::kKey).text());
  if (by_key.kind == ValueRole::Kind::kNamed) return by_key;
  const Node holder = pair.parent().parent();
  const Node name = holder.Is(NodeKind::kKeywordArgument) ? holder.Child(Field::kName)
                                                          : holder.Child(Field::kLeft);
  return name ? ByName(name.text()) : by_key;
}

/// `name[:4] == "cuda"`
bool IsComparedWithPart(Node node) {
  for (Node other = node.parent().first_named_child(); other; other = other.next_named_sibling()) {
    if (!other.Is(NodeKind::kSubscript) || other == node) continue;
    const Node index = other.Child(Field::kSubscript);
    if (index.Is(NodeKind::kSlice)) return true;
  }
  return false;
}

}  // namespace

bool DefinesOption(std::string_view function, Node arguments) {
  if (function == "add_argument" || function == "add_option" || function.starts_with("DEFINE_")) {
    return true;
  }
  const Node first = arguments.first_named_child();
  const Node content = first.Is(NodeKind::kString) ? PlainStringContent(first) : Node();
  return (function == "option" || function == "Option" || function == "add") && content &&
         content.text().starts_with('-');
}

bool SpeaksOfDevice(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (std::string_view word : {"device", "backend", "accelerator", "map_location"}) {
    if (lower.find(word) != std::string::npos) return true;
  }
  return false;
}

Node Outermost(Node expression) {
  Node node = expression;
  for (Node parent = node.parent(); parent; parent = node.parent()) {
    switch (parent.kind()) {
      case NodeKind::kParenthesizedExpression:
      case NodeKind::kConditionalExpression:
      case NodeKind::kBooleanOperator:
      case NodeKind::kBinaryOperator:
      case NodeKind::kConcatenatedString:
      case NodeKind::kTuple:
      case NodeKind::kList:
      case NodeKind::kSet:
      case NodeKind::kExpressionList:
        node = parent;
        break;
      case NodeKind::kAttribute: {  // 'cuda:{}'.format(...)
        Node call = parent.parent();
        if (!call.Is(NodeKind::kCall) || parent.field() != Field::kFunction ||
            parent.Child(Field::kAttribute).text() != "format") {
          return node;
        }
        node = call;
        break;
      }
      default:
        return node;
    }
  }
  return node;
}

ValueRole RoleInPlace(Node node, const FileContext& file) {
  const Node parent = node.parent();
  switch (parent.kind()) {
    case NodeKind::kArgumentList:
      if (parent.parent().Is(NodeKind::kClassDefinition)) return {};
      return RoleOfArgument(node, parent.parent(), {}, file);
    case NodeKind::kKeywordArgument: {
      const Node call = CallOf(parent);
      const std::string_view keyword = parent.Child(Field::kName).text();
      return call.Is(NodeKind::kCall) ? RoleOfArgument(node, call, keyword, file) : ByName(keyword);
    }
    case NodeKind::kPair:
      if (node.field() == Field::kKey) return Kept(Say("a key of data", "数据的键"));
      return RoleOfEntry(parent);
    case NodeKind::kType:
      return RoleOfAnnotated(parent);
    case NodeKind::kSubscript:
      return IsLiteralType(parent) ? RoleInPlace(parent, file) : KeptKey();
    case NodeKind::kCasePattern:
      return RoleOfSubject(parent);
    case NodeKind::kAssignment: {
      const std::string_view left = parent.Child(Field::kLeft).text();
      if (left == "__all__") return Kept(Say("a name that the module exports", "模块导出的名称"));
      if (!SpeaksOfDevice(left) && IsOwnWord(parent)) {
        return Kept(Say("one of the choices of this class, none of which is a device",
                        "此类定义的选项之一, 其中没有设备"));
      }
      return ByName(left);
    }
    case NodeKind::kDefaultParameter:
    case NodeKind::kTypedDefaultParameter:
      return ByName(parent.Child(Field::kName).text());
    case NodeKind::kComparisonOperator:
      if (IsComparedWithPart(node)) {
        return KeptFirmly(Say("compared with a part of a text: see what length it has now",
                              "与文本的一部分比较: 请核对长度"));
      }
      if (parent.text().find("environ[") != std::string_view::npos &&
          !SpeaksOfDevice(parent.text())) {
        return Kept(Say("compared with an environment variable", "与环境变量比较"));
      }
      if (IsComparedWithPlaceToMoveTo(parent)) return {ValueRole::Kind::kNamed, {}, false};
      return ByName(parent.text());
    case NodeKind::kForStatement:
    case NodeKind::kForInClause:
      return ByName(parent.Child(Field::kLeft).text());
    default:
      return {};
  }
}

bool IsMessage(Node string) {
  const Node node = Outermost(string);
  const Node parent = node.parent();
  if (parent.Is(NodeKind::kPrintStatement)) return true;
  if (parent.Is(NodeKind::kAssertStatement)) return parent.first_named_child() != node;
  Node argument = node;
  if (parent.Is(NodeKind::kKeywordArgument)) {
    if (IsOneOf(parent.Child(Field::kName).text(), kTextKeywords)) return true;
    argument = parent;
  }
  const Node call = CallOf(argument);
  return call.Is(NodeKind::kCall) && IsLoggingCall(call);
}

bool IsReference(Node string) {
  static constexpr std::array<std::string_view, 12> kLookups = {
      "patch",   "setattr", "getattr",       "hasattr", "delattr", "delitem",
      "setitem", "object",  "import_module", "type",    "spec",    "set_default_tensor_type"};
  const Node parent = string.parent();
  if (parent.Is(NodeKind::kType) || IsCompared(string)) return true;
  const Node call = CallOf(string);
  if (!call.Is(NodeKind::kCall)) return false;
  const std::vector<Callee> callees = CalleesOf(call);
  return !callees.empty() && IsOneOf(callees.front().last_name.text(), kLookups);
}

bool IsHeldByHparams(Node argument) {
  const Node holder =
      argument.parent().Is(NodeKind::kKeywordArgument) ? argument.parent() : argument;
  const Node call = CallOf(holder);
  if (!call.Is(NodeKind::kCall)) return false;
  const std::vector<Callee> callees = CalleesOf(call);
  return !callees.empty() && callees.front().last_name.text() == "HParams";
}

bool IsCompared(Node string) {
  return Outermost(string).parent().Is(NodeKind::kComparisonOperator);
}

bool IsPositionalArgument(Node string) {
  const Node list = Outermost(string).parent();
  if (!list.Is(NodeKind::kArgumentList) || !list.parent().Is(NodeKind::kCall)) return false;
  const std::vector<Callee> callees = CalleesOf(list.parent());
  return callees.empty() || !DefinesOption(callees.front().last_name.text(), list);
}

bool IsConstantOfModule(Node string) {
  const Node assignment = string.parent();
  if (!assignment.Is(NodeKind::kAssignment) ||
      !assignment.parent().parent().Is(NodeKind::kModule)) {
    return false;
  }
  const std::string_view name = assignment.Child(Field::kLeft).text();
  return std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

Node AttributeHolder(Node string) {
  const Node call = CallOf(string);
  if (!call.Is(NodeKind::kCall)) return {};
  const Node function = call.Child(Field::kFunction);
  if (!function.Is(NodeKind::kIdentifier) || !IsOneOf(function.text(), kAttributeFunctions)) {
    return {};
  }
  const std::vector<Argument> arguments = ArgumentsOf(call);
  return arguments.size() > 1 && arguments[1].value == string ? arguments[0].value : Node();
}

/// `["torchrun", "train.py", "--backend", "nccl"]`, `("MODEL.DEVICE", "cuda")`: the option that the
/// string is the value of.
static Node OptionBefore(Node string) {
  Node before;
  if (!string.parent().Is(NodeKind::kList) && !string.parent().Is(NodeKind::kTuple)) return before;
  for (Node node = string.parent().first_named_child(); node && !(node == string);
       node = node.next_named_sibling()) {
    before = node;
  }
  const Node content = before.Is(NodeKind::kString) ? PlainStringContent(before) : Node();
  const bool is_option =
      content && (content.text().starts_with('-') || SpeaksOfDevice(content.text()));
  return is_option ? content : Node();
}

ValueRole RoleOf(Node string, const FileContext& file) {
  if (IsBareString(string)) return {ValueRole::Kind::kProse, {}, false};
  const Node node = Outermost(string);
  if (IsMessage(string)) {
    const Node parent = node.parent();
    if (parent.Is(NodeKind::kKeywordArgument)) return {ValueRole::Kind::kProse, {}, false};
    return KeptFirmly(Say("part of a message", "消息文本的一部分"));
  }
  if (const Node option = OptionBefore(string)) return ByName(option.text());
  ValueRole role = RoleInPlace(node, file);
  // `options.get("backend") or "nccl"`
  if (role.kind == ValueRole::Kind::kValue && node.Is(NodeKind::kBooleanOperator)) {
    return ByName(node.text());
  }
  return role;
}

}  // namespace transplt
