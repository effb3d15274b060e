// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/result_uses.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <unordered_set>

#include "transplt/base/word_list.h"
#include "transplt/facts/imported_library.h"
#include "transplt/facts/string_place.h"
#include "transplt/facts/tensor_types.h"
#include "transplt/python/arguments.h"
#include "transplt/python/parameters.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

using Kind = ResultUse::Kind;

/// The operator on one side of an operand of a chain of comparisons, or a null node.
Node OperatorBeside(Node comparison, Node operand, bool after) {
  Node last;
  for (Node child = comparison.first_child(); child; child = child.next_sibling()) {
    if (child == operand) {
      if (!after) return last;
      const Node next = child.next_sibling();
      return next.Is(NodeKind::kToken) ? next : Node();
    }
    if (child.Is(NodeKind::kToken)) last = child;
  }
  return {};
}

/// What a comparison operator asks; nothing for `is`.
std::optional<Kind> KindOf(Node token) {
  const std::string_view text = token.text();
  if (text.empty() || text.starts_with("is")) return std::nullopt;
  if (text.ends_with("in")) return Kind::kMembership;
  return text == "==" || text == "!=" || text == "<>" ? Kind::kEqual : Kind::kOrdered;
}

}  // namespace

size_t ValuesUnpacked(const ResultUse& use) {
  const Node left = use.node.Is(NodeKind::kAssignment) ? use.node.Child(Field::kLeft) : Node();
  if (!left.Is(NodeKind::kPatternList) && !left.Is(NodeKind::kTuplePattern)) return 0;
  size_t values = 0;
  for (const Node target : NamedChildren(left)) {
    if (target.Is(NodeKind::kListSplatPattern)) return 0;
    ++values;
  }
  return values;
}

/// Where names and values stand in the file.
struct ResultUses::Index {
  std::unordered_map<std::string_view, std::vector<Node>> identifiers;
  std::unordered_map<std::string_view, std::vector<Node>> attributes;  ///< by the last name
  std::unordered_map<uint32_t, const Binding*> binding_at;             ///< by the bound name
  std::unordered_multimap<uint32_t, const Binding*> bound_to;          ///< by the value
  /// The calls that give the result of a function, or make an object of a class, by its full name,
  /// in the order of the text.
  std::unordered_map<std::string, std::vector<Node>> calls_of;
};

const ResultUses::Index& ResultUses::index() const {
  if (index_) return *index_;
  index_ = std::make_shared<Index>();
  const SyntaxTree& tree = names_.tree();
  for (uint32_t id = 0; id < tree.size(); ++id) {
    const Node node = tree.node(id);
    if (node.Is(NodeKind::kIdentifier)) {
      // `other.name` and `f(name=1)` spell a variable `name` and are none.
      const bool is_keyword =
          node.field() == Field::kName && node.parent().Is(NodeKind::kKeywordArgument);
      if (node.field() == Field::kAttribute || is_keyword) continue;
      index_->identifiers[node.text()].push_back(node);
    } else if (node.Is(NodeKind::kAttribute)) {
      index_->attributes[node.Child(Field::kAttribute).text()].push_back(node);
    } else if (node.Is(NodeKind::kCall)) {
      for (const std::string& name : NamesGivenBy(node)) index_->calls_of[name].push_back(node);
    }
  }
  for (const Binding& binding : names_.bindings()) {
    if (binding.node) index_->binding_at.emplace(binding.node.id(), &binding);
    if (binding.value) index_->bound_to.emplace(binding.value.id(), &binding);
  }
  return *index_;
}

/// Follows one value to all its uses; each place is looked at once.
class ResultUses::Flow {
 public:
  Flow(const ResultUses& owner, const std::vector<std::string>& through)
      : owner_(owner), names_(owner.names_), index_(owner.index()), through_(through) {}

  void Start(Node value) {
    origin_ = value;
    state_ = 0;
    Push(value);
    FollowCallbacks(value);
    while (!open_.empty()) {
      const auto [next, state] = open_.front();
      open_.pop_front();
      state_ = state;
      Visit(next);
    }
  }

  std::vector<ResultUse> Uses() {
    std::stable_sort(uses_.begin(), uses_.end(), [](const ResultUse& a, const ResultUse& b) {
      return a.node.id() < b.node.id();
    });
    return std::move(uses_);
  }

 private:
  void Push(Node value) {
    if (value && seen_.insert(value.id()).second) open_.emplace_back(value, state_);
  }

  /// What is known of a value on its way.
  struct State {
    std::vector<Node> wrappers;
    Node run;
  };

  void PushIn(State state, Node value) {
    const size_t before = state_;
    state_ = states_.size();
    states_.push_back(std::move(state));
    Push(value);
    state_ = before;
  }

  void Add(Kind kind, Node node, Node value, std::string_view member = {},
           bool has_default = false) {
    const State& state = states_[state_];
    uses_.push_back({kind, node, value, origin_, member, has_default, state.wrappers, state.run});
  }

  void Visit(Node value) {
    const auto [first, last] = index_.bound_to.equal_range(value.id());
    for (auto bound = first; bound != last; ++bound) FollowBinding(*bound->second);
    const Node parent = value.parent();
    switch (parent.kind()) {
      case NodeKind::kParenthesizedExpression:
      case NodeKind::kAwait:
      case NodeKind::kNamedExpression:
        return Push(parent);
      case NodeKind::kConditionalExpression:
        if (value != parent.first_named_child().next_named_sibling()) Push(parent);
        return;
      case NodeKind::kBooleanOperator:
        // `result or (0, 0)` has an answer of its own; what stands on the right is the value.
        if (value.field() == Field::kRight) Push(parent);
        return;
      case NodeKind::kAttribute:
        return VisitMember(parent, value);
      case NodeKind::kSubscript:
        if (value.field() == Field::kValue) VisitItem(parent, value);
        return;
      case NodeKind::kForStatement:
      case NodeKind::kForInClause:
        if (value.field() != Field::kRight) return;
        Add(Kind::kItem, value, value);
        return FollowParts(parent.Child(Field::kLeft));
      case NodeKind::kCall:
        if (value.field() != Field::kFunction) return;
        Add(Kind::kCalled, parent, value);
        if (RunsMethodOfThrough()) FollowRun(parent);
        return;
      case NodeKind::kAssignment:
        return VisitAssignment(parent, value);
      case NodeKind::kExpressionList:
      case NodeKind::kTuple:
        return VisitPart(parent, value);
      case NodeKind::kAsPattern:
        return VisitAlias(parent);
      case NodeKind::kAugmentedAssignment:
      case NodeKind::kUnaryOperator:
        return Add(Kind::kComputed, parent, value);
      case NodeKind::kBinaryOperator:
        return VisitOperation(parent, value);
      case NodeKind::kComparisonOperator:
        return VisitComparison(parent, value);
      case NodeKind::kListSplat:
        return Add(Kind::kUnpacked, parent, value);
      case NodeKind::kReturnStatement:
        return VisitReturn(parent, value);
      case NodeKind::kArgumentList:
      case NodeKind::kKeywordArgument:
        return VisitArgument(value);
      default:
        return;
    }
  }

  bool GoesThrough(std::string_view form) const {
    return std::find(through_.begin(), through_.end(), form) != through_.end();
  }

  void VisitItem(Node subscript, Node value) {
    if (GoesThrough(kItems)) return Push(subscript);
    Add(Kind::kItem, subscript, value);
  }

  void VisitMember(Node attribute, Node value) {
    const std::string_view member = attribute.Child(Field::kAttribute).text();
    const Node call = attribute.parent();
    const bool is_called = call.Is(NodeKind::kCall) && attribute.field() == Field::kFunction;
    if (is_called && GoesThrough(member)) return Push(call);
    // What is not called stands in `through` with its dot.
    if (!is_called && !through_.empty() && GoesThrough("." + std::string(member))) {
      return Push(attribute);
    }
    Add(Kind::kMember, attribute, value, member);
  }

  void VisitAssignment(Node assignment, Node value) {
    if (value.field() != Field::kRight) return;
    const Node target = assignment.Child(Field::kLeft);
    if (target.Is(NodeKind::kPatternList) || target.Is(NodeKind::kTuplePattern) ||
        target.Is(NodeKind::kListPattern)) {
      Add(Kind::kUnpacked, assignment, value);
      FollowParts(target);
    } else {
      FollowTarget(target);
    }
    if (assignment.parent().Is(NodeKind::kAssignment)) Push(assignment);  // `a = b = f()`
  }

  /// `state, done = f(), False`
  void VisitPart(Node list, Node value) {
    if (list.field() != Field::kRight || !list.parent().Is(NodeKind::kAssignment)) return;
    const Node targets = list.parent().Child(Field::kLeft);
    if (!targets.Is(NodeKind::kPatternList) && !targets.Is(NodeKind::kTuplePattern)) return;
    Node target = targets.first_named_child();
    Node part = list.first_named_child();
    while (part && target && part != value && !part.Is(NodeKind::kListSplat)) {
      part = part.next_named_sibling();
      target = target.next_named_sibling();
    }
    if (part == value && target) FollowTarget(target);
  }

  void FollowTarget(Node target) {
    if (target.Is(NodeKind::kAttribute)) return FollowAttribute(target);
    if (!target.Is(NodeKind::kIdentifier)) return;
    const auto found = index_.binding_at.find(target.id());
    if (found != index_.binding_at.end()) FollowBinding(*found->second);
  }

  /// `x` of `for x in result`, `a` and `b` of `a, b = result`
  void FollowParts(Node target) {
    if (!GoesThrough(kParts)) return;
    const bool is_pattern = target.Is(NodeKind::kPatternList) ||
                            target.Is(NodeKind::kTuplePattern) || target.Is(NodeKind::kListPattern);
    if (!is_pattern) return FollowTarget(target);
    for (const Node part : NamedChildren(target)) FollowParts(part);
  }

  /// `with f() as x`
  void VisitAlias(Node pattern) {
    for (uint32_t id = pattern.id(); id < pattern.end_id(); ++id) {
      const Node target = names_.tree().node(id);
      if (!target.Is(NodeKind::kAsPatternTarget)) continue;
      const auto found = index_.binding_at.find(target.first_named_child().id());
      if (found != index_.binding_at.end()) FollowBinding(*found->second);
      return;
    }
  }

  void VisitOperation(Node operation, Node value) {
    const Node left = operation.Child(Field::kLeft);
    const bool formats = (left.Is(NodeKind::kString) || left.Is(NodeKind::kConcatenatedString)) &&
                         SignOf(operation) == "%" && left != value;
    if (!formats) return Add(Kind::kComputed, operation, value);
    // `"%d.%d" % result` takes the result apart.
    const std::string_view text = left.text();
    if (std::count(text.begin(), text.end(), '%') > 1) Add(Kind::kUnpacked, operation, value);
  }

  void VisitComparison(Node comparison, Node value) {
    for (const bool after : {false, true}) {
      const std::optional<Kind> kind = KindOf(OperatorBeside(comparison, value, after));
      if (!kind) continue;
      Add(*kind, comparison, value);
      return;
    }
  }

  void VisitReturn(Node statement, Node value) {
    const Node function = names_.ScopeNode(names_.ScopeOf(statement));
    if (!function.Is(NodeKind::kFunctionDefinition)) return;
    const Node name = function.Child(Field::kName);
    Add(Kind::kReturned, statement, value, name.text());
    if (!seen_.insert(function.id()).second) return;
    if (IsMethod(function)) return FollowMethod(function);
    const auto found = index_.binding_at.find(name.id());
    if (found == index_.binding_at.end()) return;
    for (const Node use : UsesOf(*found->second)) {
      if (use.parent().Is(NodeKind::kCall) && use.field() == Field::kFunction) Push(use.parent());
    }
  }

  void VisitArgument(Node value) {
    const Node argument = value.parent().Is(NodeKind::kKeywordArgument) ? value.parent() : value;
    const Node call = argument.parent().parent();
    if (!call.Is(NodeKind::kCall)) return;
    const Node callee = call.Child(Field::kFunction);
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const std::vector<const Binding*> bindings = callee.Is(NodeKind::kIdentifier)
                                                     ? names_.BindingsOf(callee)
                                                     : std::vector<const Binding*>();
    if (callee.text() == "getattr" && bindings.empty() && arguments.size() > 1 &&
        arguments[0].value == value) {
      if (const Node content = PlainStringContent(arguments[1].value)) {
        Add(Kind::kMember, call, value, content.text(), arguments.size() > 2);
      }
      return;
    }
    if (owner_.Wraps(call)) return FollowWrapper(call);
    if (GoesThrough(kParts) && GivesItsItems(callee)) return Push(call);
    const Node last = callee.Is(NodeKind::kAttribute) ? callee.Child(Field::kAttribute) : callee;
    const bool is_own = std::ranges::any_of(
        bindings, [](const Binding* binding) { return binding->kind == BindingKind::kFunction; });
    if (!is_own) Add(Kind::kPassed, call, value, last.text());
    for (const Binding* binding : bindings) {
      if (binding->kind != BindingKind::kFunction) continue;
      for (size_t i = 0; i < arguments.size() && !arguments[i].is_splat; ++i) {
        if (arguments[i].value == value) FollowParameter(*binding, i, arguments[i].keyword);
      }
    }
  }

  /// `tqdm(result)`
  bool GivesItsItems(Node callee) const {
    return std::ranges::any_of(names_.Resolve(callee), [](const QualifiedName& name) {
      return !name.local && Words("functions-that-give-the-items-they-get").Has(name.name);
    });
  }

  void FollowWrapper(Node call) {
    State state = states_[state_];
    state.wrappers.push_back(call);
    PushIn(std::move(state), call);
  }

  void FollowRun(Node call) {
    State state = states_[state_];
    state.run = call;
    PushIn(std::move(state), call);
  }

  /// True if a call of the object runs a method that `through` names.
  bool RunsMethodOfThrough() const {
    return std::ranges::any_of(through_, [&](std::string_view form) {
      if (form.size() <= kRun.size() || !form.ends_with(kRun)) return false;
      return !owner_.DefinesMember(origin_, form.substr(0, form.size() - kRun.size()));
    });
  }

  /// `profile(on_trace_ready=handler)` calls the function of the file with what it gives.
  void FollowCallbacks(Node call) {
    if (!call.Is(NodeKind::kCall)) return;
    for (const Argument& argument : ArgumentsOf(call)) {
      const bool is_callback = argument.value.Is(NodeKind::kIdentifier) &&
                               Words("callbacks-that-get-the-result").Has(argument.keyword);
      if (!is_callback) continue;
      for (const Binding* binding : names_.BindingsOf(argument.value)) {
        if (binding->kind == BindingKind::kFunction) FollowParameter(*binding, 0, {});
      }
    }
  }

  void FollowParameter(const Binding& function, size_t position, std::string_view keyword) {
    const Node parameter = ParameterOf(function.statement, position, keyword);
    const auto found = parameter ? index_.binding_at.find(parameter.id()) : index_.binding_at.end();
    if (found != index_.binding_at.end()) FollowBinding(*found->second);
  }

  std::vector<Node> UsesOf(const Binding& binding) const {
    std::vector<Node> uses;
    const auto named = index_.identifiers.find(binding.name);
    if (named == index_.identifiers.end()) return uses;
    // What means it stands inside of its scope.
    const Node scope = names_.ScopeNode(binding.scope);
    const auto before = [](Node use, uint32_t id) { return use.id() < id; };
    const auto first =
        std::lower_bound(named->second.begin(), named->second.end(), scope.id(), before);
    const auto last = std::lower_bound(first, named->second.end(), scope.end_id(), before);
    for (auto place = first; place != last; ++place) {
      const Node identifier = *place;
      if (identifier == binding.node) continue;
      const NameTable::Meanings meant = names_.BindingsOf(identifier);
      if (std::find(meant.begin(), meant.end(), &binding) != meant.end()) {
        uses.push_back(identifier);
      }
    }
    return uses;
  }

  void FollowBinding(const Binding& binding) {
    if (!bindings_.insert(&binding).second) return;
    for (const Node use : UsesOf(binding)) Push(use);
    const Node holder = names_.ScopeNode(binding.scope);
    if (holder.Is(NodeKind::kClassDefinition)) FollowMember(binding.name, "self", holder);
  }

  /// `self.x = result`; of another object what is written the same way in the file.
  void FollowAttribute(Node target) {
    const std::string_view object = target.Child(Field::kObject).text();
    FollowMember(target.Child(Field::kAttribute).text(), object,
                 object == "self" ? owner_.classes_.EnclosingClass(target) : Node());
  }

  void FollowMember(std::string_view name, std::string_view object, Node holder) {
    const auto named = index_.attributes.find(name);
    if (named == index_.attributes.end()) return;
    for (const Node attribute : named->second) {
      const bool is_written =
          attribute.field() == Field::kLeft && attribute.parent().Is(NodeKind::kAssignment);
      if (is_written || attribute.Child(Field::kObject).text() != object) continue;
      if (holder && owner_.classes_.EnclosingClass(attribute) != holder) continue;
      Push(attribute);
    }
  }

  /// `self.f()` of a method that returns the result; `self.f` of a property.
  void FollowMethod(Node function) {
    const auto named = index_.attributes.find(function.Child(Field::kName).text());
    if (named == index_.attributes.end()) return;
    const Node holder = owner_.classes_.EnclosingClass(function);
    const bool is_property = IsProperty(function);
    for (const Node attribute : named->second) {
      const std::string_view object = attribute.Child(Field::kObject).text();
      const bool is_own =
          object == "self" || object == "cls" || object == holder.Child(Field::kName).text();
      if (!is_own || (object != holder.Child(Field::kName).text() &&
                      owner_.classes_.EnclosingClass(attribute) != holder)) {
        continue;
      }
      const Node call = attribute.parent();
      const bool is_called = call.Is(NodeKind::kCall) && attribute.field() == Field::kFunction;
      if (is_property != is_called) Push(is_property ? attribute : call);
    }
  }

  const ResultUses& owner_;
  const NameTable& names_;
  const Index& index_;
  const std::vector<std::string>& through_;
  Node origin_;
  std::deque<std::pair<Node, size_t>> open_;  // each with its state
  std::vector<State> states_ = {{}};
  size_t state_ = 0;  // the one that holds now
  std::unordered_set<uint32_t> seen_;
  std::unordered_set<const Binding*> bindings_;
  std::vector<ResultUse> uses_;
};

/// The class of this file that `callee` names, or a null node.
Node ResultUses::ClassNamed(Node callee) const {
  if (!callee.Is(NodeKind::kIdentifier)) return {};
  for (const Binding* binding : names_.BindingsOf(callee)) {
    if (binding->kind == BindingKind::kClass) return binding->statement;
  }
  return {};
}

std::set<std::string> ResultUses::NamesGivenBy(Node call) const {
  const std::string& path = names_.tree().source().path();
  const Node callee = call.Child(Field::kFunction);
  std::set<std::string> given;
  for (const QualifiedName& name : names_.Resolve(callee)) {
    if (!name.local) given.insert(name.name);
    if (project_ == nullptr) {
      if (!name.local) continue;
      for (const Node base : NamedChildren(ClassNamed(callee).Child(Field::kSuperclasses))) {
        for (const QualifiedName& known : names_.Resolve(base)) given.insert(known.name);
      }
      continue;
    }
    if (!name.local) {
      for (std::string& result : project_->ResultsOf(path, name.name)) {
        given.insert(std::move(result));
      }
    }
    for (std::string& base : project_->OutsideBasesOf(path, name.name)) {
      given.insert(std::move(base));
    }
  }
  return given;
}

/// True for a call of a class whose objects have the members of what they are made of, or of one of
/// the project that derives from such a class.
bool ResultUses::Wraps(Node call) const {
  const WordList& wrappers = Words("wrappers");
  const Node callee = call.Child(Field::kFunction);
  const auto is_one = [&](const std::string& name) { return wrappers.Has(name); };
  const auto bases = NamedChildren(ClassNamed(callee).Child(Field::kSuperclasses));
  const bool derives_here = std::ranges::any_of(bases, [&](Node base) {
    return std::ranges::any_of(names_.Resolve(base), [&](const QualifiedName& name) {
      return !name.local && is_one(name.name);
    });
  });
  return derives_here || std::ranges::any_of(names_.Resolve(callee), [&](const auto& name) {
           if (name.local) return false;
           if (is_one(name.name)) return true;
           if (project_ == nullptr) return false;
           const std::string& path = names_.tree().source().path();
           return std::ranges::any_of(project_->OutsideBasesOf(path, name.name), is_one);
         });
}

/// True for a member of an object of a class of the project, made by the call `made`, which defines
/// that itself.
bool ResultUses::DefinesMember(Node made, std::string_view member) const {
  made = made.Child(Field::kFunction);
  if (const Node own = ClassNamed(made)) return classes_.ClassDefines(own, member);
  if (project_ == nullptr) return false;
  return std::ranges::any_of(names_.Resolve(made), [&](const QualifiedName& name) {
    return project_->ClassDefines(names_.tree().source().path(), name.name, member);
  });
}

/// `def step(self, action): return self.env.step(action)`
Node ResultUses::MethodThatPassesOn(const ResultUse& use, Node made) const {
  const Node body = ClassNamed(made.Child(Field::kFunction)).Child(Field::kBody);
  for (Node method : NamedChildren(body)) {
    if (method.Is(NodeKind::kDecoratedDefinition)) method = method.Child(Field::kDefinition);
    if (!method.Is(NodeKind::kFunctionDefinition)) continue;
    if (method.Child(Field::kName).text() != use.member) continue;
    const bool passes_on = std::ranges::any_of(NodesIn(method), [&](Node node) {
      return node.Is(NodeKind::kAttribute) && node.field() == Field::kFunction &&
             node.Child(Field::kAttribute).text() == use.member;
    });
    return passes_on ? method : Node();
  }
  return {};
}

const ResultUses::Found& ResultUses::FoundOf(const std::string& function,
                                             const std::vector<std::string>& through) const {
  const auto [known, is_new] = known_.try_emplace({function, through});
  Found& found = known->second;
  if (!is_new) return found;
  Flow flow(*this, through);
  if (const auto calls = index().calls_of.find(function); calls != index().calls_of.end()) {
    for (const Node call : calls->second) flow.Start(call);
  }
  found.uses = flow.Uses();
  std::erase_if(found.uses, [&](ResultUse& use) {
    if (use.kind != Kind::kMember) return false;
    if (!use.run && DefinesMember(use.origin, use.member)) return true;
    for (const Node wrapper : use.wrappers) {
      if (!DefinesMember(wrapper, use.member)) continue;
      use.passed_on_by = MethodThatPassesOn(use, wrapper);
      if (!use.passed_on_by) return true;
    }
    return false;
  });
  for (size_t i = 0; i < found.uses.size(); ++i) {
    const ResultUse& use = found.uses[i];
    found.at.emplace(use.kind == Kind::kMember ? use.node.id() : use.origin.id(), i);
  }
  return found;
}

const std::vector<ResultUse>& ResultUses::Of(const std::string& function,
                                             const std::vector<std::string>& through) const {
  return FoundOf(function, through).uses;
}

std::vector<ResultUse> ResultUses::OfValue(Node value) const {
  const std::vector<std::string> through;
  Flow flow(*this, through);
  flow.Start(value);
  return flow.Uses();
}

std::vector<const ResultUse*> ResultUses::At(Node node, const std::string& function,
                                             const std::vector<std::string>& through) const {
  const Found& found = FoundOf(function, through);
  std::vector<const ResultUse*> uses;
  const auto [first, last] = found.at.equal_range(node.id());
  for (auto at = first; at != last; ++at) uses.push_back(&found.uses[at->second]);
  std::sort(uses.begin(), uses.end());  // in the order of the text
  return uses;
}

namespace {

bool IsNamedIn(Node part, const ResultUse& use) {
  const bool has_subject =
      use.value.Is(NodeKind::kIdentifier) || use.value.Is(NodeKind::kAttribute);
  if (use.kind == Kind::kMember) return part.text().find(use.member) != std::string_view::npos;
  if (!has_subject) return false;
  for (uint32_t id = part.id(); id < part.end_id(); ++id) {
    const Node node = part.tree().node(id);
    if (node.kind() == use.value.kind() && node.text() == use.value.text()) return true;
  }
  return false;
}

/// True if `clause` catches what a use raises: of a missing member, of None, of too few values.
bool Answers(Node clause, const ResultUse& use) {
  const std::string_view raised = use.kind == Kind::kMember ? "AttributeError" : "TypeError";
  bool names_any = false;
  for (Node part = clause.first_named_child(); part && !part.Is(NodeKind::kBlock);
       part = part.next_named_sibling()) {
    names_any = true;
    const std::string_view text = part.text();
    const bool is_number =
        use.kind == Kind::kUnpacked && text.find("ValueError") != std::string_view::npos;
    if (is_number || text.find(raised) != std::string_view::npos || text.starts_with("Exception") ||
        text.find("BaseException") != std::string_view::npos) {
      return true;
    }
  }
  return !names_any;
}

/// The condition that decides whether `node`, a child of `parent`, is run; or a null node.
Node ConditionOver(Node parent, Node node) {
  Node condition;
  switch (parent.kind()) {
    case NodeKind::kIfStatement:
    case NodeKind::kElifClause:
    case NodeKind::kWhileStatement:
      condition = parent.Child(Field::kCondition);
      break;
    case NodeKind::kConditionalExpression:
      condition = parent.first_named_child().next_named_sibling();
      break;
    case NodeKind::kBooleanOperator:
      condition = parent.Child(Field::kLeft);
      break;
    default:
      break;
  }
  return condition == node ? Node() : condition;
}

}  // namespace

const std::vector<Node>& ResultUses::LeavingStatements(Node block) const {
  const auto [known, is_new] = leaving_.try_emplace(block.id());
  if (!is_new) return known->second;
  for (Node statement = block.first_named_child(); statement;
       statement = statement.next_named_sibling()) {
    if (statement.Is(NodeKind::kIfStatement) && EndsFlow(statement.Child(Field::kConsequence))) {
      known->second.push_back(statement);
    }
  }
  return known->second;
}

/// True if an earlier statement of the same block asks about the value and leaves.
bool ResultUses::IsLeftBefore(Node statement, const ResultUse& use) const {
  const Node block = statement.parent();
  if (!block.Is(NodeKind::kBlock) && !block.Is(NodeKind::kModule)) return false;
  for (const Node earlier : LeavingStatements(block)) {
    if (earlier.id() >= statement.id()) return false;
    if (IsNamedIn(earlier.Child(Field::kCondition), use)) return true;
  }
  return false;
}

namespace {

/// The `except` around `node` that answers what goes wrong with the use; or a null node.
Node HandlerAround(Node node, const ResultUse& use) {
  const Node parent = node.parent();
  if (!parent.Is(NodeKind::kTryStatement) || node.field() != Field::kBody) return {};
  for (const Node part : NamedChildren(parent)) {
    const bool is_handler =
        part.Is(NodeKind::kExceptClause) && !FailsInHandler(part) && !OnlyTells(part);
    if (is_handler && Answers(part, use)) return part;
  }
  return {};
}

}  // namespace

bool ResultUses::IsAskedAt(Node node, const ResultUse& use) const {
  const Node condition = ConditionOver(node.parent(), node);
  return (condition && IsNamedIn(condition, use)) || IsLeftBefore(node, use);
}

bool ResultUses::IsGuarded(const ResultUse& use) const {
  for (Node node = use.node; node.parent(); node = node.parent()) {
    if (IsAskedAt(node, use) || HandlerAround(node, use)) return true;
    if (node.Is(NodeKind::kFunctionDefinition)) return false;
  }
  return false;
}

Node ResultUses::HandlerOf(const ResultUse& use) const {
  for (Node node = use.node; node.parent(); node = node.parent()) {
    if (IsAskedAt(node, use)) return {};
    if (const Node handler = HandlerAround(node, use)) return handler;
    if (node.Is(NodeKind::kFunctionDefinition)) return {};
  }
  return {};
}

}  // namespace transplt
