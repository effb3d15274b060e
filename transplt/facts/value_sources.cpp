// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/value_sources.h"

#include <algorithm>

#include "transplt/base/text_parts.h"
#include "transplt/facts/imported_library.h"
#include "transplt/facts/loops.h"
#include "transplt/facts/tensor_names.h"
#include "transplt/python/arguments.h"
#include "transplt/python/callee.h"
#include "transplt/python/parameters.h"
#include "transplt/python/places_of_file.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr size_t kMostSourceSteps = 2000;
constexpr int kSourceDepth = 4;
constexpr size_t kMostFiles = 60;
constexpr size_t kMostMembers = 20;
// A file that is looked through for calls costs as much as so many steps within one.
constexpr size_t kStepsOfFile = 20;

Node Around(Node node, NodeKind kind) {
  Node up = node.parent();
  while (up && !up.Is(kind)) up = up.parent();
  return up;
}

/// The calls of a file whose callee is spelled `name`, or ends so, in their order.
std::vector<Node> CallsSaying(std::string_view name, const NameTable& names) {
  std::vector<Node> calls;
  for (const Node use : names.places().NodesSaying(name)) {
    Node callee = use.field() == Field::kAttribute ? use.parent() : use;
    while (callee.parent().Is(NodeKind::kParenthesizedExpression) ||
           callee.parent().Is(NodeKind::kConditionalExpression)) {
      callee = callee.parent();
    }
    if (callee.field() != Field::kFunction) continue;
    const Node call = callee.parent();
    const bool is_callee = std::ranges::any_of(
        CalleesOf(call), [&](const Callee& one) { return one.last_name == use; });
    if (is_callee) calls.push_back(call);
  }
  std::ranges::sort(calls, {}, &Node::id);
  const auto doubled = std::ranges::unique(calls);
  calls.erase(doubled.begin(), doubled.end());
  return calls;
}

/// True for a variable, and for `self.x`, whatever object that is.
bool IsObject(const ValueSource& value) {
  if (value.node.Is(NodeKind::kIdentifier)) {
    return value.node.text() == "self" || !value.names->BindingsOf(value.node).empty();
  }
  return value.node.Is(NodeKind::kAttribute) && value.node.Child(Field::kObject).text() == "self";
}

/// The members of a tuple or a pattern; nothing if a star hides how many there are.
std::optional<std::vector<Node>> MembersOf(Node node) {
  std::vector<Node> members;
  for (const Node member : NamedChildren(node)) {
    if (member.Is(NodeKind::kListSplat) || member.Is(NodeKind::kListSplatPattern)) {
      return std::nullopt;
    }
    if (!member.Is(NodeKind::kComment)) members.push_back(member);
  }
  return members;
}

/// How many definitions of its name stand before one in its file.
size_t OrdinalOf(Node definition, const SyntaxTree& tree) {
  size_t before = 0;
  for (const Node node : NodesIn(tree)) {
    const bool is_earlier = node.range().start < definition.range().start;
    before += is_earlier && node.kind() == definition.kind() &&
              node.Child(Field::kName).text() == definition.Child(Field::kName).text();
  }
  return before;
}

/// True if both are one definition. A file may be open as two texts: as it is, and without what an
/// injection has put there before.
bool IsSame(const ValueSource& one, const ValueSource& other) {
  if (one.path() != other.path() || one.node.kind() != other.node.kind()) return false;
  const SyntaxTree& tree = one.names->tree();
  const SyntaxTree& other_tree = other.names->tree();
  if (&tree == &other_tree || tree.source().bytes() == other_tree.source().bytes()) {
    return one.node.range().start == other.node.range().start;
  }
  return one.node.Child(Field::kName).text() == other.node.Child(Field::kName).text() &&
         OrdinalOf(one.node, tree) == OrdinalOf(other.node, other_tree);
}

/// What the function around the empty list `list` appends to the variable that it makes of it.
std::vector<Node> AppendedTo(Node list, const NameTable& names) {
  const Node name = list.parent().Child(Field::kLeft);
  const bool is_empty_variable = list.Is(NodeKind::kList) && !list.first_named_child() &&
                                 list.field() == Field::kRight && name.Is(NodeKind::kIdentifier);
  std::vector<Node> values;
  if (!is_empty_variable) return values;
  for (const Node use : names.places().NodesSaying(name.text())) {
    const Node append = use.parent();
    const bool is_append = append.Is(NodeKind::kAttribute) && use.field() == Field::kObject &&
                           append.Child(Field::kAttribute).text() == "append" && IsCalled(append) &&
                           names.ScopeOf(use) == names.ScopeOf(name);
    if (!is_append) continue;
    const std::vector<Argument> given = ArgumentsOf(append.parent());
    if (given.size() == 1 && !given[0].is_splat) values.push_back(given[0].value);
  }
  return values;
}

}  // namespace

bool CallsMember(const ValueSource& call, std::string_view package, std::string_view name) {
  if (!call.node.Is(NodeKind::kCall)) return false;
  const std::string last = "." + std::string(name);
  return std::ranges::any_of(
      call.names->Resolve(call.node.Child(Field::kFunction)), [&](const QualifiedName& found) {
        return !found.local && IsInside(package, found.name) && found.name.ends_with(last);
      });
}

Node MadeFirst(Node call) {
  for (;;) {
    const Node callee = call.Is(NodeKind::kCall) ? call.Child(Field::kFunction) : Node();
    const bool is_same = callee.Is(NodeKind::kAttribute) &&
                         Has(kOfSameObject, callee.Child(Field::kAttribute).text());
    if (!is_same) return call;
    call = callee.Child(Field::kObject);
  }
}

std::vector<Node> FieldsOf(Node class_definition) {
  std::vector<Node> fields;
  for (const Node statement : NamedChildren(class_definition.Child(Field::kBody))) {
    const Node declared =
        statement.Is(NodeKind::kExpressionStatement) ? statement.first_named_child() : Node();
    const bool is_field = declared.Is(NodeKind::kAssignment) && declared.Child(Field::kType) &&
                          declared.Child(Field::kLeft).Is(NodeKind::kIdentifier);
    if (is_field) fields.push_back(declared.Child(Field::kLeft));
  }
  return fields;
}

std::vector<ValueSource> ValueSources::Of(Node expression) const {
  return Of(ValueSource{expression, &names_});
}

std::vector<ValueSource> ValueSources::Of(const ValueSource& expression) const {
  if (!expression.node) return {expression};
  const auto [known, is_new] = answers_.try_emplace(PlaceOf(expression));
  if (!is_new) {
    std::vector<ValueSource> sources;
    for (const PlaceOfText& place : known->second) {
      if (auto source = At(place)) sources.push_back(*std::move(source));
    }
    return sources;
  }
  size_t steps = kMostSourceSteps;
  Trail trail{steps};
  Follow(expression, trail);
  for (const ValueSource& source : trail.found) known->second.push_back(PlaceOf(source));
  return std::move(trail.found);
}

/// Files are opened again: to keep them for each answer would keep them all.
std::optional<ValueSource> ValueSources::At(const PlaceOfText& place) const {
  const auto& [is_opened, in_file] = place;
  const auto node_of = [&](const SyntaxTree& tree) {
    return in_file.node == SourcePlace::kNoNode ? Node() : tree.node(in_file.node);
  };
  if (!is_opened) return ValueSource{node_of(names_.tree()), &names_};
  const auto opened = project_ == nullptr ? nullptr : project_->Open(in_file.path);
  if (opened == nullptr) return std::nullopt;
  return ValueSource{node_of(opened->names().tree()), &opened->names(), opened};
}

void ValueSources::Follow(const ValueSource& at, Trail& trail) const {
  const Node node = at.node;
  if (!node || trail.steps == 0) return trail.found.push_back(at);
  --trail.steps;
  if (!trail.seen.insert(at.place()).second) return;
  if (node.Is(NodeKind::kParenthesizedExpression)) {
    return Follow(at.At(node.first_named_child()), trail);
  }
  if (node.Is(NodeKind::kConditionalExpression)) {
    Follow(at.At(node.first_named_child()), trail);
    return Follow(at.At(LastNamedChild(node)), trail);
  }
  if (node.Is(NodeKind::kIdentifier)) return FollowName(at, trail);
  if (node.Is(NodeKind::kAttribute)) return FollowMember(at, trail);
  if (node.Is(NodeKind::kCall)) return FollowCall(at, trail);
  trail.found.push_back(at);
}

void ValueSources::FollowName(const ValueSource& at, Trail& trail) const {
  bool is_bound = false;
  for (const Binding* binding : at.names->BindingsOf(at.node)) {
    is_bound = true;
    if (binding->kind == BindingKind::kAssignment && binding->value) {
      Follow(at.At(binding->value), trail);
    } else if (binding->kind == BindingKind::kParameter) {
      FollowParameter(at, *binding, trail);
    } else if (binding->kind == BindingKind::kImport) {
      FollowImport(at, *binding, trail);
    } else {
      FollowPart(at, *binding, trail);
    }
  }
  if (!is_bound) trail.found.push_back(at);
}

/// `x, (y, z) = value`: to the part that the name takes, of a pattern within another of a part.
void ValueSources::FollowPart(const ValueSource& at, const Binding& binding, Trail& trail) const {
  std::vector<TakenMember> taken;  // from the name outwards
  Node part = binding.node;
  while (part.parent().Is(NodeKind::kPatternList) || part.parent().Is(NodeKind::kTuplePattern)) {
    const auto targets = MembersOf(part.parent());
    if (!targets) return trail.found.push_back(at);
    const auto place = std::ranges::find(*targets, part) - targets->begin();
    taken.push_back({static_cast<size_t>(place), targets->size()});
    part = part.parent();
  }
  if (const Node iterated = IteratedBy(part)) {
    return FollowMembers(at, at.At(iterated), taken, trail);
  }
  const Node assignment = part.parent();
  const bool is_whole =
      assignment.Is(NodeKind::kAssignment) && assignment.Child(Field::kLeft) == part;
  const Node value = is_whole && !taken.empty() ? assignment.Child(Field::kRight) : Node();
  if (!value) return trail.found.push_back(at);
  FollowTaken(at, at.At(value), taken, trail);
}

/// `for x in [a, b]`: to `taken` of each member of what `sequence` may be.
void ValueSources::FollowMembers(const ValueSource& at, const ValueSource& sequence,
                                 const std::vector<TakenMember>& taken, Trail& trail) const {
  if (trail.depth >= kSourceDepth) return trail.found.push_back(at);
  Trail own{trail.steps, trail.depth + 1};
  Follow(sequence, own);
  for (const ValueSource& source : own.found) {
    const bool is_display = source.node.Is(NodeKind::kTuple) || source.node.Is(NodeKind::kList);
    std::vector<Node> members = AppendedTo(source.node, *source.names);
    if (members.empty() && is_display) {
      members = MembersOf(source.node).value_or(std::vector<Node>());
    }
    if (members.empty() || members.size() > kMostMembers) {
      trail.found.push_back(at);
      continue;
    }
    for (const Node member : members) FollowTaken(at, source.At(member), taken, trail);
  }
}

/// To the last of `taken` of what `value` may be, each a member of the one behind it.
void ValueSources::FollowTaken(const ValueSource& at, const ValueSource& value,
                               std::vector<TakenMember> taken, Trail& trail) const {
  if (taken.empty()) return Follow(value, trail);
  if (trail.depth >= kSourceDepth) return trail.found.push_back(at);
  const TakenMember member = taken.back();
  taken.pop_back();
  Trail own{trail.steps, trail.depth + 1};
  Follow(value, own);
  for (const ValueSource& source : own.found) {
    const bool is_sequence = source.node.Is(NodeKind::kTuple) ||
                             source.node.Is(NodeKind::kExpressionList) ||
                             source.node.Is(NodeKind::kList);
    const auto members = is_sequence ? MembersOf(source.node) : std::nullopt;
    const std::vector<Node> appended = AppendedTo(source.node, *source.names);
    if (!appended.empty()) {
      for (const Node one : appended) FollowTaken(at, source.At(one), taken, trail);
    } else if (members && members->size() == member.count) {
      FollowTaken(at, source.At((*members)[member.place]), taken, trail);
    } else {
      trail.found.push_back(at);
    }
  }
}

void ValueSources::FollowParameter(const ValueSource& at, const Binding& binding,
                                   Trail& trail) const {
  if (binding.value) Follow(at.At(binding.value), trail);
  const ValueSource function = at.At(at.names->ScopeNode(binding.scope));
  const bool is_function = function.node.Is(NodeKind::kFunctionDefinition);
  if (is_function && FollowCallers(function, binding.node, trail)) return;
  if (!binding.value) trail.found.push_back(at);
}

/// True if a caller hands over a value for the parameter.
bool ValueSources::FollowCallers(const ValueSource& function, Node parameter, Trail& trail) const {
  bool is_given = false;
  for (const SourcePlace& place : CallersOf(function, trail)) {
    const auto file = FileAt(function, place.path);
    if (!file) continue;
    const Node call = file->names->tree().node(place.node);
    const Node given = ArgumentFor(call, function.node, parameter);
    if (!given) continue;
    is_given = true;
    Follow(file->At(given), trail);
  }
  return is_given;
}

void ValueSources::FollowImport(const ValueSource& at, const Binding& binding, Trail& trail) const {
  const size_t dot = binding.target.rfind('.');
  if (project_ == nullptr || dot == std::string::npos) return trail.found.push_back(at);
  const std::string path =
      project_->FileOfModule(at.path(), std::string_view(binding.target).substr(0, dot));
  const auto opened = path.empty() ? nullptr : project_->Open(path);
  if (opened == nullptr) return trail.found.push_back(at);
  bool is_found = false;
  for (const Binding& other : opened->names().bindings()) {
    const bool is_it = other.scope == 0 && other.kind == BindingKind::kAssignment && other.value &&
                       other.name == std::string_view(binding.target).substr(dot + 1);
    if (!is_it) continue;
    is_found = true;
    Follow({other.value, &opened->names(), opened}, trail);
  }
  if (!is_found) trail.found.push_back(at);
}

/// The class that made `object`, as far as one of the project did.
std::optional<ValueSource> ValueSources::ClassOf(const ValueSource& object,
                                                 const Trail& trail) const {
  if (object.node.text() == "self") {
    const Node holder = Around(object.node, NodeKind::kClassDefinition);
    if (!holder) return std::nullopt;
    return object.At(holder);
  }
  if (trail.depth >= kSourceDepth || trail.steps == 0) return std::nullopt;
  --trail.steps;  // each of many makers may ask for the class of another object
  Trail own{trail.steps, trail.depth + 1};
  Follow(object, own);
  for (const ValueSource& source : own.found) {
    if (!source.node.Is(NodeKind::kCall)) continue;
    const auto made = DefinitionOf(source.At(source.node.Child(Field::kFunction)), own);
    if (made && made->node.Is(NodeKind::kClassDefinition)) return made;
  }
  return std::nullopt;
}

/// A class and its bases of the project, in the order in which Python looks a method up, as far as
/// no class has two ways to one base.
std::vector<ValueSource> ValueSources::WithBases(const ValueSource& definition, const Trail& trail,
                                                 int depth) const {
  std::vector<ValueSource> classes = {definition};
  if (depth >= kSourceDepth || !definition.node.Child(Field::kSuperclasses)) return classes;
  for (const Node base : NamedChildren(definition.node.Child(Field::kSuperclasses))) {
    const auto found = DefinitionOf(definition.At(base), trail);
    if (!found || !found->node.Is(NodeKind::kClassDefinition)) continue;
    for (ValueSource& one : WithBases(*found, trail, depth + 1)) classes.push_back(std::move(one));
  }
  return classes;
}

/// The method of a class, its own or that of a base in the project.
std::optional<ValueSource> ValueSources::MethodOf(const ValueSource& definition,
                                                  std::string_view name, const Trail& trail) const {
  for (const ValueSource& one : WithBases(definition, trail)) {
    for (Node member : NamedChildren(one.node.Child(Field::kBody))) {
      if (member.Is(NodeKind::kDecoratedDefinition)) member = LastNamedChild(member);
      if (member.Is(NodeKind::kFunctionDefinition) && member.Child(Field::kName).text() == name) {
        return one.At(member);
      }
    }
  }
  return std::nullopt;
}

/// What the class itself gives `self.member`: nodes of its file.
const std::vector<uint32_t>& ValueSources::ValuesOfMember(const ValueSource& definition,
                                                          std::string_view member) const {
  const auto [found, is_new] = members_.try_emplace(PlaceOf(definition));
  if (is_new) {
    for (const Node node : NodesIn(definition.node)) {
      const Node left = node.Is(NodeKind::kAssignment) ? node.Child(Field::kLeft) : Node();
      const Node value = left ? node.Child(Field::kRight) : Node();
      if (!value || !left.Is(NodeKind::kAttribute)) continue;
      if (left.Child(Field::kObject).text() != "self") continue;
      found->second[std::string(left.Child(Field::kAttribute).text())].push_back(value.id());
    }
  }
  static const std::vector<uint32_t> none;
  const auto values = found->second.find(member);
  return values == found->second.end() ? none : values->second;
}

void ValueSources::FollowMember(const ValueSource& at, Trail& trail) const {
  const std::string_view member = at.node.Child(Field::kAttribute).text();
  const auto holder = ClassOf(at.At(at.node.Child(Field::kObject)), trail);
  bool is_set = false;
  for (const ValueSource& one : holder ? WithBases(*holder, trail) : std::vector<ValueSource>()) {
    for (const uint32_t value : ValuesOfMember(one, member)) {
      is_set = true;
      Follow(one.At(one.names->tree().node(value)), trail);
    }
  }
  if (!is_set && holder) {
    is_set = FollowField(at.At(at.node.Child(Field::kObject)), *holder, member, trail);
  }
  if (!is_set) trail.found.push_back(at);
}

/// `State(step=1).step`: to what is given to the class, a dataclass or a NamedTuple, for a field.
/// True if something is.
bool ValueSources::FollowField(const ValueSource& object, const ValueSource& holder,
                               std::string_view field, Trail& trail) const {
  const std::vector<Node> fields = FieldsOf(holder.node);
  const auto declared = std::ranges::find(fields, field, &Node::text);
  if (declared == fields.end() || trail.depth >= kSourceDepth) return false;
  const auto place = static_cast<size_t>(declared - fields.begin());
  Trail own{trail.steps, trail.depth + 1};
  Follow(object, own);
  bool is_given = false;
  for (const ValueSource& source : own.found) {
    if (!source.node.Is(NodeKind::kCall)) continue;
    size_t position = 0;
    for (const Argument& argument : ArgumentsOf(source.node)) {
      if (argument.is_splat) break;
      const bool is_it = argument.keyword.empty() ? position++ == place : argument.keyword == field;
      if (!is_it) continue;
      is_given = true;
      Follow(source.At(argument.value), trail);
    }
  }
  return is_given;
}

/// The functions of the project that `callee` may be: one that it names, or those of a dict that
/// it takes one from.
std::vector<ValueSource> ValueSources::FunctionsOf(const ValueSource& callee,
                                                   const Trail& trail) const {
  std::vector<ValueSource> functions;
  const auto add = [&](const ValueSource& named) {
    auto function = DefinitionOf(named, trail);
    if (function && function->node.Is(NodeKind::kFunctionDefinition)) {
      functions.push_back(*std::move(function));
    }
  };
  if (!callee.node.Is(NodeKind::kSubscript)) {
    add(callee);
    return functions;
  }
  if (trail.depth >= kSourceDepth) return functions;
  Trail own{trail.steps, trail.depth + 1};
  Follow(callee.At(callee.node.Child(Field::kValue)), own);
  const Node key = PlainStringContent(callee.node.Child(Field::kSubscript));
  for (const ValueSource& source : own.found) {
    if (!source.node.Is(NodeKind::kDictionary)) continue;
    for (const Node pair : NamedChildren(source.node)) {
      if (!pair.Is(NodeKind::kPair)) continue;
      const Node spelled = PlainStringContent(pair.Child(Field::kKey));
      const bool is_other = key && spelled && key.text() != spelled.text();
      if (!is_other) add(source.At(pair.Child(Field::kValue)));
    }
  }
  return functions;
}

/// To what a function of the project returns.
void ValueSources::FollowCall(const ValueSource& at, Trail& trail) const {
  bool returns = false;
  for (const ValueSource& function : FunctionsOf(at.At(at.node.Child(Field::kFunction)), trail)) {
    for (const Node node : NodesIn(function.node)) {
      if (!node.Is(NodeKind::kReturnStatement)) continue;
      if (Around(node, NodeKind::kFunctionDefinition) != function.node) continue;
      const Node value = node.first_named_child();
      if (!value) continue;
      returns = true;
      Follow(function.At(value), trail);
    }
  }
  if (!returns) trail.found.push_back(at);
}

std::optional<ValueSource> ValueSources::DefinitionOf(const ValueSource& callee) const {
  size_t steps = kMostSourceSteps;
  return DefinitionOf(callee, Trail{steps});
}

std::optional<ValueSource> ValueSources::DefinitionOf(const ValueSource& callee,
                                                      const Trail& trail) const {
  if (callee.node.Is(NodeKind::kAttribute)) {
    const Node object = callee.node.Child(Field::kObject);
    const auto holder =
        IsObject(callee.At(object)) ? ClassOf(callee.At(object), trail) : std::nullopt;
    if (holder) {
      const std::string_view name = callee.node.Child(Field::kAttribute).text();
      if (auto method = MethodOf(*holder, name, trail)) return method;
    }
  }
  for (const QualifiedName& name : callee.names->Resolve(callee.node)) {
    if (!name.local) {
      if (auto found = TopLevel(callee, name.name)) return found;
      continue;
    }
    for (const Binding* binding : callee.names->BindingsOf(callee.node)) {
      const bool is_it =
          binding->kind == BindingKind::kFunction || binding->kind == BindingKind::kClass;
      if (is_it) return callee.At(binding->statement);
    }
  }
  return std::nullopt;
}

std::optional<ValueSource> ValueSources::TopLevel(const ValueSource& from,
                                                  std::string_view qualified) const {
  const size_t dot = qualified.rfind('.');
  if (project_ == nullptr || dot == std::string_view::npos) return std::nullopt;
  const std::string path = project_->FileOfModule(from.path(), qualified.substr(0, dot));
  const auto opened = path.empty() ? nullptr : project_->Open(path);
  if (opened == nullptr) return std::nullopt;
  for (const Binding& binding : opened->names().bindings()) {
    const bool is_definition =
        binding.kind == BindingKind::kFunction || binding.kind == BindingKind::kClass;
    if (is_definition && binding.scope == 0 && binding.name == qualified.substr(dot + 1)) {
      return ValueSource{binding.statement, &opened->names(), opened};
    }
  }
  return std::nullopt;
}

std::vector<ValueSource> ValueSources::CallsOf(const ValueSource& function) const {
  size_t steps = kMostSourceSteps;
  std::vector<ValueSource> calls;
  for (const SourcePlace& place : CallersOf(function, Trail{steps})) {
    const auto file = FileAt(function, place.path);
    if (file) calls.push_back(file->At(file->names->tree().node(place.node)));
  }
  return calls;
}

/// The calls of a function, or for a constructor those of its class; as far as the steps last.
const std::vector<SourcePlace>& ValueSources::CallersOf(const ValueSource& function,
                                                        const Trail& trail) const {
  const SourcePlace place = function.place();
  const auto known = callers_.find(place);
  if (known != callers_.end()) return known->second;
  // On the way nobody is known to call it: who asks again has come round in a circle.
  callers_[place];
  std::vector<SourcePlace> found = FindCallers(function, trail);
  return callers_[place] = std::move(found);
}

std::vector<SourcePlace> ValueSources::FindCallers(const ValueSource& function,
                                                   const Trail& trail) const {
  const bool is_constructor =
      IsMethod(function.node) && function.node.Child(Field::kName).text() == "__init__";
  const Node named =
      is_constructor ? Around(function.node, NodeKind::kClassDefinition) : function.node;
  const std::string_view name = named.Child(Field::kName).text();
  std::vector<std::string> paths = {function.path()};
  if (project_ != nullptr) {
    for (const std::string& path : project_->FilesCalling(name)) {
      if (path != function.path() && paths.size() < kMostFiles) paths.push_back(path);
    }
  }
  std::vector<SourcePlace> calls;
  for (const std::string& path : paths) {
    const size_t cost = path == function.path() ? 0 : kStepsOfFile;
    if (trail.steps < cost) break;
    trail.steps -= cost;
    const auto file = FileAt(function, path);
    if (!file) continue;
    for (const Node call : CallsSaying(name, *file->names)) {
      const auto defined = DefinitionOf(file->At(call.Child(Field::kFunction)), trail);
      if (defined && IsSame(*defined, function.At(named))) calls.push_back({path, call.id()});
    }
  }
  return calls;
}

/// A file as it is read here: this one may be without what an injection has put into it before.
std::optional<ValueSource> ValueSources::FileAt(const ValueSource& from,
                                                const std::string& path) const {
  if (path == names_.tree().source().path()) return ValueSource{{}, &names_};
  if (path == from.path()) return from.At({});
  const auto opened = project_ == nullptr ? nullptr : project_->Open(path);
  if (opened == nullptr) return std::nullopt;
  return ValueSource{{}, &opened->names(), opened};
}

}  // namespace transplt
