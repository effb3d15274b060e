// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/call_graph.h"

#include <algorithm>
#include <map>

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

std::string Joined(const std::vector<Node>& around) {
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

class Collector {
 public:
  explicit Collector(const FileContext& file) : file_(file) {}

  std::vector<Definition> Run() {
    for (const Binding& binding : file_.names().bindings()) AddAlias(binding);
    for (uint32_t id = 0; id < file_.tree().size(); ++id) {
      const Node node = file_.tree().node(id);
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
    definition.name = Joined(around);
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
      if (auto type = TypeOf(object, 0)) {
        type->member = callee.Child(Field::kAttribute).text();
        type->is_super = IsSuper(object);
        callees.push_back(*std::move(type));
      }
    }
    // `self.layer(x)` calls an object.
    if (auto type = TypeOf(callee, 0)) {
      type->member = "__call__";
      callees.push_back(*std::move(type));
    }
  }

  /// True if `expression` is a name. What the project defines of it goes to `refs`.
  bool AddNamed(Node expression, std::vector<DefinitionRef>& refs) const {
    const std::vector<QualifiedName> names = file_.names().Resolve(expression);
    for (const QualifiedName& name : names) {
      if (name.local && IsInsideFunction(ChainOf(expression).head)) continue;
      if (auto ref = Locate(file_, name)) refs.push_back(*std::move(ref));
    }
    return !names.empty();
  }

  /// True if a name stands for what a function defines for itself.
  bool IsInsideFunction(Node identifier) const {
    if (!identifier.Is(NodeKind::kIdentifier)) return false;
    const std::vector<const Binding*> bindings = file_.names().BindingsOf(identifier);
    return std::any_of(bindings.begin(), bindings.end(), [&](const Binding* binding) {
      return (binding->kind == BindingKind::kFunction || binding->kind == BindingKind::kClass) &&
             binding->scope != 0;
    });
  }

  static bool IsSuper(Node object) {
    return object.Is(NodeKind::kCall) && object.Child(Field::kFunction).text() == "super";
  }

  /// The class of which `expression` is an object, as far as the text says.
  std::optional<DefinitionRef> TypeOf(Node expression, int depth) const {
    constexpr int kMaxDepth = 4;
    if (!expression || depth > kMaxDepth) return std::nullopt;
    const std::string_view text = expression.text();
    if (text == "self" || text == "cls" || IsSuper(expression)) return ClassAround(expression);
    if (expression.Is(NodeKind::kCall)) return ClassCalled(expression);
    if (expression.Is(NodeKind::kIdentifier)) return TypeOfVariable(expression, depth);
    if (expression.Is(NodeKind::kAttribute) && expression.Child(Field::kObject).text() == "self") {
      return TypeOfMember(expression, depth);
    }
    return std::nullopt;
  }

  std::optional<DefinitionRef> ClassAround(Node node) const {
    std::vector<Node> around = DefinitionsAround(node);
    const auto function = std::find_if(around.begin(), around.end(), [](Node outer) {
      return outer.Is(NodeKind::kFunctionDefinition);
    });
    around.erase(function, around.end());
    if (around.empty()) return std::nullopt;
    return DefinitionRef{file_.source().path(), Joined(around), ""};
  }

  /// What is called may also be a function: then it has no members.
  std::optional<DefinitionRef> ClassCalled(Node call) const {
    std::vector<DefinitionRef> refs;
    AddNamed(call.Child(Field::kFunction), refs);
    if (refs.empty() || !refs.front().member.empty()) return std::nullopt;
    return refs.front();
  }

  std::optional<DefinitionRef> TypeOfVariable(Node identifier, int depth) const {
    for (const Binding* binding : file_.names().BindingsOf(identifier)) {
      if (binding->kind == BindingKind::kAssignment) {
        if (auto type = TypeOf(binding->value, depth + 1)) return type;
      } else if (binding->kind == BindingKind::kParameter) {
        const Node annotation = binding->node.parent().Child(Field::kType);
        std::vector<DefinitionRef> refs;
        if (annotation) AddNamed(annotation.first_named_child(), refs);
        if (!refs.empty() && refs.front().member.empty()) return refs.front();
      }
    }
    return std::nullopt;
  }

  /// Of `self.feed` the class says `self.feed = Batch(...)`.
  std::optional<DefinitionRef> TypeOfMember(Node member, int depth) const {
    const Node holder = file_.classes().EnclosingClass(member);
    if (!holder) return std::nullopt;
    for (uint32_t id = holder.id(); id < holder.end_id(); ++id) {
      const Node node = file_.tree().node(id);
      if (!node.Is(NodeKind::kAssignment) || node.Child(Field::kLeft).text() != member.text() ||
          node.IsAncestorOf(member)) {
        continue;
      }
      if (auto type = TypeOf(node.Child(Field::kRight), depth + 1)) return type;
    }
    return std::nullopt;
  }

  const FileContext& file_;
  std::vector<Definition> definitions_;
  std::map<std::string, size_t, std::less<>> index_;
};

}  // namespace

std::string OwnerOf(Node node) { return Joined(DefinitionsAround(node)); }

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

std::optional<DefinitionRef> Locate(const FileContext& file, const QualifiedName& name) {
  if (name.local) return Split(file.source().path(), name.name);
  if (file.project() == nullptr) return std::nullopt;
  for (size_t dot = name.name.rfind('.'); dot != std::string::npos;
       dot = dot == 0 ? std::string::npos : name.name.rfind('.', dot - 1)) {
    const std::string module = name.name.substr(0, dot);
    const std::string path =
        file.project()->FileOfModule(file.source().path(), dot == 0 ? "." : module);
    if (!path.empty()) return Split(path, std::string_view(name.name).substr(dot + 1));
  }
  return std::nullopt;
}

std::vector<Definition> DefinitionsIn(const FileContext& file) { return Collector(file).Run(); }

}  // namespace transplt
