// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/classes.h"

#include <algorithm>

namespace transplt {

Node Classes::EnclosingClass(Node node) const {
  for (uint32_t scope = names_.ScopeOf(node); scope != 0; scope = names_.ParentScope(scope)) {
    Node holder = names_.ScopeNode(scope);
    if (holder.Is(NodeKind::kClassDefinition)) return holder;
  }
  return {};
}

bool Classes::Leads(Node start, Answers& answers, const Visit& visit) {
  struct Step {
    Node node;
    size_t from;  // the place of the node that led here
  };
  std::vector<Step> steps = {{start, 0}};
  std::unordered_set<uint32_t> seen = {start.id()};
  std::vector<Node> next;
  for (size_t i = 0; i < steps.size(); ++i) {
    const auto known = answers.find(steps[i].node.id());
    if (known != answers.end() && !known->second) continue;
    next.clear();
    if (known != answers.end() || visit(steps[i].node, next)) {
      // So do all on the way here.
      for (size_t at = i;; at = steps[at].from) {
        answers[steps[at].node.id()] = true;
        if (at == 0) return true;
      }
    }
    for (const Node node : next) {
      if (seen.insert(node.id()).second) steps.push_back({node, i});
    }
  }
  for (const Step& step : steps) answers[step.node.id()] = false;
  return false;
}

bool Classes::ClassDefines(Node definition, std::string_view name) const {
  return Leads(definition, AnswersFor(defines_, name), [&](Node at, std::vector<Node>& next) {
    return DefinesItself(at, name) || BaseDefines(at, name, next);
  });
}

/// True if a base that another file defines has a member `name`; adds the bases of this file.
bool Classes::BaseDefines(Node definition, std::string_view name, std::vector<Node>& own) const {
  const Node bases = definition.Child(Field::kSuperclasses);
  for (Node base = bases ? bases.first_named_child() : Node(); base;
       base = base.next_named_sibling()) {
    if (base.Is(NodeKind::kIdentifier)) {
      for (const Binding* binding : names_.BindingsOf(base)) {
        if (binding->kind == BindingKind::kClass) own.push_back(binding->statement);
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
  return false;
}

const Classes::Contents& Classes::OwnContents() const {
  if (contents_) return *contents_;
  Contents& contents = contents_.emplace();
  for (const Binding& binding : names_.bindings()) {
    const Node holder = names_.ScopeNode(binding.scope);
    if (holder.Is(NodeKind::kClassDefinition) &&
        binding.node.id() > holder.Child(Field::kBody).id()) {
      contents.members[holder.id()].insert(binding.name);
    }
  }
  const SyntaxTree& tree = names_.tree();
  for (uint32_t id = 0; id < tree.size(); ++id) {
    const Node target = tree.node(id);
    if (!target.Is(NodeKind::kAttribute) || target.field() != Field::kLeft ||
        !target.parent().Is(NodeKind::kAssignment) ||
        target.Child(Field::kObject).text() != "self") {
      continue;
    }
    contents.assignments[target.text()].push_back(target.parent());
    for (Node holder = target.parent(); holder; holder = holder.parent()) {
      const bool is_member =
          holder.Is(NodeKind::kClassDefinition) && holder.Child(Field::kBody).id() <= target.id();
      if (is_member) {
        contents.members[holder.id()].insert(target.Child(Field::kAttribute).text());
      }
    }
  }
  return contents;
}

/// True if the class `definition` has a member `name`, whatever its bases have.
bool Classes::DefinesItself(Node definition, std::string_view name) const {
  const auto members = OwnContents().members.find(definition.id());
  return members != OwnContents().members.end() && members->second.contains(name);
}

Classes::Answers& Classes::AnswersFor(AnswersByName& answers, std::string_view name) {
  auto known = answers.find(name);
  if (known == answers.end()) known = answers.try_emplace(std::string(name)).first;
  return known->second;
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
  return !Leads(receiver, AnswersFor(undefined_, name),
                [&](Node at, std::vector<Node>& next) { return MayBeAnother(at, name, next); });
}

/// True if a binding of the variable `receiver` is not provably an object that defines `name`; adds
/// the variables that decide it, too.
bool Classes::MayBeAnother(Node receiver, std::string_view name, std::vector<Node>& next) const {
  const Answers& answers = AnswersFor(undefined_, name);
  const NameTable::Meanings bindings = names_.BindingsOf(receiver);
  return bindings.empty() ||
         std::any_of(bindings.begin(), bindings.end(), [&](const Binding* binding) {
           if (binding->kind == BindingKind::kParameter) return !AnnotationDefines(*binding, name);
           if (binding->kind == BindingKind::kClass) return !ClassDefines(binding->statement, name);
           if (binding->kind != BindingKind::kAssignment || !binding->value.Is(NodeKind::kCall)) {
             return true;
           }
           if (ReceiverDefines(binding->value, name)) return false;
           const Node object = ObjectGivenBack(binding->value, receiver);
           if (!object) return true;
           // Thousands of bindings may lead here: one that is known to be another decides.
           const auto known = answers.find(object.id());
           if (known != answers.end()) return known->second;
           next.push_back(object);
           return false;
         });
}

/// `b = b.cuda()`: what a method of an object gives is taken to be that object. A null node if
/// `call` is no method of the variable `receiver`, as it was before.
Node Classes::ObjectGivenBack(Node call, Node receiver) {
  const Node callee = call.Child(Field::kFunction);
  if (!callee.Is(NodeKind::kAttribute)) return {};
  const Node object = callee.Child(Field::kObject);
  const bool is_same = object.Is(NodeKind::kIdentifier) && object.text() == receiver.text() &&
                       object.id() < receiver.id();
  return is_same ? object : Node();
}

bool Classes::AnnotationDefines(const Binding& parameter, std::string_view name) const {
  const Node type = parameter.node.parent().Child(Field::kType);
  const Node annotation = type ? type.first_named_child() : Node();
  if (annotation.Is(NodeKind::kIdentifier)) {
    for (const Binding* binding : names_.BindingsOf(annotation)) {
      if (binding->kind == BindingKind::kClass) return ClassDefines(binding->statement, name);
    }
  } else if (!annotation.Is(NodeKind::kAttribute)) {
    return false;
  }
  if (project_ == nullptr) return false;
  const std::vector<QualifiedName> classes = names_.Resolve(annotation);
  return !classes.empty() && std::ranges::all_of(classes, [&](const QualifiedName& candidate) {
    return !candidate.local &&
           project_->ClassDefines(names_.tree().source().path(), candidate.name, name);
  });
}

/// `self.feed.cuda()` where the class says `self.feed = Batch(...)`, and nothing else.
bool Classes::MemberDefines(Node member, std::string_view name) const {
  const Node holder = EnclosingClass(member);
  if (!holder || member.Child(Field::kObject).text() != "self") return false;
  const auto key = std::make_tuple(holder.id(), member.text(), std::string(name));
  auto known = values_of_members_.find(key);
  if (known == values_of_members_.end()) {
    known = values_of_members_.emplace(key, ValuesOf(holder, member.text(), name)).first;
  }
  // `self.feed = self.feed.cuda()` itself says nothing about its own value.
  ValuesOfMember values = known->second;
  for (Node outer = member.parent(); outer != holder; outer = outer.parent()) {
    const Node value =
        outer.Is(NodeKind::kAssignment) && outer.Child(Field::kLeft).text() == member.text()
            ? outer.Child(Field::kRight)
            : Node();
    if (!value.Is(NodeKind::kCall) || !value.IsAncestorOf(member)) continue;
    --(ReceiverDefines(value, name) ? values.defining : values.others);
  }
  return values.defining > 0 && values.others == 0;
}

/// What the class `holder` assigns to `member`, a text such as "self.feed", as results of calls.
Classes::ValuesOfMember Classes::ValuesOf(Node holder, std::string_view member,
                                          std::string_view name) const {
  ValuesOfMember values;
  const auto assignments = OwnContents().assignments.find(member);
  if (assignments == OwnContents().assignments.end()) return values;
  for (const Node assignment : assignments->second) {
    const Node value = assignment.Child(Field::kRight);
    if (!holder.IsAncestorOf(assignment) || !value.Is(NodeKind::kCall)) continue;
    ++(ReceiverDefines(value, name) ? values.defining : values.others);
  }
  return values;
}

}  // namespace transplt
