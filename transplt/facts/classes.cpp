// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/classes.h"

#include <algorithm>
#include <unordered_set>

namespace transplt {

Node Classes::EnclosingClass(Node node) const {
  for (uint32_t scope = names_.ScopeOf(node); scope != 0; scope = names_.ParentScope(scope)) {
    Node holder = names_.ScopeNode(scope);
    if (holder.Is(NodeKind::kClassDefinition)) return holder;
  }
  return {};
}

bool Classes::ClassDefines(Node definition, std::string_view name) const {
  // The class, and the bases that this file defines: each once, since bases may form a cycle.
  std::vector<Node> classes = {definition};
  std::unordered_set<uint32_t> seen = {definition.id()};
  for (size_t i = 0; i < classes.size(); ++i) {
    if (DefinesItself(classes[i], name)) return true;
    Node bases = classes[i].Child(Field::kSuperclasses);
    for (Node base = bases ? bases.first_named_child() : Node(); base;
         base = base.next_named_sibling()) {
      if (base.Is(NodeKind::kIdentifier)) {
        for (const Binding* binding : names_.BindingsOf(base)) {
          if (binding->kind == BindingKind::kClass && seen.insert(binding->statement.id()).second) {
            classes.push_back(binding->statement);
          }
        }
      }
      if (project_ == nullptr) continue;
      for (const QualifiedName& qualified : names_.Resolve(base)) {
        if (!qualified.local &&
            project_->ClassDefines(names_.tree().source().path(), qualified.name, name)) {
          return true;
        }
      }
    }
  }
  return false;
}

/// True if the class `definition` has a member `name`, whatever its bases have.
bool Classes::DefinesItself(Node definition, std::string_view name) const {
  const uint32_t body_start = definition.Child(Field::kBody).id();
  // No statement that stands before the class binds a name behind its start.
  const std::vector<Binding>& bindings = names_.bindings();
  auto binding = std::partition_point(bindings.begin(), bindings.end(), [&](const Binding& before) {
    return before.node.id() < definition.id();
  });
  for (; binding != bindings.end() && binding->node.id() < definition.end_id(); ++binding) {
    if (binding->name == name && binding->node.id() > body_start &&
        names_.ScopeNode(binding->scope) == definition) {
      return true;
    }
  }
  for (uint32_t id = body_start; id < definition.end_id(); ++id) {
    const Node node = names_.tree().node(id);
    if (node.Is(NodeKind::kAttribute) && node.field() == Field::kLeft &&
        node.parent().Is(NodeKind::kAssignment) && node.Child(Field::kAttribute).text() == name &&
        node.Child(Field::kObject).text() == "self") {
      return true;
    }
  }
  return false;
}

bool Classes::ReceiverDefines(Node receiver, std::string_view name) const {
  while (receiver.Is(NodeKind::kParenthesizedExpression)) receiver = receiver.first_named_child();
  if (receiver.Is(NodeKind::kCall)) {
    // `Wrapper(...)`: an object of the class that is called.
    Node callee = receiver.Child(Field::kFunction);
    if (callee.Is(NodeKind::kIdentifier)) {
      for (const Binding* binding : names_.BindingsOf(callee)) {
        if (binding->kind == BindingKind::kClass) return ClassDefines(binding->statement, name);
      }
    }
    if (project_ == nullptr) return false;
    const std::vector<QualifiedName> classes = names_.Resolve(callee);
    return std::any_of(classes.begin(), classes.end(), [&](const QualifiedName& candidate) {
      return !candidate.local &&
             project_->ClassDefines(names_.tree().source().path(), candidate.name, name);
    });
  }
  if (receiver.Is(NodeKind::kAttribute)) return MemberDefines(receiver, name);
  if (!receiver.Is(NodeKind::kIdentifier)) return false;
  if (receiver.text() == "self") {
    Node holder = EnclosingClass(receiver);
    return holder && ClassDefines(holder, name);
  }
  const std::vector<const Binding*> bindings = names_.BindingsOf(receiver);
  return !bindings.empty() &&
         std::all_of(bindings.begin(), bindings.end(), [&](const Binding* binding) {
           if (binding->kind == BindingKind::kParameter) return AnnotationDefines(*binding, name);
           if (binding->kind == BindingKind::kClass) return ClassDefines(binding->statement, name);
           return binding->kind == BindingKind::kAssignment && binding->value.Is(NodeKind::kCall) &&
                  (ReceiverDefines(binding->value, name) ||
                   ReturnsItself(binding->value, receiver, name));
         });
}

/// `b = b.cuda()`: what a method of an object gives is taken to be that object.
bool Classes::ReturnsItself(Node call, Node receiver, std::string_view name) const {
  const Node callee = call.Child(Field::kFunction);
  if (!callee.Is(NodeKind::kAttribute)) return false;
  const Node object = callee.Child(Field::kObject);
  return object.Is(NodeKind::kIdentifier) && object.text() == receiver.text() &&
         object.id() < receiver.id() && ReceiverDefines(object, name);
}

bool Classes::AnnotationDefines(const Binding& parameter, std::string_view name) const {
  const Node type = parameter.node.parent().Child(Field::kType);
  const Node annotation = type ? type.first_named_child() : Node();
  if (!annotation.Is(NodeKind::kIdentifier)) return false;
  const std::vector<const Binding*> classes = names_.BindingsOf(annotation);
  return std::any_of(classes.begin(), classes.end(), [&](const Binding* binding) {
    return binding->kind == BindingKind::kClass && ClassDefines(binding->statement, name);
  });
}

/// `self.feed.cuda()` where the class says `self.feed = Batch(...)`, and nothing else.
bool Classes::MemberDefines(Node member, std::string_view name) const {
  const Node holder = EnclosingClass(member);
  if (!holder || member.Child(Field::kObject).text() != "self") return false;
  bool found = false;
  for (uint32_t id = holder.id(); id < holder.end_id(); ++id) {
    const Node node = names_.tree().node(id);
    if (!node.Is(NodeKind::kAssignment) || node.Child(Field::kLeft).text() != member.text()) {
      continue;
    }
    const Node value = node.Child(Field::kRight);
    if (!value.Is(NodeKind::kCall) || value.IsAncestorOf(member)) continue;
    if (!ReceiverDefines(value, name)) return false;
    found = true;
  }
  return found;
}

}  // namespace transplt
