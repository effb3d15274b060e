// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/taken_values.h"

#include <algorithm>
#include <utility>

#include "transplt/base/word_list.h"
#include "transplt/facts/call_graph.h"
#include "transplt/facts/object_makers.h"
#include "transplt/facts/terms.h"
#include "transplt/facts/written_text.h"
#include "transplt/python/arguments.h"
#include "transplt/python/places_of_file.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr size_t kMostValues = 200;
constexpr int kMostTakes = 4;

std::string Quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

bool CallsPlain(Node call, std::string_view function) {
  return call.Is(NodeKind::kCall) && call.Child(Field::kFunction).text() == function;
}

class Taker {
 public:
  explicit Taker(const CodeFile& file) : file_(file) {}

  std::vector<TakenValue> Run(Node expression) {
    Take(expression, "", 0);
    // Of very many nothing is listed.
    return IsFull() ? std::vector<TakenValue>() : std::move(values_);
  }

 private:
  /// `members`: what of the looked up thing is meant, ".Model".
  void Take(Node expression, const std::string& members, int steps) {
    if (steps > kMostTakes) return;
    switch (expression.kind()) {
      case NodeKind::kParenthesizedExpression:
        return Take(expression.first_named_child(), members, steps + 1);
      case NodeKind::kIdentifier:
        return TakeFromVariable(expression, members, steps);
      case NodeKind::kSubscript:
        return TakeItem(expression.Child(Field::kValue), expression.Child(Field::kSubscript),
                        members);
      case NodeKind::kCall:
        return TakeFromCall(expression, members);
      case NodeKind::kAttribute:
        return Take(expression.Child(Field::kObject),
                    "." + std::string(expression.Child(Field::kAttribute).text()) + members,
                    steps + 1);
      default:
        return;
    }
  }

  void TakeFromVariable(Node name, const std::string& members, int steps) {
    if (members.empty()) return;
    const NameTable::Meanings bindings = file_.names().BindingsOf(name);
    if (bindings.size() != 1 || bindings[0]->kind != BindingKind::kAssignment) return;
    const Node value = bindings[0]->value;
    const bool is_taken = value.Is(NodeKind::kSubscript) || value.Is(NodeKind::kCall);
    if (is_taken && !value.IsAncestorOf(name)) Take(value, members, steps + 1);
  }

  void TakeFromCall(Node call, const std::string& members) {
    const Node callee = call.Child(Field::kFunction);
    const std::vector<Argument> given = ArgumentsOf(call);
    if (given.empty() || given.front().is_splat || !given.front().keyword.empty()) return;
    const Node key = given.front().value;
    if (callee.text() == "eval") return TakeNamed(key, members);
    if (callee.text() == "getattr") {
      const bool is_made = given.size() >= 2 && !PlainStringContent(given[1].value);
      return is_made ? TakeOfModule(key, given[1].value, members) : void();
    }
    const bool is_get = callee.Is(NodeKind::kAttribute) && given.size() <= 2 &&
                        callee.Child(Field::kAttribute).text() == "get";
    if (is_get) TakeItem(callee.Child(Field::kObject), key, members);
  }

  void TakeItem(Node table, Node key, const std::string& members) {
    if (CallsPlain(table, "globals")) return TakeNamed(key, members);
    if (table.Is(NodeKind::kAttribute) && table.Child(Field::kAttribute).text() == "__dict__") {
      return TakeOfModule(table.Child(Field::kObject), key, members);
    }
    if (members.empty()) return;
    TakeOfTable(table, file_, key, members);
    if (table.Is(NodeKind::kIdentifier)) {
      for (const Binding* binding : file_.names().BindingsOf(table)) {
        if (binding->kind == BindingKind::kAssignment && !IsFull()) {
          TakeOfTable(binding->value, file_, key, members);
        }
      }
    } else if (table.Is(NodeKind::kAttribute)) {
      TakeOfAttribute(table, file_, key, members);
      TakeOfBases(table, key, members);
    }
  }

  bool IsFull() const { return values_.size() >= kMostValues; }

  /// `self.nets = {...}`
  void TakeOfAttribute(Node table, const CodeFile& file, Node key, const std::string& members) {
    for (const Node same :
         file.names().places().NodesSaying(table.Child(Field::kAttribute).text())) {
      const Node left = same.parent();
      const bool is_same = left.Is(NodeKind::kAttribute) && same.field() == Field::kAttribute &&
                           left.field() == Field::kLeft && left.text() == table.text();
      if (is_same && !IsFull()) {
        TakeOfTable(left.parent().Child(Field::kRight), file, key, members);
      }
    }
  }

  /// The same of the files that define the bases of the class around.
  void TakeOfBases(Node table, Node key, const std::string& members) {
    const Node holder = file_.classes().EnclosingClass(table);
    if (!holder || file_.project() == nullptr || table.Child(Field::kObject).text() != "self") {
      return;
    }
    for (const Node base : NamedChildren(holder.Child(Field::kSuperclasses))) {
      for (const QualifiedName& name : file_.names().Resolve(base)) {
        const auto place = name.local ? std::nullopt : Locate(file_, name);
        const auto opened = place ? file_.project()->Open(place->file) : nullptr;
        if (opened == nullptr) continue;
        const Classes classes(opened->names(), file_.project());
        TakeOfAttribute(table, CodeFile(opened->names(), classes, file_.project()), key, members);
      }
    }
  }

  void TakeOfTable(Node table, const CodeFile& file, Node key, const std::string& members) {
    if (table.Is(NodeKind::kDictionary)) {
      for (const Node pair : NamedChildren(table)) {
        if (!pair.Is(NodeKind::kPair)) continue;
        const std::string at = ConstantOf(pair.Child(Field::kKey));
        AddNamed(pair.Child(Field::kValue), file, at, key, members);
      }
    } else if (CallsPlain(table, "dict")) {
      for (const Argument& argument : ArgumentsOf(table)) {
        if (argument.keyword.empty()) continue;
        AddNamed(argument.value, file, Quoted(argument.keyword), key, members);
      }
    }
  }

  void AddNamed(Node value, const CodeFile& file, const std::string& at, Node key,
                const std::string& members) {
    for (const QualifiedName& name : file.names().Resolve(value)) {
      Add(OriginOf(file, {name.name + members, name.local}), at, key);
    }
  }

  void Add(Origin origin, const std::string& at, Node key) {
    const std::string known = ConstantOf(key);
    const bool is_other = !known.empty() && !at.empty() && known != at;
    if (!is_other && !IsFull()) values_.push_back({std::move(origin), at, key, false});
  }

  /// What the module of this file knows by a name.
  void TakeNamed(Node key, const std::string& members) {
    if (members.empty() && !file_.names().star_imports().empty()) return;
    const std::vector<std::string> patterns = WrittenPatterns(key, file_.names());
    for (const Binding& binding : file_.names().bindings()) {
      if (binding.scope != 0 || !Fits(binding, patterns)) continue;
      const std::string at = Quoted(binding.name);
      if (binding.kind == BindingKind::kImport) {
        Add(OriginOf(file_, {binding.target + members, false}), at, key);
      } else if (IsDefined(binding)) {
        Add({file_.path(), std::string(binding.name) + members}, at, key);
      }
    }
  }

  static bool Fits(const Binding& binding, const std::vector<std::string>& patterns) {
    return patterns.empty() || std::ranges::any_of(patterns, [&](const std::string& pattern) {
             return MatchesPattern(pattern, binding.name);
           });
  }

  static bool IsDefined(const Binding& binding) {
    return binding.kind == BindingKind::kClass || binding.kind == BindingKind::kFunction;
  }

  void TakeOfModule(Node module, Node key, const std::string& members) {
    if (file_.project() == nullptr) return;
    for (const QualifiedName& name : file_.names().Resolve(module)) {
      const std::string path = file_.project()->FileOfModule(file_.path(), name.name);
      const auto opened = path.empty() ? nullptr : file_.project()->Open(path);
      if (opened == nullptr || !opened->names().star_imports().empty()) continue;
      const Classes classes(opened->names(), file_.project());
      TakeOfFile(CodeFile(opened->names(), classes, file_.project()), key, members);
    }
  }

  /// What the module defines for others, or imports.
  void TakeOfFile(const CodeFile& module, Node key, const std::string& members) {
    const std::vector<std::string> patterns = WrittenPatterns(key, file_.names());
    for (const Binding& binding : module.names().bindings()) {
      if (binding.scope != 0 || binding.name.starts_with('_') || !Fits(binding, patterns)) continue;
      const std::string at = Quoted(binding.name);
      const size_t known = values_.size();
      if (binding.kind == BindingKind::kImport) {
        Add(OriginOf(module, {binding.target + members, false}), at, key);
      } else if (IsDefined(binding)) {
        Add({module.path(), std::string(binding.name) + members}, at, key);
      } else if (binding.kind == BindingKind::kAssignment && binding.value) {
        AddNamed(binding.value, module, at, key, members);
      }
      const bool is_own =
          binding.kind != BindingKind::kImport && !ProjectIndex::IsPackage(module.path());
      for (size_t i = known; i < values_.size(); ++i) values_[i].is_own = is_own;
    }
  }

  const CodeFile& file_;
  std::vector<TakenValue> values_;
};

}  // namespace

std::vector<TakenValue> TakenValuesOf(Node expression, const CodeFile& file) {
  const bool may_be_taken = expression.Is(NodeKind::kAttribute) ||
                            expression.Is(NodeKind::kSubscript) || expression.Is(NodeKind::kCall);
  return may_be_taken ? Taker(file).Run(expression) : std::vector<TakenValue>();
}

}  // namespace transplt
