// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/affinity.h"

#include <algorithm>
#include <iterator>

#include "transplt/analysis/advice_detectors.h"
#include "transplt/base/json_document.h"
#include "transplt/base/one_of.h"
#include "transplt/base/plain_text.h"
#include "transplt/base/test_file.h"
#include "transplt/facts/project.h"
#include "transplt/python/arguments.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {

std::string_view AffinityText();  // generated from rules/affinity.json

namespace {

std::string StringIn(const JsonValue& object, std::string_view key) {
  const JsonValue* value = object.Find(key);
  return value != nullptr && value->type() == JsonValue::Type::kString ? value->string()
                                                                       : std::string();
}

std::vector<std::string> StringsIn(const JsonValue* list) {
  std::vector<std::string> strings;
  if (list == nullptr || list->type() != JsonValue::Type::kList) return strings;
  for (const JsonValue* item : list->children()) {
    if (item->type() == JsonValue::Type::kString) strings.push_back(item->string());
  }
  return strings;
}

/// The names of the parameters of `function`, in order, without self.
std::vector<std::string> ParametersOf(Node function) {
  std::vector<std::string> names;
  const Node list = function.Child(Field::kParameters);
  for (Node item = list ? list.first_named_child() : Node(); item;
       item = item.next_named_sibling()) {
    Node name = item.Child(Field::kName);
    if (!name) name = item.Is(NodeKind::kTypedParameter) ? item.first_named_child() : item;
    if (name.text() == "self" && names.empty()) continue;
    names.emplace_back(name.text());
  }
  return names;
}

Node MethodOfClass(Node definition, std::string_view name) {
  const Node body = definition.Child(Field::kBody);
  for (Node item = body ? body.first_named_child() : Node(); item;
       item = item.next_named_sibling()) {
    const Node function =
        item.Is(NodeKind::kDecoratedDefinition) ? item.Child(Field::kDefinition) : item;
    if (function.Is(NodeKind::kFunctionDefinition) && function.Child(Field::kName).text() == name) {
      return function;
    }
  }
  return {};
}

/// True if `definition` is what `entry` describes: the same name and the same parameters.
bool IsDefinitionOf(Node definition, const AffinityEntry& entry) {
  const std::string_view name = definition.Child(Field::kName).text();
  if (!IsOneOf(name, entry.names)) return false;
  std::vector<std::string> parameters;
  if (entry.what == "class") {
    const Node constructor = MethodOfClass(definition, entry.constructor);
    const bool needs_one =
        std::ranges::none_of(entry.parameters, [](const auto& list) { return list.empty(); });
    if (!constructor && needs_one) return false;
    if (constructor) parameters = ParametersOf(constructor);
  } else {
    parameters = ParametersOf(definition);
  }
  return IsOneOf(parameters, entry.parameters);
}

/// A tuple or list of two.
bool IsPair(const Argument* argument) {
  if (argument == nullptr) return false;
  const Node value = argument->value;
  if (!value.Is(NodeKind::kTuple) && !value.Is(NodeKind::kList)) return false;
  return std::ranges::distance(NamedChildren(value)) == 2;
}

class AffinitySearch {
 public:
  AffinitySearch(const FileContext& file, const AffinityTable& table,
                 const AffinityDefinitions& definitions)
      : file_(file), advice_(file), table_(table), definitions_(definitions) {}

  std::vector<AffinityUse> Run() {
    for (const Node node : NodesIn(file_.tree())) {
      if (node.Is(NodeKind::kCall)) {
        LookAtCall(node);
      } else if (node.Is(NodeKind::kFunctionDefinition)) {
        LookAtMethod(node);
      } else if (node.Is(NodeKind::kSubscript)) {
        LookAtStore(node);
      } else if (node.Is(NodeKind::kBinaryOperator) && SignOf(node) == "@" &&
                 IsTransposed(node.Child(Field::kRight))) {
        AddWhat("matmul_transposed", node, OneLine(std::string(node.text())));
      }
    }
    return std::move(uses_);
  }

 private:
  void LookAtCall(Node call) {
    const Node callee = call.Child(Field::kFunction);
    for (const QualifiedName& name : file_.names().Resolve(callee)) {
      if (const AffinityEntry* entry = Find(name)) {
        Add(call, std::string(callee.text()), *entry);
        return;
      }
    }
    const std::string name = advice_.CalledName(call);
    const std::vector<Argument> arguments = ArgumentsOf(call);
    if (name == "torch.roll") {
      const bool is_2d = IsPair(FindArgument(arguments, 1, "shifts")) &&
                         IsPair(FindArgument(arguments, 2, "dims"));
      if (is_2d) AddWhat("roll", call, name);
    } else if (name == "torch.matmul") {
      if (arguments.size() == 2 && IsTransposed(arguments[1].value)) {
        AddWhat("matmul_transposed", call, name);
      }
    } else {
      for (const AffinityEntry& entry : table_.entries()) {
        if (entry.what == "call" && entry.names.front() == name) Add(call, name, entry);
      }
    }
  }

  /// A method can be called on anything: its definition is what is listed.
  void LookAtMethod(Node function) {
    const Node holder = file_.classes().EnclosingClass(function);
    if (!holder) return;
    for (const AffinityEntry& entry : table_.entries()) {
      if (entry.what != "method" || !IsDefinitionOf(function, entry)) continue;
      const Node name = function.Child(Field::kName);
      Add(name, std::string(holder.Child(Field::kName).text()) + "." + std::string(name.text()),
          entry);
    }
  }

  /// `x[mask] = 0`: of what is no number the library knows nothing.
  void LookAtStore(Node subscript) {
    const Detector* detector = FindDetector("store_by_mask");
    if (detector == nullptr || !subscript.parent().Is(NodeKind::kAssignment) ||
        !detector->sees(subscript, advice_)) {
      return;
    }
    size_t indices = 0;
    for (Node child = subscript.first_child(); child; child = child.next_sibling()) {
      indices += child.field() == Field::kSubscript && !child.Is(NodeKind::kToken) ? 1 : 0;
    }
    if (indices != 1) return;
    const Node value = subscript.parent().Child(Field::kRight);
    if (!value || advice_.types().IsTensor(value)) return;
    const Node number = value.Is(NodeKind::kUnaryOperator) ? value.Child(Field::kArgument) : value;
    const bool is_number = number.Is(NodeKind::kInteger) || number.Is(NodeKind::kFloat) ||
                           advice_.types().Of(number) == ValueType::kOther;
    if (is_number) AddWhat("store_by_mask", subscript, OneLine(std::string(subscript.text())));
  }

  /// `b.transpose(-2, -1)`: the last two dimensions change places.
  bool IsTransposed(Node value) const {
    if (IsMethodCall(value, "t") || !IsMethodCall(value, "transpose")) return false;
    const std::vector<Argument> arguments = ArgumentsOf(value);
    if (arguments.size() != 2) return false;
    const std::string_view first = arguments[0].value.text();
    const std::string_view second = arguments[1].value.text();
    const bool is_last = (first == "-1" && second == "-2") || (first == "-2" && second == "-1");
    return is_last && advice_.types().Of(value.Child(Field::kFunction).Child(Field::kObject)) !=
                          ValueType::kOther;
  }

  const AffinityEntry* Find(const QualifiedName& name) const {
    if (definitions_.empty()) return nullptr;
    const std::string& path = file_.source().path();
    if (name.local) {
      const auto found = definitions_.find({path, name.name});
      return found == definitions_.end() ? nullptr : found->second;
    }
    if (file_.project() == nullptr) return nullptr;
    const size_t dot = name.name.rfind('.');
    if (dot != std::string::npos)
      return FindIn(name.name.substr(0, dot), name.name.substr(dot + 1));
    // `from layers import *`
    for (const std::string& module : file_.names().star_imports()) {
      if (const AffinityEntry* entry = FindIn(module, name.name)) return entry;
    }
    return nullptr;
  }

  const AffinityEntry* FindIn(std::string_view module, const std::string& name) const {
    const std::string path = file_.project()->FileOfModule(file_.source().path(), module);
    const auto found = definitions_.find({path, name});
    return found == definitions_.end() ? nullptr : found->second;
  }

  void AddWhat(std::string_view what, Node node, std::string call) {
    for (const AffinityEntry& entry : table_.entries()) {
      if (entry.what != what) continue;
      Add(node, std::move(call), entry);
      return;
    }
  }

  void Add(Node node, std::string call, const AffinityEntry& entry) {
    if (file_.tree().IsUnparsed(node.range()) || !advice_.IsIn(AdviceScope::kDevice, node)) return;
    const SourceFile& source = file_.source();
    uses_.push_back({source.path(), source.Locate(node.range().start).line,
                     source.Locate(node.range().end).line, std::move(call), &entry});
  }

  const FileContext& file_;
  const AdviceFile advice_;
  const AffinityTable& table_;
  const AffinityDefinitions& definitions_;
  std::vector<AffinityUse> uses_;
};

}  // namespace

Result<AffinityTable> AffinityTable::Load() { return Parse("rules/affinity.json", AffinityText()); }

Result<AffinityTable> AffinityTable::Parse(const std::string& name, std::string_view json) {
  const Result<JsonDocument> document = JsonDocument::Parse(name, json);
  if (!document) return document.error();
  const JsonValue& root = document->root();
  const JsonValue* list = root.type() == JsonValue::Type::kObject ? root.Find("affinity") : nullptr;
  if (list == nullptr || list->type() != JsonValue::Type::kList) {
    return Error{Error::Code::kBadInput, document->Where(root),
                 Say("needs a list \"affinity\"", "需要列表 \"affinity\"")};
  }
  AffinityTable table;
  for (const JsonValue* item : list->children()) {
    AffinityEntry entry;
    entry.what = StringIn(*item, "what");
    entry.names = StringsIn(item->Find("names"));
    entry.affinity = StringIn(*item, "affinity");
    entry.source = StringIn(*item, "source");
    entry.note = {StringIn(*item, "note"), StringIn(*item, "note_zh")};
    if (item->Find("constructor") != nullptr) entry.constructor = StringIn(*item, "constructor");
    if (const JsonValue* lists = item->Find("parameters")) {
      for (const JsonValue* parameters : lists->children()) {
        entry.parameters.push_back(StringsIn(parameters));
      }
    }
    if (entry.what.empty() || entry.names.empty() || entry.affinity.empty()) {
      return Error{Error::Code::kBadInput, document->Where(*item),
                   Say("needs what, names and affinity", "需要 what、names 和 affinity")};
    }
    table.entries_.push_back(std::move(entry));
  }
  return table;
}

std::vector<std::pair<std::string, const AffinityEntry*>> AffinityDefinitionsIn(
    const FileContext& file, const AffinityTable& table) {
  std::vector<std::pair<std::string, const AffinityEntry*>> found;
  for (const Binding& binding : file.names().bindings()) {
    const bool is_class = binding.kind == BindingKind::kClass;
    if (binding.scope != 0 || (!is_class && binding.kind != BindingKind::kFunction)) continue;
    for (const AffinityEntry& entry : table.entries()) {
      if (entry.what != (is_class ? "class" : "function")) continue;
      Node definition = binding.statement;
      if (definition.Is(NodeKind::kDecoratedDefinition)) {
        definition = definition.Child(Field::kDefinition);
      }
      if (IsDefinitionOf(definition, entry)) found.emplace_back(binding.name, &entry);
    }
  }
  return found;
}

std::vector<AffinityUse> AffinityUsesIn(const FileContext& file, const AffinityTable& table,
                                        const AffinityDefinitions& definitions) {
  if (IsTestFile(file.source().path())) return {};
  return AffinitySearch(file, table, definitions).Run();
}

}  // namespace transplt
