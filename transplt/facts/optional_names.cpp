// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/optional_names.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>

#include "transplt/base/text_parts.h"
#include "transplt/facts/imported_library.h"
#include "transplt/facts/name_use.h"
#include "transplt/facts/tensor_types.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/places_of_file.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

class OptionalNames {
 public:
  OptionalNames(Node choice, Node statement, const NameTable& names)
      : choice_(choice),
        statement_(statement),
        names_(names),
        package_(ImportedPackage(statement)) {
    if (choice.Is(NodeKind::kIfStatement)) AddTests(choice.Child(Field::kCondition));
    for (const Binding& binding : names.bindings()) {
      bound_.insert(binding.node.id());
      const bool is_brought = binding.statement == statement;
      if (IsInChoice(binding.node) || (is_brought && !choice)) tests_.insert(binding.name);
      if (is_brought) brought_.emplace(binding.name);
    }
    for (const Binding& binding : names.bindings()) {
      if (TakesPart(binding)) taken_.insert(binding.node.id());
      const bool is_local = binding.scope != 0 && binding.kind == BindingKind::kAssignment;
      const Node assignment = is_local ? binding.value.parent() : Node();
      if (assignment.Is(NodeKind::kAssignment)) assigned_.push_back(assignment);
    }
    for (const Node self : names.places().NodesSaying("self")) {
      const Node left = self.parent();
      const bool is_of_self = left.Is(NodeKind::kAttribute) && self.field() == Field::kObject;
      if (is_of_self && left.field() == Field::kLeft && left.parent().Is(NodeKind::kAssignment)) {
        assigned_.push_back(left.parent());
      }
    }
    while (AddNamesOfTests()) {
    }
  }

  /// True for what the import binds, and for `X = x.y` beside it.
  bool IsBrought(const Binding& binding) const {
    const bool is_import = binding.kind == BindingKind::kImport || !choice_;
    return is_import ? binding.statement == statement_ : taken_.contains(binding.node.id());
  }

  /// Adds the first use in each function of the name that `binding` would have bound.
  void AddUses(const Binding& binding, std::vector<UseWithoutImport>& uses) const {
    std::set<uint32_t> scopes;
    for (const Node use : names_.places().NodesSaying(binding.name)) {
      if (!IsUse(use) || IsTested(use, kMostCalls)) continue;
      if (scopes.insert(names_.ScopeOf(use)).second) uses.push_back({use, IsRefused(use)});
    }
  }

  /// Adds the tests that end what the program does where the import has failed: `assert HAS_X`,
  /// `if not HAS_X: raise`.
  void AddRefusals(std::vector<UseWithoutImport>& uses) const {
    for (const std::string_view test : tests_) {
      for (const Node name : names_.places().NodesSaying(test)) {
        const Node refusal = IsTestOfModule(name) ? RefusalAt(name) : Node();
        if (refusal && !IsInChoice(refusal) && !IsTested(refusal, kMostCalls)) {
          uses.push_back({name, true});
        }
      }
    }
  }

  /// Adds what runs in place of the branches for which the import is needed.
  void AddReplacements(std::vector<CodeWithoutImport>& found) const {
    for (const std::string_view test : tests_) {
      for (const Node name : names_.places().NodesSaying(test)) {
        Node clause = name.parent();
        while (clause && (clause.Is(NodeKind::kBooleanOperator) ||
                          clause.Is(NodeKind::kParenthesizedExpression))) {
          clause = clause.parent();
        }
        const bool asks = clause.Is(NodeKind::kIfStatement) || clause.Is(NodeKind::kElifClause);
        if (!asks || !(FirstTestIn(clause.Child(Field::kCondition)) == name)) continue;
        const Node body = clause.Child(Field::kConsequence);
        const Node place = InPlaceOf(body, clause);
        if (!place || RaisesFrom(place)) continue;
        CodeWithoutImport code{place, UnreadBeside(body, clause)};
        if (!code.unread.empty()) found.push_back(std::move(code));
      }
    }
  }

 private:
  static constexpr int kMostCalls = 2;
  static constexpr int kMostNames = 2;  // of one class

  /// The first name in a condition that the module sets: of several tests one stands for all.
  Node FirstTestIn(Node condition) const {
    for (const Node node : NodesIn(condition)) {
      if (IsTestOfModule(node)) return node;
    }
    return {};
  }

  static Node ChainOf(Node clause) {
    return clause.Is(NodeKind::kElifClause) ? clause.parent() : clause;
  }

  /// The first statement of the `else` of the chain, or behind it where `body` leaves and there is
  /// no `else`; a null node if there is none.
  static Node InPlaceOf(Node body, Node clause) {
    const Node chain = ChainOf(clause);
    for (const Node part : NamedChildren(chain)) {
      if (part.Is(NodeKind::kElseClause)) return part.Child(Field::kBody).first_named_child();
    }
    return EndsFlow(body) ? chain.next_named_sibling() : Node();
  }

  static bool RaisesFrom(Node statement) {
    for (Node next = statement; next; next = next.next_named_sibling()) {
      if (next.Is(NodeKind::kRaiseStatement)) return true;
    }
    return false;
  }

  std::vector<std::string> UnreadBeside(Node body, Node clause) const {
    std::vector<std::string> unread;
    Node function = clause;
    while (function && !function.Is(NodeKind::kFunctionDefinition)) function = function.parent();
    if (!function) return unread;
    const uint32_t scope = names_.ScopeOf(body);
    for (const Binding& binding : names_.bindings()) {
      if (binding.kind != BindingKind::kParameter || binding.scope != scope) continue;
      bool is_handed = false;
      bool is_read = false;
      for (const Node use : names_.places().NodesSaying(binding.name)) {
        if (!function.IsAncestorOf(use) || !IsReadAt(use)) continue;
        if (body.IsAncestorOf(use)) {
          is_handed |= IsArgument(use);
        } else {
          is_read |= !IsInOtherBranch(use, clause) && !AsksForNone(use);
        }
      }
      if (is_handed && !is_read) unread.emplace_back(binding.name);
    }
    return unread;
  }

  bool IsReadAt(Node use) const {
    const bool is_name_of_keyword =
        use.parent().Is(NodeKind::kKeywordArgument) && use.field() == Field::kName;
    return use.Is(NodeKind::kIdentifier) && use.field() != Field::kAttribute &&
           !is_name_of_keyword && !bound_.contains(use.id());
  }

  static bool IsArgument(Node use) {
    const Node holder =
        use.parent().Is(NodeKind::kKeywordArgument) ? use.parent().parent() : use.parent();
    return holder.Is(NodeKind::kArgumentList);
  }

  /// True in a branch of the chain of `clause` that is no `else`.
  static bool IsInOtherBranch(Node use, Node clause) {
    const Node chain = ChainOf(clause);
    for (Node child = use; child.parent(); child = child.parent()) {
      const bool is_branch = child.field() == Field::kConsequence &&
                             (child.parent() == chain || child.parent().parent() == chain);
      if (is_branch) return true;
    }
    return false;
  }

  static bool AsksForNone(Node use) {
    return use.parent().Is(NodeKind::kComparisonOperator) &&
           std::ranges::any_of(NamedChildren(use.parent()),
                               [](Node side) { return side.Is(NodeKind::kNone); });
  }

  /// True for `X = x.y` behind the import in its `try`.
  bool TakesPart(const Binding& binding) const {
    if (binding.kind != BindingKind::kAssignment || !choice_.Is(NodeKind::kTryStatement) ||
        !choice_.Child(Field::kBody).IsAncestorOf(binding.node)) {
      return false;
    }
    Node head = binding.value;
    if (!head.Is(NodeKind::kAttribute)) return false;
    while (head.Is(NodeKind::kAttribute)) head = head.Child(Field::kObject);
    return head.Is(NodeKind::kIdentifier) && brought_.contains(head.text());
  }

  /// True for a class or a function that a handler defines in place of what the import brings, and
  /// that only raises, and for `X = Y` of such a class.
  bool OnlyRaises(const Binding& binding, int names) const {
    if (!IsInChoice(binding.node)) return false;
    switch (binding.kind) {
      case BindingKind::kFunction:
        return RaisesAtOnce(binding.statement);
      case BindingKind::kClass:
        return std::ranges::any_of(
            NamedChildren(binding.statement.Child(Field::kBody)), [](Node member) {
              return member.Is(NodeKind::kFunctionDefinition) &&
                     member.Child(Field::kName).text() == "__init__" && RaisesAtOnce(member);
            });
      case BindingKind::kAssignment: {
        if (names == 0 || !binding.value.Is(NodeKind::kIdentifier)) return false;
        const NameTable::Meanings meanings = names_.BindingsOf(binding.value);
        return std::ranges::any_of(meanings, [&](const Binding* meaning) {
          return meaning != &binding && OnlyRaises(*meaning, names - 1);
        });
      }
      default:
        return false;
    }
  }

  /// True if the first statement of the function, other than a text, raises.
  static bool RaisesAtOnce(Node function) {
    for (const Node statement : NamedChildren(function.Child(Field::kBody))) {
      const bool is_text = statement.Is(NodeKind::kExpressionStatement) &&
                           statement.first_named_child().Is(NodeKind::kString);
      if (!is_text && !statement.Is(NodeKind::kComment)) {
        return statement.Is(NodeKind::kRaiseStatement);
      }
    }
    return false;
  }

  bool IsTestOfModule(Node name) const {
    if (!name.Is(NodeKind::kIdentifier) || bound_.contains(name.id())) return false;
    const NameTable::Meanings meanings = names_.BindingsOf(name);
    return !meanings.empty() && std::ranges::all_of(meanings, [](const Binding* meaning) {
      return meaning->scope == 0 && meaning->kind != BindingKind::kImport;
    });
  }

  /// The statement that asks for the test `name` and for nothing else, and ends what the program
  /// does where that is false; else a null node.
  static Node RefusalAt(Node name) {
    Node test = name;
    bool is_denied = false;
    while (test.parent().Is(NodeKind::kNotOperator) ||
           test.parent().Is(NodeKind::kParenthesizedExpression)) {
      test = test.parent();
      is_denied ^= test.Is(NodeKind::kNotOperator);
    }
    const Node statement = test.parent();
    if (statement.Is(NodeKind::kAssertStatement) && !is_denied &&
        test == statement.first_named_child()) {
      return statement;
    }
    if (!statement.Is(NodeKind::kIfStatement) || test.field() != Field::kCondition) return {};
    const bool refuses = is_denied ? RaisesIn(statement) : RaisesWithout(statement);
    return refuses ? statement : Node();
  }

  /// `if HAS_X: ... else: raise`, `if HAS_X: return ...` and then `raise`
  static bool RaisesWithout(Node if_statement) {
    const Node otherwise = if_statement.Child(Field::kAlternative);
    if (otherwise) {
      return otherwise.Is(NodeKind::kElseClause) &&
             LastNamedChild(otherwise.Child(Field::kBody)).Is(NodeKind::kRaiseStatement);
    }
    return EndsFlow(if_statement.Child(Field::kConsequence)) &&
           if_statement.next_named_sibling().Is(NodeKind::kRaiseStatement);
  }

  void AddTests(Node condition) {
    for (const Node node : NodesIn(condition)) {
      if (node.Is(NodeKind::kIdentifier)) tests_.insert(node.text());
    }
  }

  /// `not HAS_X`, `busy or not HAS_X`: true without it.
  bool HoldsWithoutTest(Node condition) const {
    if (condition.Is(NodeKind::kParenthesizedExpression)) {
      return HoldsWithoutTest(condition.first_named_child());
    }
    if (condition.Is(NodeKind::kBooleanOperator)) {
      return SignOf(condition) == "or" && (HoldsWithoutTest(condition.Child(Field::kLeft)) ||
                                           HoldsWithoutTest(condition.Child(Field::kRight)));
    }
    const Node denied =
        condition.Is(NodeKind::kNotOperator) ? condition.first_named_child() : Node();
    return denied.Is(NodeKind::kIdentifier) && IsTestName(denied);
  }

  /// `if not HAS_X: self.use_x = False`
  bool IsTurnedOff(Node assignment) const {
    if (!assignment.Child(Field::kRight).Is(NodeKind::kFalse)) return false;
    const Node block = assignment.parent().parent();
    const Node branch = block.parent();
    if (!branch.Is(NodeKind::kIfStatement) || block.field() != Field::kConsequence) return false;
    return HoldsWithoutTest(branch.Child(Field::kCondition));
  }

  /// `self.use_x = wanted and HAS_X`, `if not HAS_X: self.use_x = False`, `HAS_X = x is not None`,
  /// `def has_x(): return x is not None`, `def kind(): if HAS_X: return "x"` and `KIND = kind()`;
  /// true if one is new.
  bool AddNamesOfTests() {
    const size_t before = tests_.size() + local_tests_.size();
    for (const Binding& binding : names_.bindings()) {
      if (binding.scope != 0 || IsInChoice(binding.node)) continue;
      const bool is_value = binding.kind == BindingKind::kAssignment && binding.value;
      if (is_value && IsTest(binding.value)) tests_.insert(binding.name);
      if (binding.kind == BindingKind::kFunction && ReturnsTest(binding.statement)) {
        tests_.insert(binding.name);
      }
    }
    for (const Node assignment : assigned_) {
      if (NeedsTest(assignment.Child(Field::kRight)) || IsTurnedOff(assignment)) {
        const Node left = assignment.Child(Field::kLeft);
        if (left.Is(NodeKind::kIdentifier)) {
          local_tests_.insert(left.id());
          AddAttributesOf(left.text());
        } else {
          tests_.insert(left.text());
        }
      }
    }
    return tests_.size() + local_tests_.size() > before;
  }

  /// `state.use_x = use_x` of a variable that is a test.
  void AddAttributesOf(std::string_view variable) {
    for (const Node name : names_.places().NodesSaying(variable)) {
      const Node left = name.parent().Child(Field::kLeft);
      const bool is_taken = name.field() == Field::kRight && left.Is(NodeKind::kAttribute);
      if (is_taken && IsTestName(name)) tests_.insert(left.text());
    }
  }

  /// `HAS_X`, `wanted and HAS_X`, `x is not None`: not true without it; `"x" if HAS_X else other`,
  /// `self.kind`: what it chooses.
  bool NeedsTest(Node value) const {
    if (value.Is(NodeKind::kParenthesizedExpression)) return NeedsTest(value.first_named_child());
    if (value.Is(NodeKind::kComparisonOperator)) {
      const Node asked = value.first_named_child();
      return asked.next_sibling().text() == "is not" &&
             asked.next_named_sibling().Is(NodeKind::kNone) && NeedsTest(asked);
    }
    if (value.Is(NodeKind::kConditionalExpression)) {
      const Node chosen = value.first_named_child();
      return chosen.Is(NodeKind::kString) && NeedsTest(chosen.next_named_sibling());
    }
    if (value.Is(NodeKind::kBooleanOperator)) {
      return SignOf(value) == "and" &&
             (NeedsTest(value.Child(Field::kLeft)) || NeedsTest(value.Child(Field::kRight)));
    }
    const bool is_name = value.Is(NodeKind::kIdentifier) || value.Is(NodeKind::kAttribute);
    return is_name && IsTestName(value);
  }

  bool IsTestName(Node name) const {
    if (tests_.contains(name.text())) return true;
    if (local_tests_.empty() || !name.Is(NodeKind::kIdentifier)) return false;
    const NameTable::Meanings meanings = names_.BindingsOf(name);
    return std::any_of(meanings.begin(), meanings.end(), [&](const Binding* meaning) {
      return local_tests_.contains(meaning->node.id());
    });
  }

  bool IsTest(Node expression) const {
    return std::ranges::any_of(NodesIn(expression), [&](Node node) {
      const bool may_be_test = node.Is(NodeKind::kIdentifier) || node.Is(NodeKind::kAttribute);
      return may_be_test && IsTestName(node) && !NeedsPart(node);
    });
  }

  /// `x.y` of what the import brings: this fails without it, and so tells nothing about it.
  bool NeedsPart(Node name) const {
    return name.parent().Is(NodeKind::kAttribute) && brought_.contains(name.text());
  }

  /// True if `condition` tells whether the import has succeeded: by a test, or by a question that
  /// names what the import brings: `is_bnb_4bit_available()`.
  bool IsQuestion(Node condition) const {
    return IsTest(condition) || std::ranges::any_of(NodesIn(condition), [&](Node node) {
             return AsksForPackage(node, package_) ||
                    (node.Is(NodeKind::kCall) && NamesBrought(node));
           });
  }

  bool NamesBrought(Node call) const {
    const std::string_view callee = LastPart(call.Child(Field::kFunction).text());
    return std::ranges::any_of(PartsOfName(callee),
                               [&](const std::string& part) { return brought_.contains(part); });
  }

  /// True for an assertion about the name, and behind a test of it that raises.
  bool IsRefused(Node use) const {
    for (Node child = use; child && child.parent(); child = child.parent()) {
      const Node parent = child.parent();
      if (parent.Is(NodeKind::kAssertStatement)) return true;
      if (parent.Is(NodeKind::kFunctionDefinition)) return false;
      const bool is_behind =
          parent.Is(NodeKind::kBlock) && std::ranges::any_of(TestsBefore(child), RaisesIn);
      if (is_behind) return true;
    }
    return false;
  }

  static bool RaisesIn(Node if_statement) {
    return LastNamedChild(if_statement.Child(Field::kConsequence)).Is(NodeKind::kRaiseStatement);
  }

  /// The `if` statements before `statement` in its block that test the import.
  std::vector<Node> TestsBefore(Node statement) const {
    std::vector<Node> tests;
    for (const Node earlier : NamedChildren(statement.parent())) {
      if (earlier == statement) break;
      const bool is_test =
          earlier.Is(NodeKind::kIfStatement) && IsQuestion(earlier.Child(Field::kCondition));
      if (is_test) tests.push_back(earlier);
    }
    return tests;
  }

  /// True if the function returns a test, or a text or number that one chooses.
  bool ReturnsTest(Node function) const {
    return std::ranges::any_of(NodesIn(function), [&](Node node) {
      if (!node.Is(NodeKind::kReturnStatement)) return false;
      const bool calls =
          std::ranges::any_of(NodesIn(node), [](Node part) { return part.Is(NodeKind::kCall); });
      if (IsTest(node) && !calls) return true;
      const Node value = node.first_named_child();
      const bool is_constant = value.Is(NodeKind::kString) || value.Is(NodeKind::kInteger) ||
                               value.Is(NodeKind::kTrue) || value.Is(NodeKind::kFalse);
      return is_constant && IsChosen(node, function);
    });
  }

  bool IsChosen(Node node, Node function) const {
    for (Node up = node.parent(); up && up != function; up = up.parent()) {
      const bool is_branch = up.Is(NodeKind::kIfStatement) || up.Is(NodeKind::kElifClause);
      if (is_branch && IsQuestion(up.Child(Field::kCondition))) return true;
    }
    return false;
  }

  /// True if `use` can mean only what the import brings, or None, or what only raises.
  bool IsUse(Node use) const {
    if (!use.Is(NodeKind::kIdentifier) || use.field() == Field::kAttribute) return false;
    // A method may have the name of what the import brings.
    if (bound_.contains(use.id()) || IsInChoice(use)) return false;
    const bool is_keyword =
        use.parent().Is(NodeKind::kKeywordArgument) && use.field() == Field::kName;
    if (is_keyword || IsInAnnotation(use) || IsPartOfModule(use)) return false;
    const NameTable::Meanings meanings = names_.BindingsOf(use);
    const auto is_none = [](const Binding* meaning) {
      return meaning->kind == BindingKind::kAssignment && meaning->value.Is(NodeKind::kNone);
    };
    // None may be handed on, and so may what raises once it is called.
    if ((!choice_ || std::ranges::any_of(meanings, is_none)) && !FailsOnNone(use)) return false;
    const auto only_raises = [&](const Binding* meaning) {
      return OnlyRaises(*meaning, kMostNames);
    };
    const bool is_called = use.parent().Is(NodeKind::kDecorator) ||
                           (use.parent().Is(NodeKind::kCall) && use.field() == Field::kFunction);
    if (!is_called && std::ranges::any_of(meanings, only_raises)) return false;
    return !meanings.empty() && std::ranges::all_of(meanings, [&](const Binding* meaning) {
      return IsBrought(*meaning) || is_none(meaning) || only_raises(meaning);
    });
  }

  /// `x()`, `x.y`, `x[0]`, `class A(x)`, `@x`, `assert x`.
  static bool FailsOnNone(Node use) {
    const Node parent = use.parent();
    switch (parent.kind()) {
      case NodeKind::kCall:
        return use.field() == Field::kFunction;
      case NodeKind::kAttribute:
      case NodeKind::kDecorator:
      case NodeKind::kAssertStatement:
        return true;
      case NodeKind::kSubscript:
        return use.field() == Field::kValue;
      case NodeKind::kArgumentList:
        return parent.parent().Is(NodeKind::kClassDefinition);
      case NodeKind::kComparisonOperator:
        return IsAsserted(parent);
      default:
        return false;
    }
  }

  /// `from peft.tuners.lora.bnb import Linear4bit`
  static bool IsPartOfModule(Node use) {
    return use.parent().Is(NodeKind::kDottedName) || use.parent().Is(NodeKind::kAliasedImport);
  }

  /// True if a test of the import decides whether `use` runs.
  bool IsTested(Node use, int calls) const {
    const bool needs_part = NeedsPart(use);
    // `try: import x`, `except ImportError: return` above it.
    const bool is_tried = choice_.Is(NodeKind::kTryStatement);
    if (is_tried && IsBehindImport(use, [&](Node other) { return other == statement_; })) {
      return true;
    }
    for (Node child = use; child && child.parent(); child = child.parent()) {
      const Node parent = child.parent();
      if (IsDecidedBy(parent, child, needs_part)) return true;
      if (parent.Is(NodeKind::kBlock) && IsBehindExit(child)) return true;
      // Where the function itself is defined behind a test, nothing calls it without one.
      const bool is_definition =
          parent.Is(NodeKind::kFunctionDefinition) || parent.Is(NodeKind::kClassDefinition);
      if (is_definition && IsUsedTested(parent, calls)) return true;
    }
    return false;
  }

  /// `child` is what of `parent` holds a use; `needs_part`: this is `x.y`.
  bool IsDecidedBy(Node parent, Node child, bool needs_part) const {
    switch (parent.kind()) {
      case NodeKind::kIfStatement:
      case NodeKind::kWhileStatement:
      case NodeKind::kElifClause: {
        // Whatever else the test itself does with the name.
        const bool is_in_test = child.field() == Field::kCondition;
        return IsQuestion(parent.Child(Field::kCondition)) || (is_in_test && !needs_part);
      }
      case NodeKind::kElseClause:
        return parent.parent().Is(NodeKind::kIfStatement) && IsAnyTest(parent.parent());
      case NodeKind::kConditionalExpression:
      case NodeKind::kBooleanOperator:
      case NodeKind::kListComprehension:
      case NodeKind::kDictionaryComprehension:
      case NodeKind::kSetComprehension:
      case NodeKind::kGeneratorExpression:
        return std::ranges::any_of(NamedChildren(parent),
                                   [&](Node other) { return other != child && IsQuestion(other); });
      case NodeKind::kComparisonOperator:
        return !needs_part && !IsAsserted(parent);
      case NodeKind::kTryStatement:
        return child.field() == Field::kBody && IsForgiven(parent);
      case NodeKind::kDeleteStatement:
      case NodeKind::kGlobalStatement:
        return true;
      default:
        return false;
    }
  }

  bool IsAnyTest(Node if_statement) const {
    if (IsQuestion(if_statement.Child(Field::kCondition))) return true;
    return std::ranges::any_of(NamedChildren(if_statement), [&](Node clause) {
      return clause.Is(NodeKind::kElifClause) && IsQuestion(clause.Child(Field::kCondition));
    });
  }

  static bool IsAsserted(Node comparison) {
    Node node = comparison;
    while (node.parent().Is(NodeKind::kParenthesizedExpression) ||
           node.parent().Is(NodeKind::kBooleanOperator)) {
      node = node.parent();
    }
    return node.parent().Is(NodeKind::kAssertStatement);
  }

  static bool IsForgiven(Node try_statement) {
    return std::ranges::any_of(NamedChildren(try_statement), [](Node part) {
      return part.Is(NodeKind::kExceptClause) && !EndsInHandler(part);
    });
  }

  /// `if x is None: return` above it in the same block. Behind `if x is None: raise` the program
  /// needs the name.
  bool IsBehindExit(Node statement) const {
    return std::ranges::any_of(TestsBefore(statement), [](Node test) {
      return EndsFlow(test.Child(Field::kConsequence)) && !RaisesIn(test);
    });
  }

  /// True if the file uses the function or class, and each time only behind a test.
  bool IsUsedTested(Node function, int calls) const {
    if (calls == 0) return false;
    bool is_called = false;
    for (const Node use : names_.places().NodesSaying(function.Child(Field::kName).text())) {
      if (use == function.Child(Field::kName) || !use.Is(NodeKind::kIdentifier)) continue;
      if (!IsTested(use, calls - 1)) return false;
      is_called = true;
    }
    return is_called;
  }

  bool IsInChoice(Node node) const { return choice_ && choice_.IsAncestorOf(node); }

  Node choice_;  // null where a call has brought the name, or None
  Node statement_;
  const NameTable& names_;
  std::set<std::string_view> tests_;  // names, and attributes of self as they are written
  std::set<uint32_t> local_tests_;    // the bindings of variables of functions
  std::vector<Node> assigned_;        // assignments to attributes of self and to local variables
  std::string_view package_;
  std::set<std::string, std::less<>> brought_;  // names
  std::unordered_set<uint32_t> bound_;          // ids of the nodes that bind a name
  std::unordered_set<uint32_t> taken_;          // of those, what binds a part of what is brought
};

/// The `try` that forgives a failure of `import`, or the `if` of the module around it.
Node ChoiceAround(Node import, const NameTable& names, const ProjectIndex* project) {
  if (IsOptionalImport(import, names, project)) {
    for (Node child = import; child; child = child.parent()) {
      if (child.parent().Is(NodeKind::kTryStatement) && child.field() == Field::kBody) {
        return child.parent();
      }
    }
  }
  const Node block = import.parent();
  const Node choice = block.parent();
  const bool is_branch = choice.Is(NodeKind::kIfStatement) && choice.parent().Is(NodeKind::kModule);
  return is_branch ? choice : Node();
}

}  // namespace

Text UseWithoutImport::reason() const {
  if (is_refused) {
    return Say(" (a test ends the program here where the import has failed)",
               "（若导入失败, 此处的检查会终止程序）");
  }
  return Say(" ({} is used without a test whether its import has succeeded)",
             "（使用 {} 时未检查其导入是否成功）", use.text());
}

std::vector<UseWithoutImport> UsesWithoutImport(Node statement, const NameTable& names,
                                                const ProjectIndex* project) {
  std::vector<UseWithoutImport> uses;
  const bool is_call = statement.Is(NodeKind::kAssignment);
  const Node choice = is_call ? Node() : ChoiceAround(statement, names, project);
  if (!choice && !is_call) return uses;
  const OptionalNames optional(choice, statement, names);
  for (const Binding& binding : names.bindings()) {
    if (optional.IsBrought(binding)) optional.AddUses(binding, uses);
  }
  optional.AddRefusals(uses);
  std::ranges::sort(uses, {}, [](const UseWithoutImport& at) { return at.use.id(); });
  // The first in each function, whichever name it is.
  std::set<uint32_t> scopes;
  std::erase_if(uses, [&](const UseWithoutImport& at) {
    return !scopes.insert(names.ScopeOf(at.use)).second;
  });
  return uses;
}

std::vector<CodeWithoutImport> CodeInPlaceOf(Node statement, const NameTable& names,
                                             const ProjectIndex* project) {
  std::vector<CodeWithoutImport> found;
  if (!IsOptionalImport(statement, names, project)) return found;
  const Node choice = ChoiceAround(statement, names, project);
  if (choice) OptionalNames(choice, statement, names).AddReplacements(found);
  return found;
}

}  // namespace transplt
