// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/api_calls.h"

#include <algorithm>

#include "transplt/base/one_of.h"
#include "transplt/base/text_parts.h"
#include "transplt/engine/compiled_code.h"
#include "transplt/facts/base_constructor.h"
#include "transplt/facts/name_use.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/places_of_file.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/device_text.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// True if the file asks the result of `call` for `member`: `f().member`, `s = f(); s.member`.
bool AsksResultFor(Node call, std::string_view member, const FileContext& file) {
  const Node parent = call.parent();
  if (parent.Is(NodeKind::kAttribute)) return parent.Child(Field::kAttribute).text() == member;
  if (!parent.Is(NodeKind::kAssignment) || call.field() != Field::kRight) return false;
  const std::string_view target = parent.Child(Field::kLeft).text();
  return std::ranges::any_of(file.NodesSaying(member), [&](Node node) {
    return node.field() == Field::kAttribute &&
           node.parent().Child(Field::kObject).text() == target;
  });
}

/// Whether what an API gives is only used as its entry allows; through variables, too.
class UsesOfResult {
 public:
  UsesOfResult(const ApiEntry& entry, const FileContext& file) : entry_(entry), file_(file) {}

  bool AreKnown(Node value) { return IsKnown(value, kMostVariables); }

 private:
  static constexpr int kMostVariables = 3;  // one behind the other

  bool IsAllowed(std::string_view name) const { return IsOneOf(name, entry_.result_uses); }

  bool IsKnown(Node value, int variables) {
    Node parent = value.parent();
    if (parent.Is(NodeKind::kKeywordArgument) && value.field() == Field::kValue) {
      parent = parent.parent();
    }
    if (parent.Is(NodeKind::kExpressionStatement)) return true;
    if (parent.Is(NodeKind::kAttribute)) return IsAllowed(parent.Child(Field::kAttribute).text());
    if (parent.Is(NodeKind::kSubscript) && value.field() == Field::kValue) {
      return IsAllowed("[" + std::string(parent.Child(Field::kSubscript).text()) + "]");
    }
    if (parent.Is(NodeKind::kArgumentList)) {
      return IsAllowed(LastPart(parent.parent().Child(Field::kFunction).text()));
    }
    if (!parent.Is(NodeKind::kAssignment) || value.field() != Field::kRight || variables == 0) {
      return false;
    }
    const Node target = parent.Child(Field::kLeft);
    const bool is_attribute = target.Is(NodeKind::kAttribute);
    if (!is_attribute && !target.Is(NodeKind::kIdentifier)) return false;
    const Node name = is_attribute ? target.Child(Field::kAttribute) : target;
    return std::ranges::all_of(file_.NodesSaying(name.text()), [&](Node node) {
      const Node use = is_attribute ? node.parent() : node;
      return use.text() != target.text() || use.field() == Field::kLeft ||
             IsLabelOfOther(node, is_attribute) || IsKnown(use, variables - 1);
    });
  }

  /// True for `x.name` and `f(name=1)` where a variable `name` is meant.
  static bool IsLabelOfOther(Node node, bool is_attribute) {
    return !node.Is(NodeKind::kIdentifier) || (node.field() == Field::kAttribute) != is_attribute ||
           node.field() == Field::kName;
  }

  const ApiEntry& entry_;
  const FileContext& file_;
};

ApiObstacle RefusedKeyword(Node call, const std::vector<Argument>& arguments, const ApiEntry& entry,
                           const FileContext& file) {
  for (const std::string& keyword : entry.refused_keywords) {
    if (keyword.starts_with('.')) {
      if (AsksResultFor(call, std::string_view(keyword).substr(1), file)) {
        return {Obstacle::kKeyword, keyword};
      }
      continue;
    }
    const bool is_there = std::ranges::any_of(arguments, [&](const Argument& argument) {
      if (keyword == "**") return argument.node.Is(NodeKind::kDictionarySplat);
      if (keyword == "*") return argument.keyword.empty() && !argument.is_splat;
      return argument.keyword == keyword;
    });
    if (is_there) return {Obstacle::kKeyword, keyword};
  }
  return {};
}

/// `text` as it can be written at `call`: inside an f-string with quotes that older Pythons let it
/// hold there. Nothing where torch is not known, or where no quotes are left.
std::optional<std::string> TextAt(Node call, std::string_view text, const FileContext& file) {
  std::optional<std::string> result =
      HasPart(text, "torch.") ? TorchTextAt(call, text, file) : std::string(text);
  if (!result || result->find('"') == std::string::npos) return result;
  bool single = true;
  bool both = true;
  for (Node parent = call.parent(); parent; parent = parent.parent()) {
    if (!parent.Is(NodeKind::kString) || !parent.first_child()) continue;
    const bool quotes = parent.first_child().text().ends_with('"');
    (quotes ? both : single) = false;
  }
  if (both) return result;
  if (!single) return std::nullopt;
  std::replace(result->begin(), result->end(), '"', '\'');
  return result;
}

bool IsPositional(const Argument& argument) {
  return argument.keyword.empty() && !argument.node.Is(NodeKind::kDictionarySplat);
}

/// True if the arguments get `first_argument`: a call that names it already keeps what it has.
bool GetsFirstArgument(const std::vector<Argument>& arguments, const CallChange& change) {
  return !change.first_argument.empty() && FindKeyword(arguments, change.first_keyword) == nullptr;
}

/// True if what was positional is given by keywords.
bool NamesPositional(const std::vector<Argument>& arguments, const CallChange& change) {
  return !change.positional_names.empty() &&
         (change.first_argument.empty() || GetsFirstArgument(arguments, change));
}

/// True if the call gives the argument whose default differs.
bool GivesDefault(const std::vector<Argument>& arguments, const CallChange& change) {
  if (FindKeyword(arguments, change.default_keyword) != nullptr) return true;
  size_t position = 0;
  return std::ranges::any_of(arguments, [&](const Argument& argument) {
    return IsPositional(argument) && position < change.positional_names.size() &&
           change.positional_names[position++] == change.default_keyword;
  });
}

/// The default of the old name for a call that does not give the argument: behind all others, and
/// in front of what a ** may hold.
void AddDefault(Node call, const std::vector<Argument>& arguments, const CallChange& change,
                const FileContext& file, std::vector<Edit>& edits) {
  const std::optional<std::string> value = TextAt(call, change.default_value, file);
  if (change.default_keyword.empty() || !value || GivesDefault(arguments, change)) return;
  for (const Argument& argument : arguments) {
    if (!argument.node.Is(NodeKind::kDictionarySplat)) continue;
    const TextRange range = argument.node.range();
    const std::string text = "**{\"" + change.default_keyword + "\": " + *value + ", ";
    if (!edits.empty() && range.start == edits.front().range.start) {
      edits.front().text += text;
    } else {
      edits.push_back({{range.start, range.start}, text});
    }
    edits.push_back({{range.end, range.end}, "}"});
    return;
  }
  const std::string text = ", " + change.default_keyword + "=" + *value;
  if (arguments.empty()) {
    if (!edits.empty()) edits.front().text += text;
  } else {
    const uint32_t end = arguments.back().node.range().end;
    edits.push_back({{end, end}, text});
  }
}

/// Lets the call be made only where `condition` holds: by an `if` around a statement, or by a
/// conditional expression.
void Condition(Node call, const CallChange& change, const std::string& condition,
               std::vector<Edit>& edits) {
  const uint32_t start = call.range().start;
  const uint32_t end = call.range().end;
  if (const std::optional<std::string> indent = IndentOfStatement(call)) {
    const bool tabs = indent->find('\t') != std::string::npos;
    edits.push_back({{start, start},
                     "if " + condition + ":" + std::string(call.tree().source().LineEndAt(start)) +
                         *indent + (tabs ? "\t" : "    ")});
    return;
  }
  const bool alone = MayBeConditional(call);
  edits.push_back(
      {{end, end}, " if " + condition + " else " + change.otherwise + (alone ? "" : ")")});
  if (!alone) edits.push_back({{start, start}, "("});
}

bool IsConjunction(Node boolean) {
  for (Node child = boolean.first_child(); child; child = child.next_sibling()) {
    if (child.IsToken("and")) return true;
  }
  return false;
}

/// True if a condition of an `if` around `node` says that the condition of `change` holds.
bool IsImplied(Node node, const CallChange& change, const FileContext& file) {
  const auto says_so = [&](Node condition) {
    return condition.Is(NodeKind::kCall) &&
           std::ranges::any_of(change.implied_by, [&](const std::string& name) {
             return file.names().IsNamed(condition.Child(Field::kFunction), name);
           });
  };
  for (Node parent = node.parent(); parent; node = parent, parent = parent.parent()) {
    if (parent.Is(NodeKind::kFunctionDefinition) || parent.Is(NodeKind::kLambda)) return false;
    const bool branch = parent.Is(NodeKind::kIfStatement) || parent.Is(NodeKind::kElifClause);
    if (!branch || node.field() != Field::kConsequence) continue;
    std::vector<Node> conditions = {parent.Child(Field::kCondition)};
    while (!conditions.empty()) {
      const Node condition = conditions.back();
      conditions.pop_back();
      if (says_so(condition)) return true;
      const bool passes = condition.Is(NodeKind::kParenthesizedExpression) ||
                          (condition.Is(NodeKind::kBooleanOperator) && IsConjunction(condition));
      if (!passes) continue;
      for (const Node part : NamedChildren(condition)) {
        conditions.push_back(part);
      }
    }
  }
  return false;
}

/// The expressions that `value` may be: both branches of `a if b else c`.
std::vector<Node> BranchesOf(Node value) {
  std::vector<Node> branches;
  std::vector<Node> pending = {value};
  while (!pending.empty()) {
    Node node = pending.back();
    pending.pop_back();
    while (node.Is(NodeKind::kParenthesizedExpression)) node = node.first_named_child();
    if (node.Is(NodeKind::kConditionalExpression)) {
      const Node yes = node.first_named_child();
      const Node condition = yes ? yes.next_named_sibling() : Node();
      pending.push_back(condition ? condition.next_named_sibling() : Node());
      pending.push_back(yes);
    } else if (node) {
      branches.push_back(node);
    }
  }
  return branches;
}

std::vector<Binding>::const_iterator FirstFrom(const std::vector<Binding>& bindings, uint32_t id) {
  return std::lower_bound(
      bindings.begin(), bindings.end(), id,
      [](const Binding& binding, uint32_t from) { return binding.node.id() < from; });
}

enum class Held { kApi, kNothing, kOther };

/// What the binding holds: the API alone (or else None), None, or anything else.
Held WhatHolds(const Binding& binding, const ApiEntry& entry, const FileContext& file) {
  if (binding.kind == BindingKind::kImport) {
    return binding.target == entry.old_name ? Held::kApi : Held::kOther;
  }
  if (binding.kind != BindingKind::kAssignment) return Held::kOther;
  Held held = Held::kNothing;
  for (Node branch : BranchesOf(binding.value)) {
    if (branch.Is(NodeKind::kNone)) continue;
    const std::vector<QualifiedName> names = file.names().Resolve(branch);
    if (names.size() != 1 || names[0].local || names[0].name != entry.old_name) {
      return Held::kOther;
    }
    held = Held::kApi;
  }
  return held;
}

/// True if `use` asks only whether there is something: `ac is None`, `if ac:`.
bool IsQuestion(Node use) {
  const Node parent = use.parent();
  if (parent.Is(NodeKind::kComparisonOperator)) {
    const Node left = parent.first_named_child();
    const Node right = left ? left.next_named_sibling() : Node();
    return left == use && right.Is(NodeKind::kNone) && !right.next_named_sibling();
  }
  return parent.Is(NodeKind::kNotOperator) ||
         ((parent.Is(NodeKind::kIfStatement) || parent.Is(NodeKind::kElifClause)) &&
          use.field() == Field::kCondition);
}

bool IsLabel(Node identifier) {
  const Node parent = identifier.parent();
  return (parent.Is(NodeKind::kAttribute) && identifier.field() == Field::kAttribute) ||
         (parent.Is(NodeKind::kKeywordArgument) && identifier.field() == Field::kName);
}

/// Follows an alias from one of its bindings to its uses, and from these to their other bindings.
class AliasSearch {
 public:
  AliasSearch(const ApiEntry& entry, const FileContext& file) : entry_(entry), file_(file) {}

  ApiAlias Run(const Binding& start) {
    Hold(&start);
    for (size_t i = 0; i < alias_.holders.size(); ++i) CheckHolder(*alias_.holders[i]);
    std::ranges::sort(alias_.holders, [](const Binding* a, const Binding* b) {
      return a->node.id() < b->node.id();
    });
    return std::move(alias_);
  }

 private:
  void Hold(const Binding* binding) {
    auto& holders = alias_.holders;
    if (!IsOneOf(binding, holders)) {
      holders.push_back(binding);
    }
  }

  void Hinder(ApiObstacle obstacle) {
    if (!alias_.obstacle) alias_.obstacle = std::move(obstacle);
  }

  void CheckHolder(const Binding& holder) {
    if (file_.names().ScopeNode(holder.scope).Is(NodeKind::kClassDefinition)) {
      Hinder({Obstacle::kNotCalled});  // `self.ac(...)` is not seen from here
    }
    if (holder.scope == 0 && !entry_.call.empty() && file_.project() != nullptr &&
        file_.project()->IsImportedElsewhere(file_.source().path(), holder.name)) {
      Hinder({Obstacle::kReexported});
    }
    const std::vector<const Binding*> namesakes = NamesakesOf(holder);
    const Node scope = file_.names().ScopeNode(holder.scope);
    const std::vector<Node>& nodes = file_.NodesSaying(holder.name);
    auto node = std::lower_bound(nodes.begin(), nodes.end(), scope.id(),
                                 [](Node known, uint32_t id) { return known.id() < id; });
    for (; node != nodes.end() && node->id() < scope.end_id(); ++node) {
      const Node use = *node;
      if (!use.Is(NodeKind::kIdentifier) || IsLabel(use) || IsInImport(use)) continue;
      if (IsBound(use, namesakes)) continue;
      const NameTable::Meanings bindings = file_.names().BindingsOf(use);
      if (!IsOneOf(&holder, bindings)) continue;
      for (const Binding* binding : bindings) CheckOrigin(*binding);
      CheckUse(use);
    }
  }

  /// The bindings of the holder's name in its scope, which are in the order of the text.
  std::vector<const Binding*> NamesakesOf(const Binding& holder) const {
    const std::vector<Binding>& bindings = file_.names().bindings();
    const Node scope = file_.names().ScopeNode(holder.scope);
    std::vector<const Binding*> namesakes;
    for (auto binding = FirstFrom(bindings, scope.id());
         binding != bindings.end() && binding->node.id() < scope.end_id(); ++binding) {
      if (binding->name == holder.name) namesakes.push_back(&*binding);
    }
    return namesakes;
  }

  static bool IsBound(Node use, const std::vector<const Binding*>& namesakes) {
    return std::ranges::any_of(namesakes,
                               [&](const Binding* binding) { return binding->node == use; });
  }

  void CheckOrigin(const Binding& binding) {
    const Held held = WhatHolds(binding, entry_, file_);
    if (held == Held::kApi) Hold(&binding);
    // Calls whose arguments stay do no harm to something else.
    if (held == Held::kOther && !entry_.call.empty()) Hinder({Obstacle::kMixed});
  }

  void CheckUse(Node use) {
    if (IsCalled(use)) {
      const Node call = use.parent();
      Hinder(ObstacleOfCall(call, entry_, file_));
      auto& calls = alias_.calls;
      if (!IsOneOf(call, calls)) calls.push_back(call);
    } else if (const Binding* further = BindingOfValue(use, file_)) {
      CheckOrigin(*further);
    } else if (!IsQuestion(use) && KeepsUse(use, entry_)) {
      Hinder({Obstacle::kNotCalled});
    }
  }

  const ApiEntry& entry_;
  const FileContext& file_;
  ApiAlias alias_;
};

}  // namespace

Text DescribeObstacle(const ApiEntry& entry, const ApiObstacle& obstacle) {
  const std::string& old = entry.old_name;
  switch (obstacle.kind) {
    case Obstacle::kNotCalled:
      return Say("{} stays: what is done with it here is not a call; perhaps use {}",
                 "{} 保持不变: 此处并非调用; 可考虑使用 {}", old, entry.new_name);
    case Obstacle::kFallback:
      return Say("{} stays: the program falls back to it where an import fails",
                 "{} 保持不变: 导入失败时程序以此替代", old);
    case Obstacle::kMixed:
      return Say("{} stays: the same name may stand for something else, whose arguments differ",
                 "{} 保持不变: 同一名称也可能指代参数不同的其他对象", old);
    case Obstacle::kReexported:
      return Say(
          "{0} stays: other files import this name, and {1} takes other arguments; import "
          "{1} there",
          "{0} 保持不变: 其他文件导入了该名称, 而 {1} 的参数不同; 请在那些文件中导入 {1}", old,
          entry.new_name);
    case Obstacle::kNoTorch:
      return Say("{} stays: import torch at the top of the file and use {}",
                 "{} 保持不变: 请在文件开头导入 torch 并使用 {}", old, entry.new_name);
    case Obstacle::kCompiled:
      return Say("{} stays: torch.jit.script compiles a function that calls it, and knows no {}",
                 "{} 保持不变: torch.jit.script 会编译调用它的函数, 且不支持 {}", old,
                 entry.new_name);
    case Obstacle::kResult:
      return Say("{} stays: what is done with its result is not known to work with that of {}",
                 "{} 保持不变: 对其返回值的使用不一定适用于 {} 的返回值", old, entry.new_name);
    case Obstacle::kKeyword:
    case Obstacle::kNone:
      break;
  }
  if (obstacle.keyword.starts_with('.')) {
    return Say("{} stays: what {} gives has no {}", "{} 保持不变: {} 的返回值没有 {}", old,
               entry.new_name, obstacle.keyword);
  }
  if (obstacle.keyword == "**") {
    return Say("{} stays: {} may not take what ** passes",
               "{} 保持不变: {} 可能不接受 ** 传入的参数", old, entry.new_name);
  }
  if (obstacle.keyword == "*") {
    return Say("{} stays: {} does not take these positional arguments",
               "{} 保持不变: {} 不接受这些位置参数", old, entry.new_name);
  }
  return Say("{} stays: {} does not take the argument {}", "{} 保持不变: {} 不接受参数 {}", old,
             entry.new_name, obstacle.keyword);
}

ApiObstacle ObstacleOfCall(Node call, const ApiEntry& entry, const FileContext& file) {
  const std::vector<Argument> arguments = ArgumentsOf(call);
  if (ApiObstacle refused = RefusedKeyword(call, arguments, entry, file)) return refused;
  if (!entry.result_uses.empty() && !UsesOfResult(entry, file).AreKnown(call)) {
    return {Obstacle::kResult};
  }
  if (file.apis().target().device.empty() && IsTorchScript(call, file)) {
    return {Obstacle::kCompiled};
  }
  const CallChange& change = entry.call;
  if (change.empty()) return {};
  if (!call.Child(Field::kArguments).Is(NodeKind::kArgumentList)) {
    return {Obstacle::kKeyword, "*"};
  }
  if (GetsFirstArgument(arguments, change) && !TextAt(call, change.first_argument, file)) {
    return {Obstacle::kNoTorch};
  }
  if (NamesPositional(arguments, change)) {
    size_t position = 0;
    for (const Argument& argument : arguments) {
      if (!IsPositional(argument)) continue;
      const bool nameless = argument.is_splat || position++ >= change.positional_names.size();
      if (nameless) return {Obstacle::kKeyword, "*"};
    }
  }
  for (const std::string& keyword : change.bare_keywords) {
    const Argument* argument = FindKeyword(arguments, keyword);
    if (argument != nullptr && argument != arguments.data()) return {Obstacle::kKeyword, keyword};
    for (const Argument& other : arguments) {
      if (other.node.Is(NodeKind::kDictionarySplat)) return {Obstacle::kKeyword, "**"};
    }
  }
  if (!change.condition.empty() && !TextAt(call, change.condition, file)) {
    return {Obstacle::kNoTorch};
  }
  return {};
}

std::vector<Edit> ArgumentEdits(Node call, const ApiEntry& entry, const FileContext& file) {
  const CallChange& change = entry.call;
  std::vector<Edit> edits;
  const std::vector<Argument> arguments = ArgumentsOf(call);
  const uint32_t inside = call.Child(Field::kArguments).range().start + 1;
  const bool gets_first = GetsFirstArgument(arguments, change);
  if (gets_first) {
    edits.push_back({{inside, inside},
                     *TextAt(call, change.first_argument, file) + (arguments.empty() ? "" : ", ")});
  }
  if (NamesPositional(arguments, change)) {
    size_t position = 0;
    for (const Argument& argument : arguments) {
      if (!IsPositional(argument)) continue;
      const uint32_t start = argument.node.range().start;
      const std::string keyword = change.positional_names[position++] + "=";
      if (gets_first && start == inside) {
        edits.front().text += keyword;
      } else {
        edits.push_back({{start, start}, keyword});
      }
    }
  }
  if (gets_first || change.first_argument.empty()) {
    AddDefault(call, arguments, change, file, edits);
  }
  for (const std::string& keyword : change.bare_keywords) {
    const Argument* argument = FindKeyword(arguments, keyword);
    if (argument == nullptr) continue;
    edits.push_back({{argument->node.range().start, argument->value_range.start}, ""});
  }
  if (!change.condition.empty() && !IsImplied(call, change, file)) {
    Condition(call, change, *TextAt(call, change.condition, file), edits);
  }
  return edits;
}

ApiAlias AliasOf(const Binding& binding, const ApiEntry& entry, const FileContext& file) {
  return AliasSearch(entry, file).Run(binding);
}

bool KeepsUse(Node use, const ApiEntry& entry) {
  if (entry.call.empty()) return entry.called_only;
  return entry.called_only || !IsTypeUse(use);
}

bool AsksAbout(const ApiEntry& entry, const FileContext& file) {
  const auto& spelled = file.names().places().NodesSaying(LastPart(entry.old_name));
  return std::ranges::any_of(spelled, [&](Node name) {
    const Node chain = name.field() == Field::kAttribute ? name.parent() : name;
    return UseOfName(chain).use == NameUse::kAsked && file.names().IsNamed(chain, entry.old_name);
  });
}

bool IsTypeUse(Node use) {
  for (Node node = use, parent = node.parent(); parent; node = parent, parent = parent.parent()) {
    if (parent.Is(NodeKind::kType)) return true;
    if (parent.Is(NodeKind::kTuple) || parent.Is(NodeKind::kSubscript) ||
        parent.Is(NodeKind::kGenericType) || parent.Is(NodeKind::kTypeParameter) ||
        parent.Is(NodeKind::kBinaryOperator)) {
      continue;
    }
    const Node call = parent.Is(NodeKind::kArgumentList) ? parent.parent() : Node();
    const std::string_view callee = call ? call.Child(Field::kFunction).text() : "";
    return (callee == "isinstance" || callee == "issubclass") &&
           !(parent.first_named_child() == node);
  }
  return false;
}

const Binding* BindingMadeBy(Node name, const FileContext& file) {
  const std::vector<Binding>& bindings = file.names().bindings();
  const auto near = FirstFrom(bindings, name.id());
  if (near != bindings.end() && near->node == name) return &*near;
  // A parameter is bound before what stands in the default of one before it.
  const auto made =
      std::ranges::find_if(bindings, [&](const Binding& binding) { return binding.node == name; });
  return made == bindings.end() ? nullptr : &*made;
}

const Binding* BindingOfValue(Node value, const FileContext& file) {
  Node node = value;
  while (node.parent().Is(NodeKind::kParenthesizedExpression) ||
         (node.parent().Is(NodeKind::kConditionalExpression) &&
          !(node.parent().first_named_child().next_named_sibling() == node))) {
    node = node.parent();
  }
  const Node assignment = node.parent();
  if (!assignment.Is(NodeKind::kAssignment) || node.field() != Field::kRight) return nullptr;
  const Node target = assignment.Child(Field::kLeft);
  return target.Is(NodeKind::kIdentifier) ? BindingMadeBy(target, file) : nullptr;
}

std::vector<Node> SpelledIn(const Binding& holder, const ApiEntry& entry, const FileContext& file) {
  std::vector<Node> chains;
  if (holder.kind != BindingKind::kAssignment) return chains;
  for (Node branch : BranchesOf(holder.value)) {
    if (branch.Is(NodeKind::kAttribute) && file.names().IsNamed(branch, entry.old_name)) {
      chains.push_back(branch);
    }
  }
  return chains;
}

bool MayBeOther(Node call, std::string_view name, const FileContext& file) {
  if (!HasPart(name, '.')) return false;
  if (const std::optional<BaseConstructor> constructor = BaseConstructorOf(call, file.names())) {
    return std::ranges::any_of(constructor->bases,
                               [&](const QualifiedName& base) { return base.name != name; });
  }
  for (const Callee& callee : CalleesOf(call)) {
    const std::vector<QualifiedName> names = file.names().Resolve(callee.expression);
    const bool other = std::ranges::any_of(
        names, [&](const QualifiedName& candidate) { return candidate.name != name; });
    if (other) return true;
  }
  return false;
}

bool ProjectDefinesMethod(const std::string& name, const FileContext& file) {
  const auto is_method = [](Node function) {
    if (!function.Is(NodeKind::kFunctionDefinition)) return false;
    Node around = function.parent();
    if (around.Is(NodeKind::kDecoratedDefinition)) around = around.parent();
    return around.Is(NodeKind::kBlock) && around.parent().Is(NodeKind::kClassDefinition);
  };
  const auto defines = [&](const NameTable& names) {
    return std::ranges::any_of(names.places().NodesSaying(name), [&](Node said) {
      return said.field() == Field::kName && is_method(said.parent());
    });
  };
  if (defines(file.names())) return true;
  if (file.project() == nullptr) return false;
  return std::ranges::any_of(file.project()->FilesSpelling(name), [&](const std::string& path) {
    const std::shared_ptr<const OpenedFile> other = file.project()->Open(path);
    return other != nullptr && defines(other->names());
  });
}

Text MayBeOtherMessage(std::string_view name) {
  return Say(
      "the call stays: its name stands for {}, but may stand for something else as well, "
      "whose arguments differ",
      "该调用保持不变: 其名称指代 {}, 但也可能指代参数不同的其他对象", name);
}

bool ComesThroughProject(Node chain, const FileContext& file) {
  const Node object = chain.Child(Field::kObject);
  if (!object || file.project() == nullptr) return false;
  return std::ranges::any_of(file.names().Resolve(object), [&](const QualifiedName& name) {
    return !file.project()->FileOfModule(file.source().path(), name.name).empty();
  });
}

}  // namespace transplt
