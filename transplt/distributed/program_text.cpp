// SPDX-License-Identifier: Apache-2.0
#include "transplt/distributed/program_text.h"

#include <algorithm>
#include <array>

#include "transplt/facts/call_graph.h"
#include "transplt/python/arguments.h"
#include "transplt/python/parameters.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr int kDeepestText = 6;
/// Classes join slots, and slots tell of which class an object is.
constexpr int kRounds = 3;

bool IsTargetList(Node node) {
  return node.Is(NodeKind::kPatternList) || node.Is(NodeKind::kTuplePattern) ||
         node.Is(NodeKind::kListPattern);
}

bool IsValueList(Node node) {
  return node.Is(NodeKind::kExpressionList) || node.Is(NodeKind::kTuple) ||
         node.Is(NodeKind::kList);
}

bool IsComprehension(Node node) {
  return node.Is(NodeKind::kListComprehension) || node.Is(NodeKind::kDictionaryComprehension) ||
         node.Is(NodeKind::kSetComprehension) || node.Is(NodeKind::kGeneratorExpression);
}

std::string Numbered(const std::string& slot, const std::optional<size_t>& index) {
  return index ? slot + "#" + std::to_string(*index) : slot;
}

Node DefinitionIn(Node statement) {
  return statement.Is(NodeKind::kDecoratedDefinition) ? statement.Child(Field::kDefinition)
                                                      : statement;
}

bool IsSuper(Node object) {
  return object.Is(NodeKind::kCall) && object.Child(Field::kFunction).text() == "super";
}

}  // namespace

Node Unwrapped(Node expression) {
  while (expression.Is(NodeKind::kParenthesizedExpression) || expression.Is(NodeKind::kAwait)) {
    expression = expression.first_named_child();
  }
  return expression;
}

struct ProgramText::File {
  File(std::shared_ptr<const OpenedFile> file, const ProjectIndex* index)
      : opened(std::move(file)),
        classes(opened->names(), index),
        code(opened->names(), classes, index),
        makers(code) {
    for (const Binding& binding : opened->names().bindings()) {
      bound.emplace(binding.node.id(), &binding);
    }
  }

  const std::shared_ptr<const OpenedFile> opened;
  const Classes classes;
  const CodeFile code;
  const ObjectMakers makers;
  std::unordered_map<uint32_t, const Binding*> bound;  // by the identifier
};

ProgramText::ProgramText(const ProjectIndex& index, const ProgramCode& code,
                         const ProgramGraph& graph, const EntryPoint& entry,
                         const MultiCardCalls& known)
    : code_(code), known_(known) {
  Open(index, graph, entry);
  for (int round = 0; round < kRounds; ++round) ReadSources();
}

ProgramText::~ProgramText() = default;

void ProgramText::Open(const ProjectIndex& index, const ProgramGraph& graph,
                       const EntryPoint& entry) {
  std::set<std::string> paths;
  for (const RunUnit& run : entry.runs) {
    runs_.emplace(graph.FileOf(run.unit), graph.UnitAt(run.unit).name);
    paths.insert(graph.FileOf(run.unit));
  }
  for (const std::string& path : paths) {
    std::shared_ptr<const OpenedFile> opened = index.Open(path);
    if (opened == nullptr) continue;
    const auto& file = files_.emplace_back(std::make_unique<File>(std::move(opened), &index));
    file_of_tree_.emplace(&file->code.tree(), file.get());
    AddDefinitions(*file);
  }
}

std::string ProgramText::NameOf(Node definition) {
  const std::string around = OwnerOf(definition);
  const std::string name(definition.Child(Field::kName).text());
  return around.empty() ? name : around + "." + name;
}

void ProgramText::AddDefinitions(const File& file) {
  for (const Node node : NodesIn(file.code.tree())) {
    if (!node.Is(NodeKind::kFunctionDefinition) && !node.Is(NodeKind::kClassDefinition)) continue;
    if (FunctionAround(node)) continue;
    if (const FileUnits* units = UnitsOf(file.code.path());
        units != nullptr && node.Is(NodeKind::kClassDefinition)) {
      const auto unit = units->classes.find(NameOf(node));
      if (unit != units->classes.end()) {
        for (const Origin& base : unit->second.bases) {
          derived_[base].push_back({file.code.path(), NameOf(node)});
        }
      }
    }
    definitions_.try_emplace({file.code.path(), NameOf(node)}, node);
  }
}

const ProgramText::File& ProgramText::FileOf(Node node) const {
  return *file_of_tree_.at(&node.tree());
}

const CodeFile& ProgramText::CodeOf(Node node) const { return FileOf(node).code; }

std::vector<Node> ProgramText::Roots() const {
  std::vector<Node> roots;
  for (const auto& file : files_) roots.push_back(file->code.tree().root());
  return roots;
}

const FileUnits* ProgramText::UnitsOf(const std::string& path) const {
  const auto found = std::ranges::lower_bound(code_.paths, path);
  if (found == code_.paths.end() || *found != path) return nullptr;
  return &code_.files[static_cast<size_t>(found - code_.paths.begin())];
}

bool ProgramText::Runs(Node node) const {
  const CodeFile& code = CodeOf(node);
  const FileUnits* units = UnitsOf(code.path());
  if (units == nullptr) return false;
  const uint32_t line = code.source().Locate(node.range().start).line;
  const CodeUnit& unit = units->units[units->StartAt(line).unit];
  return runs_.contains({code.path(), unit.name}) ||
         (units->classes.contains(unit.name) && runs_.contains({code.path(), ""}));
}

std::string ProgramText::PlaceOf(Node node) const {
  const SourceFile& source = CodeOf(node).source();
  return source.path() + ":" + std::to_string(source.Locate(node.range().start).line);
}

Node ProgramText::FunctionAround(Node node) { return DefinitionAround(node.parent()); }

std::vector<Node> ProgramText::ReturnedBy(Node function, size_t index) {
  std::vector<Node> values;
  for (const Node node : NodesIn(function)) {
    if (!node.Is(NodeKind::kReturnStatement) || !(FunctionAround(node) == function)) continue;
    Node value = node.first_named_child();
    if (value.Is(NodeKind::kExpressionList) || value.Is(NodeKind::kTuple)) {
      value = value.first_named_child();
      for (size_t i = 0; i < index && value; ++i) value = value.next_named_sibling();
    }
    if (value) values.push_back(value);
  }
  return values;
}

// ----- what calls run

Node ProgramText::Located(const CodeFile& file, const QualifiedName& name) const {
  const auto ref = Locate(file, name);
  if (!ref) return {};
  const std::string full = ref->member.empty() ? ref->name : ref->name + "." + ref->member;
  if (const auto found = definitions_.find({ref->file, full}); found != definitions_.end()) {
    return found->second;
  }
  return ref->member.empty() ? Node() : FindMethod({ref->file, ref->name}, ref->member, false);
}

Node ProgramText::FindMethod(const Origin& type, const std::string& name, bool is_super,
                             int depth) const {
  if (depth > kDeepestText) return {};
  if (!is_super) {
    const auto found = definitions_.find({type.file, type.name + "." + name});
    if (found != definitions_.end()) return found->second;
  }
  const FileUnits* units = UnitsOf(type.file);
  const auto unit =
      units == nullptr ? decltype(units->classes.end()){} : units->classes.find(type.name);
  if (units == nullptr || unit == units->classes.end()) return {};
  for (const Origin& base : unit->second.bases) {
    if (base.file.empty()) continue;
    if (const Node method = FindMethod(base, name, false, depth + 1)) return method;
  }
  return {};
}

/// The methods of this name of classes below `type`: an object of one of them may be meant.
void ProgramText::AddOverrides(const Origin& type, const std::string& name,
                               std::vector<Node>& methods) const {
  std::vector<Origin> open = {type};
  std::set<Origin> seen;
  while (!open.empty()) {
    const Origin next = std::move(open.back());
    open.pop_back();
    const auto derived = derived_.find(next);
    if (!seen.insert(next).second || derived == derived_.end()) continue;
    for (const Origin& below : derived->second) {
      const auto method = definitions_.find({below.file, below.name + "." + name});
      if (method != definitions_.end() &&
          std::ranges::find(methods, method->second) == methods.end()) {
        methods.push_back(method->second);
      }
      open.push_back(below);
    }
  }
}

std::vector<Node> ProgramText::MethodsOf(Node attribute) const {
  const File& file = FileOf(attribute);
  const Node object = attribute.Child(Field::kObject);
  const std::string name(attribute.Child(Field::kAttribute).text());
  std::vector<Node> methods;
  const auto add = [&](const Origin& type) {
    const Node method = FindMethod(type, name, IsSuper(object));
    if (method && std::ranges::find(methods, method) == methods.end()) methods.push_back(method);
    if (!IsSuper(object)) AddOverrides(type, name, methods);
  };
  for (const Origin& maker : file.makers.Of(object)) {
    if (!maker.file.empty()) add(maker);
  }
  if (!methods.empty()) return methods;
  if (const auto slot = SlotOf(object)) {
    for (const Origin& type : ClassesOf(*slot)) add(type);
  }
  return methods;
}

std::vector<Node> ProgramText::DefinitionsOf(Node expression, int depth) const {
  expression = Unwrapped(expression);
  if (!expression || depth > kDeepestText) return {};
  const CodeFile& code = CodeOf(expression);
  std::vector<Node> found;
  const auto add = [&](Node definition) {
    if (definition && std::ranges::find(found, definition) == found.end()) {
      found.push_back(definition);
    }
  };
  if (expression.Is(NodeKind::kIdentifier)) {
    for (const Binding* binding : code.names().BindingsOf(expression)) {
      if (binding->kind == BindingKind::kFunction || binding->kind == BindingKind::kClass) {
        add(DefinitionIn(binding->statement));
      } else if (binding->kind == BindingKind::kAssignment && binding->value &&
                 !binding->value.Is(NodeKind::kCall)) {
        for (const Node definition : DefinitionsOf(binding->value, depth + 1)) add(definition);
      }
    }
  }
  for (const QualifiedName& name : code.names().Resolve(expression)) {
    if (!name.local || found.empty()) add(Located(code, name));
  }
  if (found.empty() && expression.Is(NodeKind::kAttribute)) found = MethodsOf(expression);
  return found;
}

std::vector<Node> ProgramText::FunctionsOf(Node call) const {
  const Node callee = call.Child(Field::kFunction);
  std::vector<Node> functions;
  for (const Node definition : DefinitionsOf(callee)) {
    if (definition.Is(NodeKind::kFunctionDefinition)) {
      functions.push_back(definition);
    } else if (const Node made =
                   FindMethod({CodeOf(definition).path(), NameOf(definition)}, "__init__", false)) {
      functions.push_back(made);
    }
  }
  if (!functions.empty()) return functions;
  // An object that is called.
  if (const auto slot = SlotOf(callee)) {
    for (const Origin& type : ClassesOf(*slot)) {
      for (const char* name : {"forward", "__call__"}) {
        const Node method = FindMethod(type, name, false);
        if (!method) continue;
        functions.push_back(method);
        break;
      }
    }
  }
  return functions;
}

const std::vector<Node>& ProgramText::CallsOf(Node function) const {
  static const std::vector<Node> kNone;
  const auto found = calls_.find({&function.tree(), function.id()});
  return found == calls_.end() ? kNone : found->second;
}

std::vector<std::string> ProgramText::LibraryNames(Node expression) const {
  const CodeFile& code = CodeOf(expression);
  std::vector<std::string> names;
  for (const QualifiedName& name : code.names().Resolve(Unwrapped(expression))) {
    if (!name.local && !Locate(code, name)) names.push_back(name.name);
  }
  return names;
}

bool ProgramText::IsOfLibraryClass(const Origin& type, const NamePatterns& classes) const {
  std::vector<Origin> open = {type};
  std::set<Origin> seen;
  while (!open.empty()) {
    const Origin next = std::move(open.back());
    open.pop_back();
    if (!seen.insert(next).second) continue;
    if (next.file.empty()) {
      if (classes.Match(next.name)) return true;
      continue;
    }
    const FileUnits* units = UnitsOf(next.file);
    if (units == nullptr) continue;
    const auto unit = units->classes.find(next.name);
    if (unit != units->classes.end()) {
      open.insert(open.end(), unit->second.bases.begin(), unit->second.bases.end());
    }
  }
  return false;
}

// ----- slots

Origin ProgramText::RootOf(const Origin& type) const {
  Origin root = type;
  for (int depth = 0; depth < kDeepestText; ++depth) {
    const FileUnits* units = UnitsOf(root.file);
    if (units == nullptr) break;
    const auto unit = units->classes.find(root.name);
    if (unit == units->classes.end()) break;
    const auto base =
        std::ranges::find_if(unit->second.bases, [](const Origin& b) { return !b.file.empty(); });
    if (base == unit->second.bases.end() || *base == root) break;
    root = *base;
  }
  return root;
}

std::optional<std::string> ProgramText::VariableSlot(Node identifier) const {
  const File& file = FileOf(identifier);
  const std::string_view text = identifier.text();
  if (text == "self") {
    for (const Origin& type : file.makers.Of(identifier)) {
      const Origin root = RootOf(type);
      return "i:" + root.file + ":" + root.name;
    }
    return std::nullopt;
  }
  const NameTable::Meanings bindings = file.code.names().BindingsOf(identifier);
  const auto bound = file.bound.find(identifier.id());
  if (bound == file.bound.end() && bindings.empty()) return std::nullopt;
  const Binding& binding = bound != file.bound.end() ? *bound->second : *bindings.front();
  if (binding.kind == BindingKind::kFunction || binding.kind == BindingKind::kClass) return {};
  if (binding.kind != BindingKind::kImport) {
    return "v:" + file.code.path() + ":" + std::to_string(binding.scope) + ":" + std::string(text);
  }
  // A variable of another module.
  for (const QualifiedName& name : file.code.names().Resolve(identifier)) {
    const auto ref = Locate(file.code, name);
    if (!ref || !ref->member.empty() || definitions_.contains({ref->file, ref->name})) continue;
    return "v:" + ref->file + ":0:" + ref->name;
  }
  return std::nullopt;
}

std::optional<std::string> ProgramText::AttributeSlot(Node attribute) const {
  const Node object = attribute.Child(Field::kObject);
  const std::string name(attribute.Child(Field::kAttribute).text());
  const CodeFile& code = CodeOf(attribute);
  for (const QualifiedName& qualified : code.names().Resolve(attribute)) {
    const auto ref = Locate(code, qualified);
    if (ref && ref->member.empty() && !definitions_.contains({ref->file, ref->name})) {
      return "v:" + ref->file + ":0:" + ref->name;
    }
  }
  const auto slot = SlotOf(object);
  if (!slot) return std::nullopt;
  // What DataParallel and its like hold is the model itself.
  if (name == "module") return slot;
  if (slot->starts_with("i:")) return "a:" + slot->substr(2) + "." + name;
  const std::vector<Origin> types = ClassesOf(*slot);
  if (types.size() == 1) {
    const Origin root = RootOf(types.front());
    return "a:" + root.file + ":" + root.name + "." + name;
  }
  return *slot + "." + name;
}

std::optional<std::string> ProgramText::CallSlot(Node call) const {
  const Node callee = Unwrapped(call.Child(Field::kFunction));
  for (const Node definition : DefinitionsOf(callee)) {
    const std::string place = CodeOf(definition).path() + ":" + NameOf(definition);
    if (definition.Is(NodeKind::kClassDefinition)) {
      const Origin root = RootOf({CodeOf(definition).path(), NameOf(definition)});
      return "i:" + root.file + ":" + root.name;
    }
    return "r:" + place;
  }
  const std::vector<std::string> names = LibraryNames(callee);
  if (std::ranges::any_of(names, [&](const auto& n) { return known_.gives_back.Match(n); })) {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    return arguments.empty() ? std::nullopt : SlotOf(arguments.front().value);
  }
  if (callee.Is(NodeKind::kAttribute) && names.empty() &&
      known_.fluent.Match(callee.Child(Field::kAttribute).text())) {
    return SlotOf(callee.Child(Field::kObject));
  }
  return std::nullopt;
}

std::optional<std::string> ProgramText::SlotOf(Node expression) const {
  expression = Unwrapped(expression);
  switch (expression.kind()) {
    case NodeKind::kIdentifier:
      return VariableSlot(expression);
    case NodeKind::kAttribute:
      return AttributeSlot(expression);
    case NodeKind::kSubscript: {
      const auto slot = SlotOf(expression.Child(Field::kValue));
      return slot ? std::optional(*slot + "[]") : std::nullopt;
    }
    case NodeKind::kCall:
      return CallSlot(expression);
    default:
      return std::nullopt;
  }
}

const std::vector<SlotSource>& ProgramText::SourcesOf(const std::string& slot) const {
  static const std::vector<SlotSource> kNone;
  const auto found = sources_.find(slot);
  return found == sources_.end() ? kNone : found->second;
}

std::string ProgramText::JoinedSlot(const std::string& slot) const {
  std::string at = slot;
  for (auto up = parents_.find(at); up != parents_.end(); up = parents_.find(at)) at = up->second;
  if (at != slot) parents_[slot] = at;
  return at;
}

void ProgramText::Join(const std::string& a, const std::string& b) {
  // What holds one object holds its items.
  const bool has_items = sources_.contains(a + "[]") || sources_.contains(b + "[]");
  if (has_items) JoinOne(a + "[]", b + "[]");
  JoinOne(a, b);
}

void ProgramText::JoinOne(const std::string& a, const std::string& b) {
  const std::string root = JoinedSlot(a);
  const std::string other = JoinedSlot(b);
  if (root == other) return;
  parents_[other] = root;
  for (const std::string& slot : {a, b}) {
    if (!slot.starts_with("i:")) continue;
    const size_t colon = slot.find(':', 2);
    classes_[root].insert({slot.substr(2, colon - 2), slot.substr(colon + 1)});
  }
  if (const auto moved = classes_.find(other); moved != classes_.end()) {
    const std::set<Origin> types = std::move(moved->second);
    classes_.erase(moved);
    classes_[root].insert(types.begin(), types.end());
  }
}

std::vector<Origin> ProgramText::ClassesOf(const std::string& slot) const {
  std::vector<Origin> types;
  if (slot.starts_with("i:")) {
    const size_t colon = slot.find(':', 2);
    types.push_back({slot.substr(2, colon - 2), slot.substr(colon + 1)});
  }
  const auto found = classes_.find(JoinedSlot(slot));
  if (found == classes_.end()) return types;
  for (const Origin& type : found->second) {
    if (std::ranges::find(types, type) == types.end()) types.push_back(type);
  }
  return types;
}

void ProgramText::AddSource(const std::string& slot, const SlotSource& source) {
  const bool is_new =
      known_sources_.emplace(Numbered(slot, source.index), &source.node.tree(), source.node.id())
          .second;
  if (!is_new) return;
  sources_[slot].push_back(source);
}

void ProgramText::JoinItems(const std::string& slot, Node value) {
  for (const Node item : NamedChildren(value)) {
    const Node element = item.Is(NodeKind::kPair) ? item.Child(Field::kValue) : item;
    JoinWithSource(slot + "[]", {element, std::nullopt});
    AddSource(slot + "[]", {element, std::nullopt});
  }
}

void ProgramText::JoinWithSource(const std::string& slot, const SlotSource& source) {
  const Node node = Unwrapped(source.node);
  if (node.Is(NodeKind::kConditionalExpression)) {
    JoinWithSource(slot, {node.first_named_child(), source.index});
    JoinWithSource(slot, {LastNamedChild(node), source.index});
    return;
  }
  if (node.Is(NodeKind::kBooleanOperator)) {
    JoinWithSource(slot, {node.Child(Field::kLeft), source.index});
    JoinWithSource(slot, {node.Child(Field::kRight), source.index});
    return;
  }
  if (!source.index && !source.is_item && (node.Is(NodeKind::kDictionary) || IsValueList(node))) {
    JoinItems(slot, node);
    return;
  }
  if (!source.index && IsComprehension(node)) {
    const Node body = node.first_named_child();
    JoinWithSource(slot + "[]", {body.Is(NodeKind::kPair) ? body.Child(Field::kValue) : body, {}});
    AddSource(slot + "[]", {body.Is(NodeKind::kPair) ? body.Child(Field::kValue) : body, {}});
    return;
  }
  const auto from = SlotOf(node);
  if (!from) return;
  Join(slot, source.is_item ? *from + "[]" : Numbered(*from, source.index));
}

void ProgramText::ReadAssignment(Node target, const SlotSource& source) {
  target = Unwrapped(target);
  if (IsTargetList(target)) {
    size_t index = 0;
    const Node value = Unwrapped(source.node);
    const bool is_pairwise = IsValueList(value) && !source.is_item;
    Node element = is_pairwise ? value.first_named_child() : Node();
    for (const Node part : NamedChildren(target)) {
      if (is_pairwise) {
        if (!element) return;
        ReadAssignment(part, {element});
        element = element.next_named_sibling();
      } else {
        ReadAssignment(part, {source.node, index, source.is_item});
      }
      ++index;
    }
    return;
  }
  const auto slot = SlotOf(target);
  if (!slot) return;
  AddSource(*slot, source);
  if (!source.is_added) JoinWithSource(*slot, source);
}

void ProgramText::ReadCall(Node call) {
  const Node callee = call.Child(Field::kFunction);
  if (callee.Is(NodeKind::kAttribute) && callee.Child(Field::kAttribute).text() == "append") {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const auto slot = SlotOf(callee.Child(Field::kObject));
    if (slot && arguments.size() == 1) {
      AddSource(*slot + "[]", {arguments.front().value});
      JoinWithSource(*slot + "[]", {arguments.front().value});
    }
  }
  for (const Node function : FunctionsOf(call)) {
    std::vector<Node>& calls = calls_[{&function.tree(), function.id()}];
    if (std::ranges::find(calls, call) == calls.end()) calls.push_back(call);
    size_t position = 0;
    for (const Argument& argument : ArgumentsOf(call)) {
      if (argument.is_splat) break;
      const bool is_named = !argument.keyword.empty();
      const Node parameter = ParameterOf(function, is_named ? 0 : position, argument.keyword);
      if (!is_named) ++position;
      if (parameter) ReadAssignment(parameter, {argument.value});
    }
  }
}

void ProgramText::ReadReturn(Node statement) {
  const Node function = FunctionAround(statement);
  const Node value = statement.first_named_child();
  if (!function || !value) return;
  const std::string slot = "r:" + CodeOf(function).path() + ":" + NameOf(function);
  AddSource(slot, {value});
  if (!IsValueList(value)) {
    JoinWithSource(slot, {value});
    return;
  }
  size_t index = 0;
  for (const Node part : NamedChildren(value)) {
    const std::string of_part = Numbered(slot, index++);
    AddSource(of_part, {part});
    JoinWithSource(of_part, {part});
  }
}

void ProgramText::ReadNode(Node node) {
  switch (node.kind()) {
    case NodeKind::kAssignment: {
      Node value = node.Child(Field::kRight);
      while (value.Is(NodeKind::kAssignment)) value = value.Child(Field::kRight);
      if (value) ReadAssignment(node.Child(Field::kLeft), {value});
      break;
    }
    case NodeKind::kAugmentedAssignment:
      ReadAssignment(node.Child(Field::kLeft),
                     {node.Child(Field::kRight), std::nullopt, false, true});
      break;
    case NodeKind::kNamedExpression:
      ReadAssignment(node.Child(Field::kName), {node.Child(Field::kValue)});
      break;
    case NodeKind::kForStatement:
    case NodeKind::kForInClause:
      ReadAssignment(node.Child(Field::kLeft), {node.Child(Field::kRight), std::nullopt, true});
      break;
    case NodeKind::kAsPattern:
      if (const Node target = LastNamedChild(node); target.Is(NodeKind::kAsPatternTarget)) {
        ReadAssignment(target.first_named_child(), {node.first_named_child()});
      }
      break;
    case NodeKind::kReturnStatement:
      ReadReturn(node);
      break;
    case NodeKind::kCall:
      ReadCall(node);
      break;
    default:
      break;
  }
}

void ProgramText::ReadSources() {
  for (const auto& file : files_) {
    for (const Node node : NodesIn(file->code.tree())) ReadNode(node);
  }
}

}  // namespace transplt
