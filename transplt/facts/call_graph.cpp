// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/call_graph.h"

#include <algorithm>
#include <map>

#include "transplt/facts/object_makers.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

bool IsDefinition(Node node) {
  return node.Is(NodeKind::kFunctionDefinition) || node.Is(NodeKind::kClassDefinition);
}

/// The definitions around `node`, the outermost first. A decorator belongs to what it decorates.
std::vector<Node> DefinitionsAround(Node node) {
  std::vector<Node> around;
  for (Node child = node, parent = node.parent(); parent;
       child = parent, parent = parent.parent()) {
    if (IsDefinition(parent)) around.push_back(parent);
    if (parent.Is(NodeKind::kDecoratedDefinition) && child.Is(NodeKind::kDecorator)) {
      around.push_back(parent.Child(Field::kDefinition));
    }
  }
  std::reverse(around.begin(), around.end());
  return around;
}

std::string JoinedName(const std::vector<Node>& around) {
  std::string name;
  for (Node definition : around) {
    if (!name.empty()) name.push_back('.');
    name += definition.Child(Field::kName).text();
    if (definition.Is(NodeKind::kFunctionDefinition)) break;
  }
  return name;
}

/// The class at the end of "Class" or "Class.method".
DefinitionRef Split(std::string file, std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return {std::move(file), std::string(name), ""};
  return {std::move(file), std::string(name.substr(0, dot)), std::string(name.substr(dot + 1))};
}

class DefinitionCollector {
 public:
  explicit DefinitionCollector(const CodeFile& file) : file_(file), makers_(file) {}

  std::vector<Definition> Run() {
    for (const Binding& binding : file_.names().bindings()) AddAlias(binding);
    for (const Node node : NodesIn(file_.tree())) {
      if (IsDefinition(node)) {
        AddDefinition(node);
      } else if (node.Is(NodeKind::kCall)) {
        AddCall(node);
      }
    }
    return std::move(definitions_);
  }

 private:
  /// `attention = Attention.apply` at the top of a module is one more function.
  void AddAlias(const Binding& binding) {
    if (binding.scope != 0 || binding.kind != BindingKind::kAssignment) return;
    for (const QualifiedName& name : file_.names().Resolve(binding.value)) {
      if (!name.local || index_.contains(binding.name)) continue;
      Definition alias{std::string(binding.name), 0, false, {}, {}};
      alias.line = file_.source().Locate(binding.node.range().start).line;
      alias.callees.push_back(*Locate(file_, name));
      index_.emplace(alias.name, definitions_.size());
      definitions_.push_back(std::move(alias));
    }
  }

  void AddDefinition(Node node) {
    std::vector<Node> around = DefinitionsAround(node);
    around.push_back(node);
    const bool is_inside_function = std::any_of(around.begin(), around.end() - 1, [](Node outer) {
      return outer.Is(NodeKind::kFunctionDefinition);
    });
    if (is_inside_function) return;
    Definition definition;
    definition.name = JoinedName(around);
    definition.line = file_.source().Locate(node.range().start).line;
    definition.is_class = node.Is(NodeKind::kClassDefinition);
    const Node bases = node.Child(Field::kSuperclasses);
    for (Node base = bases ? bases.first_named_child() : Node(); base;
         base = base.next_named_sibling()) {
      AddNamed(base, definition.bases);
    }
    const auto [place, is_new] = index_.emplace(definition.name, definitions_.size());
    if (is_new) {
      definitions_.push_back(std::move(definition));
    } else {  // of two branches the second adds to the first
      Definition& known = definitions_[place->second];
      known.bases.insert(known.bases.end(), definition.bases.begin(), definition.bases.end());
    }
  }

  void AddCall(Node call) {
    const auto owner = index_.find(OwnerOf(call));
    if (owner == index_.end()) return;
    std::vector<DefinitionRef> callees;
    AddCallees(call.Child(Field::kFunction), callees);
    const bool in_branch = !callees.empty() && IsInBranch(call);
    for (DefinitionRef& callee : callees) {
      callee.in_branch = in_branch;
      definitions_[owner->second].callees.push_back(std::move(callee));
    }
  }

  void AddCallees(Node callee, std::vector<DefinitionRef>& callees) const {
    if (AddNamed(callee, callees)) return;
    if (callee.Is(NodeKind::kAttribute)) {
      const Node object = callee.Child(Field::kObject);
      if (auto type = TypeOf(object)) {
        type->member = callee.Child(Field::kAttribute).text();
        type->is_super = IsSuper(object);
        callees.push_back(*std::move(type));
      }
    }
    // `self.layer(x)` calls an object.
    if (auto type = TypeOf(callee)) {
      type->member = "__call__";
      callees.push_back(*std::move(type));
    }
  }

  /// True if `expression` is a name. What the project defines of it goes to `refs`.
  bool AddNamed(Node expression, std::vector<DefinitionRef>& refs) const {
    const std::vector<QualifiedName> names = file_.names().Resolve(expression);
    for (const QualifiedName& name : names) {
      if (name.local && IsOfFunction(expression, file_.names())) continue;
      if (auto ref = Locate(file_, name)) refs.push_back(*std::move(ref));
    }
    return !names.empty();
  }

  static bool IsSuper(Node object) {
    return object.Is(NodeKind::kCall) && object.Child(Field::kFunction).text() == "super";
  }

  /// The class of the project of which `expression` is an object. What made it may also be a
  /// function: then it has no members.
  std::optional<DefinitionRef> TypeOf(Node expression) const {
    for (const Origin& maker : makers_.Of(expression)) {
      if (!maker.file.empty()) return DefinitionRef{maker.file, maker.name, ""};
    }
    return std::nullopt;
  }

  const CodeFile file_;
  const ObjectMakers makers_;
  std::vector<Definition> definitions_;
  std::map<std::string, size_t, std::less<>> index_;
};

}  // namespace

bool IsOfFunction(Node expression, const NameTable& names) {
  const Node identifier = ChainOf(expression).head;
  if (!identifier.Is(NodeKind::kIdentifier)) return false;
  return std::ranges::any_of(names.BindingsOf(identifier), [](const Binding* binding) {
    return (binding->kind == BindingKind::kFunction || binding->kind == BindingKind::kClass) &&
           binding->scope != 0;
  });
}

std::string OwnerOf(Node node) { return JoinedName(DefinitionsAround(node)); }

bool IsInBranch(Node node) {
  for (Node child = node, parent = node.parent(); parent && !IsDefinition(parent);
       child = parent, parent = parent.parent()) {
    switch (parent.kind()) {
      case NodeKind::kIfStatement:
        if (child.field() != Field::kCondition) return true;
        break;
      case NodeKind::kConditionalExpression: {
        const Node yes = parent.first_named_child();
        if (!(child == (yes ? yes.next_named_sibling() : Node()))) return true;
        break;
      }
      case NodeKind::kElifClause:
      case NodeKind::kExceptClause:
      case NodeKind::kCaseClause:
        return true;
      default:
        break;
    }
  }
  return false;
}

std::optional<DefinitionRef> Locate(const CodeFile& file, const QualifiedName& name) {
  if (name.local) return Split(file.path(), name.name);
  if (file.project() == nullptr) return std::nullopt;
  for (size_t dot = name.name.rfind('.'); dot != std::string::npos;
       dot = dot == 0 ? std::string::npos : name.name.rfind('.', dot - 1)) {
    const std::string module = name.name.substr(0, dot);
    const std::string path = file.project()->FileOfModule(file.path(), dot == 0 ? "." : module);
    if (!path.empty()) return Split(path, std::string_view(name.name).substr(dot + 1));
  }
  return std::nullopt;
}

std::vector<Definition> DefinitionsIn(const CodeFile& file) {
  return DefinitionCollector(file).Run();
}

}  // namespace transplt
