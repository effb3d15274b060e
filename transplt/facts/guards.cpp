// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/guards.h"

#include <algorithm>
#include <unordered_map>

#include "transplt/base/one_of.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/statement.h"

namespace transplt {
namespace {

/// What the answer to a guard is where an expression that it is part of is true, or false.
enum class Answer {
  kUnknown,
  kYes,
  kNo,
  kReached,  ///< a yes is enough to get there, but there are other ways: `cuda or forced`
};

struct GuardMeaning {
  Answer if_true = Answer::kYes;
  Answer if_false = Answer::kNo;
  bool says_nothing() const { return if_true == Answer::kUnknown && if_false == Answer::kUnknown; }
  void Negate() { std::swap(if_true, if_false); }
};

constexpr int kMostGuardSteps = 12;  // through variables and functions
constexpr int kMostOperators = 64;   // around one condition
constexpr int kMostClauses = 64;     // of a chain, before one of them
constexpr size_t kMostUses = 500;    // of a name: more say nothing about one value
constexpr size_t kMostReturns = 50;  // of a function that asks for others

bool IsNamedOneOf(Node expression, const std::vector<std::string>& wanted, const NameTable& names) {
  const Node last =
      expression.Is(NodeKind::kAttribute) ? expression.Child(Field::kAttribute) : expression;
  const bool may_be = expression.Is(NodeKind::kIdentifier) ||
                      std::any_of(wanted.begin(), wanted.end(), [&](const std::string& name) {
                        return LastPart(name) == last.text();
                      });
  return may_be && std::any_of(wanted.begin(), wanted.end(), [&](const std::string& name) {
           return names.IsNamed(expression, name);
         });
}

bool IsFalsy(Node value) {
  return value.Is(NodeKind::kFalse) || value.Is(NodeKind::kNone) ||
         (value.Is(NodeKind::kInteger) && value.text() == "0");
}

Node LastStatement(Node block) {
  Node last;
  for (Node child = block.first_named_child(); child; child = child.next_named_sibling()) {
    last = child;
  }
  return last;
}

Node EnclosingClass(Node node) {
  while (node && !node.Is(NodeKind::kClassDefinition)) node = node.parent();
  return node;
}

class GuardCollector {
 public:
  GuardCollector(const NameTable& names, const GuardSignatures& signatures,
                 const ProjectIndex* project)
      : names_(names), tree_(names.tree()), signatures_(signatures), project_(project) {}

  std::vector<Guard> Run() {
    for (uint32_t id = 0; id < tree_.size(); ++id) {
      const Node node = tree_.node(id);
      switch (node.kind()) {
        case NodeKind::kIdentifier:
          CheckName(node);
          break;
        case NodeKind::kAttribute:
          CheckName(node);
          break;
        case NodeKind::kComparisonOperator:
          CheckComparison(node);
          break;
        case NodeKind::kCall:
          CheckStart(node);
          break;
        default:
          break;
      }
    }
    return std::move(guards_);
  }

 private:
  /// The function that holds `node`; a null node in a lambda and at the top of the file.
  Node EnclosingFunction(Node node) {
    // The way up is remembered: a chain of thousands of comparisons has one.
    std::vector<uint32_t> way;
    auto known = functions_.end();
    while (node && !node.Is(NodeKind::kFunctionDefinition) && !node.Is(NodeKind::kLambda) &&
           known == functions_.end()) {
      way.push_back(node.id());
      node = node.parent();
      if (node) known = functions_.find(node.id());
    }
    Node function = node.Is(NodeKind::kFunctionDefinition) ? node : Node();
    if (known != functions_.end()) function = known->second;
    for (const uint32_t id : way) functions_.emplace(id, function);
    return function;
  }

  /// A return statement that gives a condition, and what the condition means there.
  struct Returned {
    Node statement;
    GuardMeaning meaning;
  };

  // What asks.

  void CheckName(Node node) {
    const Node parent = node.parent();
    const bool is_part = parent.Is(NodeKind::kAttribute);
    if (node.Is(NodeKind::kIdentifier) && (is_part || !IsRead(node))) return;
    const bool called = parent.Is(NodeKind::kCall) && node.field() == Field::kFunction;
    if (node.Is(NodeKind::kAttribute) && !called && IsRead(node)) {
      const std::string_view last = node.Child(Field::kAttribute).text();
      const auto& attributes = signatures_.attributes;
      if (std::find(attributes.begin(), attributes.end(), last) != attributes.end()) {
        return Start(node, Guard::Asks::kValue, {});
      }
    }
    if (node.Is(NodeKind::kIdentifier) && !called) return;
    if (called && (IsNamedOneOf(node, signatures_.availability, names_) || GivesAnswer(node))) {
      return Start(parent, Guard::Asks::kMachine, {});
    }
    if (IsNamedOneOf(node, signatures_.which_gpu, names_)) {
      Start(called ? parent : node, Guard::Asks::kWhichGpu, {});
    }
  }

  /// True for a function of another file that returns whether the machine has the device.
  bool GivesAnswer(Node function) const {
    if (project_ == nullptr) return false;
    const std::string& path = tree_.source().path();
    return std::ranges::any_of(names_.Resolve(function), [&](const QualifiedName& name) {
      if (name.local) return false;
      const std::vector<std::string> results = project_->ResultsOf(path, name.name);
      return !results.empty() && std::ranges::all_of(results, [&](const std::string& result) {
        return IsOneOf(result, signatures_.availability);
      });
    });
  }

  static bool IsRead(Node node) {
    switch (node.field()) {
      case Field::kLeft:
        return node.parent().Is(NodeKind::kBooleanOperator) ||
               node.parent().Is(NodeKind::kBinaryOperator);
      case Field::kName:
      case Field::kAlias:
      case Field::kModuleName:
        return false;
      default:
        return true;
    }
  }

  /// `device.type == "cuda"`, `backend != "nccl"`, `"cuda" in str(device)`, `type in ("cuda",)`.
  void CheckComparison(Node comparison) {
    const Node left = comparison.first_named_child();
    const Node right = left ? left.next_named_sibling() : Node();
    if (!right || right.next_named_sibling()) return;
    Guard::Asks asks = Guard::Asks::kValue;
    if (!IsDeviceText(left, &asks) && !IsDeviceText(right, &asks)) return;
    if (IsDeviceText(left, &asks) && IsDeviceText(right, &asks)) return;
    GuardMeaning meaning;
    if (IsNegative(comparison)) meaning.Negate();
    Start(comparison, asks, meaning);
  }

  /// `device.startswith("cuda")`.
  void CheckStart(Node call) {
    const Node callee = call.Child(Field::kFunction);
    if (!callee.Is(NodeKind::kAttribute) ||
        callee.Child(Field::kAttribute).text() != "startswith") {
      return;
    }
    Guard::Asks asks = Guard::Asks::kValue;
    const Node argument = call.Child(Field::kArguments).first_named_child();
    if (argument && IsDeviceText(argument, &asks)) Start(call, asks, {});
  }

  /// A string that names the device or the host, or a collection of such strings and no others.
  bool IsDeviceText(Node node, Guard::Asks* asks) const {
    if (node.Is(NodeKind::kString)) {
      const Node content = PlainStringContent(node);
      if (!content) return false;
      const std::string_view device = content.text().substr(0, content.text().find(':'));
      if (!device.empty() && device == signatures_.host) {
        *asks = Guard::Asks::kHost;
        return true;
      }
      const auto& values = signatures_.values;
      return std::find(values.begin(), values.end(), device) != values.end();
    }
    if (!node.Is(NodeKind::kTuple) && !node.Is(NodeKind::kList) && !node.Is(NodeKind::kSet)) {
      return false;
    }
    bool any = false;
    for (Node item = node.first_named_child(); item; item = item.next_named_sibling()) {
      Guard::Asks of_item = Guard::Asks::kValue;
      if (!IsDeviceText(item, &of_item) || of_item == Guard::Asks::kHost) return false;
      any = true;
    }
    return any;
  }

  static bool IsNegative(Node comparison) {
    for (Node child = comparison.first_child(); child; child = child.next_sibling()) {
      if (child.IsToken("!=") || child.IsToken("not in") || child.IsToken("is not")) return true;
    }
    return false;
  }

  // What the answer decides about.

  void Start(Node condition, Guard::Asks asks, GuardMeaning meaning) {
    Guard guard;
    guard.asks = asks;
    guard.condition = condition;
    guard.decides = condition;
    guards_.push_back(std::move(guard));
    returned_.clear();
    steps_ = 0;
    Follow(condition, meaning, true);
    FollowReturns();
  }

  Guard& guard() { return guards_.back(); }

  void Add(TextRange range, Answer answer) {
    if (range.empty() || answer == Answer::kUnknown) return;
    (answer == Answer::kYes  ? guard().with
     : answer == Answer::kNo ? guard().without
                             : guard().reached)
        .push_back(range);
  }

  /// Adds what runs after the program has raised an error for the other answer.
  void Demand(TextRange range, Answer answer) {
    Add(range, answer);
    if (!range.empty() && answer == Answer::kYes) guard().demanded.push_back(range);
  }

  /// Follows the value of `node` outwards; `is_first` at the condition itself.
  void Follow(Node node, GuardMeaning meaning, bool is_first) {
    int operators = 0;
    for (Node parent = node.parent(); parent; node = parent, parent = parent.parent()) {
      if (meaning.says_nothing() || ++operators > kMostOperators) return;
      if (is_first) guard().decides = node;
      switch (parent.kind()) {
        case NodeKind::kParenthesizedExpression:
          break;
        case NodeKind::kNotOperator:
          meaning.Negate();
          break;
        case NodeKind::kSubscript:
          // `get_device_capability()[0] >= 8`
          if (guard().asks != Guard::Asks::kWhichGpu || node.field() != Field::kValue) return;
          break;
        case NodeKind::kComparisonOperator:
          if (!Compare(parent, node, meaning)) return;
          break;
        case NodeKind::kBooleanOperator:
          Combine(parent, node, meaning);
          break;
        case NodeKind::kGeneratorExpression:
        case NodeKind::kListComprehension:
          if (!(node == parent.first_named_child())) return;
          break;
        case NodeKind::kArgumentList:
        case NodeKind::kKeywordArgument:
          if (!PassThroughCall(parent, meaning)) return;
          if (parent.Is(NodeKind::kKeywordArgument)) parent = parent.parent();
          parent = parent.parent();  // the call
          break;
        default:
          return Arrive(parent, node, meaning);
      }
    }
  }

  /// `torch.cuda.device_count() > 0`, `torch.version.hip is not None`, `is_available() is True`.
  bool Compare(Node comparison, Node node, GuardMeaning& meaning) {
    const Node left = comparison.first_named_child();
    const Node right = left.next_named_sibling();
    if (!(left == node) || !right || right.next_named_sibling()) return false;
    std::string_view sign;
    for (Node child = comparison.first_child(); child; child = child.next_sibling()) {
      if (child.Is(NodeKind::kToken)) sign = child.text();
    }
    const bool equal = sign == "==" || sign == "is" || sign == "<" || sign == "<=";
    if (IsFalsy(right)) {
      if (equal) meaning.Negate();
    } else if (right.Is(NodeKind::kTrue)) {
      if (sign == "!=" || sign == "is not") meaning.Negate();
    } else if (guard().asks == Guard::Asks::kValue) {
      return false;  // `x.is_cuda == y.is_cuda` tells of no device
    } else if (equal) {
      // `device_count() < 2`: more of them is a yes, fewer says nothing.
      meaning = {Answer::kUnknown, meaning.if_true};
      if (sign == "==" || sign == "is") meaning = {meaning.if_false, Answer::kUnknown};
    } else {
      meaning.if_false = Answer::kUnknown;
    }
    return true;
  }

  void Combine(Node operation, Node node, GuardMeaning& meaning) {
    const Node left = operation.Child(Field::kLeft);
    const Node right = operation.Child(Field::kRight);
    bool is_and = false;
    for (Node child = operation.first_child(); child; child = child.next_sibling()) {
      is_and = is_and || child.IsToken("and");
    }
    if (node == left && right) Add(right.range(), is_and ? meaning.if_true : meaning.if_false);
    Answer& open = is_and ? meaning.if_false : meaning.if_true;
    open = open == Answer::kYes || open == Answer::kReached ? Answer::kReached : Answer::kUnknown;
  }

  /// True if the call gives the condition on: `bool(x)`, `all(...)`.
  bool PassThroughCall(Node holder, GuardMeaning& meaning) {
    const Node list = holder.Is(NodeKind::kArgumentList) ? holder : holder.parent();
    const Node call = list.parent();
    if (!call.Is(NodeKind::kCall)) return false;
    const Node callee = call.Child(Field::kFunction);
    if (callee.text() == "bool") return true;
    if (callee.text() == "all") {
      meaning.if_false = Answer::kUnknown;
      return true;
    }
    if (callee.text() == "any") {
      meaning.if_false = Answer::kNo;
      return true;
    }
    const bool skips = IsNamedOneOf(callee, signatures_.skip_if, names_);
    if (skips || IsNamedOneOf(callee, signatures_.skip_unless, names_)) {
      guard().skips_test = true;
      Decorate(call, skips ? meaning.if_false : meaning.if_true);
    } else {
      guard().decides_value = true;
    }
    return false;
  }

  /// A decorator, or the variable that holds one, decides about what it decorates.
  void Decorate(Node call, Answer answer) {
    const Node parent = call.parent();
    if (parent.Is(NodeKind::kDecorator)) {
      const Node decorated = parent.parent();
      Add(decorated.Child(Field::kDefinition).range(), answer);
    } else if (parent.Is(NodeKind::kAssignment) && ++steps_ <= kMostGuardSteps) {
      const Node left = parent.Child(Field::kLeft);
      if (left.text() == "pytestmark") return Add(tree_.root().range(), answer);
      for (Node use : UsesOf(left, call)) Decorate(use, answer);
    } else if (parent.Is(NodeKind::kCall) && call.field() == Field::kFunction) {
      // `return unittest.skipUnless(...)(test)`: a decorator of the project.
      const Node function = EnclosingFunction(call);
      if (!function || ++steps_ > kMostGuardSteps) return;
      for (Node use : NodesWithText(function.Child(Field::kName).text())) {
        if (use.parent().Is(NodeKind::kDecorator)) Decorate(use, answer);
      }
    }
  }

  /// The place where the value of a condition ends up.
  void Arrive(Node parent, Node node, GuardMeaning meaning) {
    switch (parent.kind()) {
      case NodeKind::kIfStatement:
        if (node.field() == Field::kCondition) DecideIf(parent, meaning);
        return;
      case NodeKind::kElifClause:
        if (node.field() == Field::kCondition) DecideElif(parent, meaning);
        return;
      case NodeKind::kWhileStatement:
        if (node.field() == Field::kCondition)
          Add(parent.Child(Field::kBody).range(), meaning.if_true);
        return;
      case NodeKind::kConditionalExpression:
        return DecideExpression(parent, node, meaning);
      case NodeKind::kAssertStatement:
        if (node == parent.first_named_child()) Demand(RestOfBlock(parent), meaning.if_true);
        return;
      case NodeKind::kAssignment:
        guard().decides_value = true;
        if (node.field() == Field::kRight) FollowVariable(parent, node, meaning);
        return;
      case NodeKind::kReturnStatement:
        guard().decides_value = true;
        returned_.push_back({parent, meaning});
        return;
      default:
        guard().decides_value = true;
        return;
    }
  }

  /// Notes where the program goes on without the device, after a choice between two parts.
  void Choose(TextRange if_true, TextRange if_false, GuardMeaning meaning) {
    if (!guard().otherwise.empty()) return;
    const auto leads = [](Answer answer) {
      return answer == Answer::kYes || answer == Answer::kReached;
    };
    if (leads(meaning.if_true)) {
      guard().otherwise = if_false;
    } else if (leads(meaning.if_false)) {
      guard().otherwise = if_true;
    }
  }

  void DecideIf(Node statement, GuardMeaning meaning) {
    const Node body = statement.Child(Field::kConsequence);
    const Node next = statement.Child(Field::kAlternative);
    const Node other = next.Is(NodeKind::kElseClause) ? next.Child(Field::kBody) : Node();
    AddOrDemand(body.range(), meaning.if_true, other);
    Choose(body.range(),
           next           ? next.range()
           : Leaves(body) ? RestOfBlock(statement)
                          : TextRange{},
           meaning);
    if (next) Add({next.range().start, statement.range().end}, meaning.if_false);
    if (Leaves(body)) AddOrDemand(RestOfBlock(statement), meaning.if_false, body);
    if (other && Leaves(other)) AddOrDemand(RestOfBlock(statement), meaning.if_true, other);
    if (meaning.if_true == Answer::kNo) FollowCleared(statement);
  }

  /// `if not cuda: fast = False`: what `if fast:` holds runs only if the answer is yes, unless
  /// something else in the condition has kept the program from there.
  void FollowCleared(Node statement) {
    const Node condition = statement.Child(Field::kCondition);
    const auto clear = [&](Node name) {
      const bool is_sure = !Joins(condition) || Names(condition, name.text());
      const GuardMeaning meaning = {is_sure ? Answer::kYes : Answer::kReached, Answer::kUnknown};
      for (const Node use : UsesBehind(statement, name)) FollowUse(use, meaning);
    };
    for (const Node inner : NamedChildren(statement.Child(Field::kConsequence))) {
      const Node assignment = inner.first_named_child();
      if (!assignment.Is(NodeKind::kAssignment) || ++steps_ > kMostGuardSteps) continue;
      const Node left = assignment.Child(Field::kLeft);
      const Node right = assignment.Child(Field::kRight);
      if (left.Is(NodeKind::kIdentifier)) {
        if (IsFalsy(right)) clear(left);
      } else if (left.Is(NodeKind::kPatternList) && right) {
        Node value = right.first_named_child();
        for (Node name = left.first_named_child(); name && value;
             name = name.next_named_sibling(), value = value.next_named_sibling()) {
          if (name.Is(NodeKind::kIdentifier) && IsFalsy(value)) clear(name);
        }
      }
    }
  }

  /// True if the guard's question is only a part of the condition.
  static bool Joins(Node condition) {
    return std::ranges::any_of(NodesIn(condition),
                               [](Node node) { return node.Is(NodeKind::kBooleanOperator); });
  }

  static bool Names(Node condition, std::string_view name) {
    return std::ranges::any_of(NodesIn(condition), [&](Node node) {
      return node.Is(NodeKind::kIdentifier) && node.text() == name;
    });
  }

  /// The places behind the statement that read the name, which nothing behind it binds anew.
  std::vector<Node> UsesBehind(Node statement, Node name) {
    std::vector<Node> uses;
    for (const Node use : NodesWithText(name.text())) {
      if (use.id() < statement.end_id() || !use.Is(NodeKind::kIdentifier) || !IsRead(use)) continue;
      const NameTable::Meanings bindings = names_.BindingsOf(use);
      const bool is_cleared = std::ranges::any_of(
          bindings, [&](const Binding* binding) { return binding->node == name; });
      const bool is_bound_anew = std::ranges::any_of(bindings, [&](const Binding* binding) {
        return binding->node.id() >= statement.end_id();
      });
      if (is_cleared && !is_bound_anew) uses.push_back(use);
    }
    return uses;
  }

  /// `otherwise`: the block that runs in place of `range`; may be null.
  void AddOrDemand(TextRange range, Answer answer, Node otherwise) {
    const bool raises = otherwise && LastStatement(otherwise).Is(NodeKind::kRaiseStatement);
    raises ? Demand(range, answer) : Add(range, answer);
  }

  void DecideElif(Node clause, GuardMeaning meaning) {
    const Node body = clause.Child(Field::kConsequence);
    Add(body.range(), meaning.if_true);
    const Node following = clause.next_named_sibling();
    Choose(body.range(), following ? following.range() : TextRange{}, meaning);
    const Node statement = clause.parent();
    if (following) Add({following.range().start, statement.range().end}, meaning.if_false);
    // What follows the whole chain knows the answer if every branch before has left.
    bool all_leave = Leaves(statement.Child(Field::kConsequence)) && Leaves(body);
    int clauses = 0;
    for (Node other = statement.first_named_child(); all_leave && !(other == clause);
         other = other.next_named_sibling()) {
      if (!other.Is(NodeKind::kElifClause)) continue;
      all_leave = ++clauses < kMostClauses && Leaves(other.Child(Field::kConsequence));
    }
    if (all_leave) Add(RestOfBlock(statement), meaning.if_false);
  }

  void DecideExpression(Node conditional, Node node, GuardMeaning meaning) {
    const Node yes = conditional.first_named_child();
    const Node condition = yes.next_named_sibling();
    const Node no = condition ? condition.next_named_sibling() : Node();
    if (!(node == condition)) {
      guard().decides_value = true;
      return;
    }
    Add(yes.range(), meaning.if_true);
    if (!no) return;
    Add(no.range(), meaning.if_false);
    Choose(yes.range(), no.range(), meaning);
  }

  /// True if what follows the block is not reached through it.
  bool Leaves(Node block) const {
    if (EndsFlow(block)) return true;
    const Node call = LastStatement(block).first_named_child();
    const Node callee = call.Is(NodeKind::kCall) ? call.Child(Field::kFunction) : Node();
    return callee && IsNamedOneOf(callee, signatures_.leaves, names_);
  }

  static TextRange RestOfBlock(Node statement) {
    const Node next = statement.next_named_sibling();
    return next ? TextRange{next.range().start, statement.parent().range().end} : TextRange{};
  }

  // Variables and functions that hold the condition.

  void FollowVariable(Node assignment, Node value, GuardMeaning meaning) {
    if (++steps_ > kMostGuardSteps) return;
    const Node left = assignment.Child(Field::kLeft);
    if (left.Is(NodeKind::kIdentifier)) {
      for (Node use : UsesOf(left, value)) FollowUse(use, meaning);
    } else if (left.Is(NodeKind::kAttribute) && left.Child(Field::kObject).text() == "self") {
      const Node owner = EnclosingClass(assignment);
      if (!owner || !IsOnlyAssignment(owner, left, assignment)) return;
      for (Node name : NodesWithText(left.Child(Field::kAttribute).text())) {
        const Node use = name.parent();
        if (owner.IsAncestorOf(use) && !(use == left) && use.text() == left.text()) {
          FollowUse(use, meaning);
        }
      }
    }
  }

  void FollowUse(Node use, GuardMeaning meaning) {
    if (IsRead(use)) Follow(use, meaning, false);
  }

  /// No other assignment to the member in its class gives anything but a false value.
  bool IsOnlyAssignment(Node owner, Node member, Node assignment) {
    const std::vector<Node>& nodes = NodesWithText(member.Child(Field::kAttribute).text());
    return std::none_of(nodes.begin(), nodes.end(), [&](Node node) {
      const Node target = node.parent();
      const Node other = target.parent();
      return owner.IsAncestorOf(target) && target.field() == Field::kLeft &&
             other.Is(NodeKind::kAssignment) && !(other == assignment) &&
             !IsFalsy(other.Child(Field::kRight));
    });
  }

  /// The places that read what the assignment of `value` has bound, if nothing else but a false
  /// value can stand there.
  std::vector<Node> UsesOf(Node name, Node value) {
    std::vector<Node> uses;
    for (Node use : NodesWithText(name.text())) {
      if (use == name || !IsRead(use) || !use.Is(NodeKind::kIdentifier)) continue;
      const NameTable::Meanings bindings = names_.BindingsOf(use);
      bool is_bound = false;
      bool is_sure = true;
      for (const Binding* binding : bindings) {
        if (binding->kind == BindingKind::kAssignment && binding->node == name) {
          is_bound = true;
        } else if (binding->kind != BindingKind::kAssignment || !IsFalsy(binding->value)) {
          is_sure = false;
        }
      }
      if (is_bound && is_sure && !value.IsAncestorOf(use)) uses.push_back(use);
    }
    return uses;
  }

  const std::vector<Node>& NodesWithText(std::string_view text) {
    static const std::vector<Node> kNone;
    if (by_text_.empty()) {
      for (uint32_t id = 0; id < tree_.size(); ++id) {
        const Node node = tree_.node(id);
        if (node.Is(NodeKind::kIdentifier)) by_text_[node.text()].push_back(node);
      }
    }
    const auto found = by_text_.find(text);
    return found == by_text_.end() || found->second.size() > kMostUses ? kNone : found->second;
  }

  /// A function whose result is true only if the guard's answer is yes asks for its callers.
  void FollowReturns() {
    std::vector<Node> functions = {EnclosingFunction(guard().condition)};
    for (size_t i = 0; i < functions.size() && steps_ < kMostGuardSteps; ++i) {
      if (!functions[i]) continue;
      const GuardMeaning meaning = MeaningOf(functions[i]);
      if (meaning.says_nothing()) continue;
      ++steps_;
      guard().functions.push_back(functions[i]);
      for (Node use : CallsOf(functions[i])) {
        const size_t known = returned_.size();
        const size_t own = guard().with.size();
        Follow(use, meaning, false);
        const auto first = guard().with.begin() + static_cast<std::ptrdiff_t>(own);
        if (known == returned_.size()) {
          guard().by_call.emplace_back(first, guard().with.end());
        }
        guard().with.erase(first, guard().with.end());
        for (size_t k = known; k < returned_.size(); ++k) {
          functions.push_back(EnclosingFunction(returned_[k].statement));
        }
      }
    }
  }

  bool IsProtected(TextRange range) {
    const auto& calls = guard().by_call;
    return IsIn(guard().with, range) ||
           std::any_of(calls.begin(), calls.end(),
                       [&](const std::vector<TextRange>& parts) { return IsIn(parts, range); });
  }

  /// What the result of the function says about the guard.
  GuardMeaning MeaningOf(Node function) {
    constexpr GuardMeaning kNothing = {Answer::kUnknown, Answer::kUnknown};
    const std::vector<Node>& returns = ReturnsOf(function);
    if (returns.size() > kMostReturns) return kNothing;
    bool may_be_true = false;
    for (Node statement : returns) {
      const Node value = statement.first_named_child();
      if (!value || IsFalsy(value)) continue;
      may_be_true = true;
      const auto returned =
          std::find_if(returned_.begin(), returned_.end(),
                       [&](const Returned& other) { return other.statement == statement; });
      if (returned != returned_.end() && returns.size() == 1) return returned->meaning;
      const bool follows = returned != returned_.end() && returned->meaning.if_true == Answer::kYes;
      if (!follows && !IsProtected(statement.range())) return kNothing;
    }
    return may_be_true ? GuardMeaning{Answer::kYes, Answer::kUnknown} : kNothing;
  }

  const std::vector<Node>& ReturnsOf(Node function) {
    if (!returns_are_known_) {
      for (uint32_t id = 0; id < tree_.size(); ++id) {
        const Node node = tree_.node(id);
        if (node.Is(NodeKind::kReturnStatement))
          returns_[EnclosingFunction(node).id()].push_back(node);
      }
      returns_are_known_ = true;
    }
    return returns_[function.id()];
  }

  std::vector<Node> CallsOf(Node function) {
    std::vector<Node> calls;
    const Node name = function.Child(Field::kName);
    const Node owner = OwnerOf(function);
    const bool is_property = IsProperty(function);
    for (Node use : NodesWithText(name.text())) {
      if (use == name) continue;
      Node whole = use;
      if (use.field() == Field::kAttribute) {
        whole = use.parent();
        const std::string_view object = whole.Child(Field::kObject).text();
        const bool is_own = owner && (object == "self" || object == "cls" ||
                                      object == owner.Child(Field::kName).text());
        if (!is_own) continue;
        if (is_property) {
          calls.push_back(whole);
          continue;
        }
      } else if (owner || !IsBoundTo(use, function)) {
        continue;
      }
      const Node call = whole.parent();
      if (call.Is(NodeKind::kCall) && whole.field() == Field::kFunction) calls.push_back(call);
    }
    return calls;
  }

  static Node OwnerOf(Node function) {
    Node holder = function.parent();
    if (holder.Is(NodeKind::kDecoratedDefinition)) holder = holder.parent();
    return holder.Is(NodeKind::kBlock) && holder.parent().Is(NodeKind::kClassDefinition)
               ? holder.parent()
               : Node();
  }

  bool IsBoundTo(Node use, Node function) const {
    const NameTable::Meanings bindings = names_.BindingsOf(use);
    return std::any_of(bindings.begin(), bindings.end(), [&](const Binding* binding) {
      return binding->kind == BindingKind::kFunction &&
             binding->node == function.Child(Field::kName);
    });
  }

  const NameTable& names_;
  const SyntaxTree& tree_;
  const GuardSignatures& signatures_;
  const ProjectIndex* project_;
  std::vector<Guard> guards_;
  std::vector<Returned> returned_;  // of the guard that is followed
  int steps_ = 0;
  bool returns_are_known_ = false;
  std::unordered_map<uint32_t, Node> functions_;             // by the nodes that they hold
  std::unordered_map<uint32_t, std::vector<Node>> returns_;  // by the id of the function
  std::unordered_map<std::string_view, std::vector<Node>> by_text_;
};

}  // namespace

bool Guard::Demands(TextRange part) const {
  return std::find(demanded.begin(), demanded.end(), part) != demanded.end();
}

bool IsIn(const std::vector<TextRange>& parts, TextRange range) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](TextRange part) { return part.Contains(range); });
}

std::vector<Guard> GuardsOf(const NameTable& names, const GuardSignatures& signatures,
                            const ProjectIndex* project) {
  return GuardCollector(names, signatures, project).Run();
}

}  // namespace transplt
