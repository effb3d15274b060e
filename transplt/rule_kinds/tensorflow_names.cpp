// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/tensorflow_names.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "transplt/base/one_of.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/python/arguments.h"
#include "transplt/python/callee.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// The values that assignments of the file give to the variable or attribute.
std::vector<Node> ValuesOf(Node expression, const FileContext& file) {
  std::vector<Node> values;
  if (expression.Is(NodeKind::kIdentifier)) {
    for (const Binding* binding : file.names().BindingsOf(expression)) {
      if (binding->kind == BindingKind::kAssignment && binding->value) {
        values.push_back(binding->value);
      }
    }
    return values;
  }
  if (!expression.Is(NodeKind::kAttribute) || expression.Child(Field::kObject).text() != "self") {
    return values;
  }
  const Node holder = file.classes().EnclosingClass(expression);
  for (Node name : file.NodesSaying(expression.Child(Field::kAttribute).text())) {
    const Node attribute = name.parent();
    const Node assignment = attribute.parent();
    if (assignment.Is(NodeKind::kAssignment) && attribute.field() == Field::kLeft &&
        attribute.text() == expression.text() &&
        file.classes().EnclosingClass(assignment) == holder) {
      if (const Node value = assignment.Child(Field::kRight)) values.push_back(value);
    }
  }
  return values;
}

void AddMakers(Node expression, const FileContext& file, int depth, std::set<uint32_t>& seen,
               std::vector<std::string>& makers) {
  while (expression.Is(NodeKind::kParenthesizedExpression)) {
    expression = expression.first_named_child();
  }
  if (depth == 0 || !expression || !seen.insert(expression.id()).second) return;
  if (expression.Is(NodeKind::kConditionalExpression)) {
    for (const Node part : NamedChildren(expression)) {
      AddMakers(part, file, depth - 1, seen, makers);
    }
    return;
  }
  if (expression.Is(NodeKind::kCall)) {
    const Node callee = expression.Child(Field::kFunction);
    const std::vector<std::string> names = TensorflowNamesOf(callee, file);
    makers.insert(makers.end(), names.begin(), names.end());
    // `Dataset.range(3).map(f)`: what a method gives is taken for an object of the same kind.
    if (names.empty() && callee.Is(NodeKind::kAttribute)) {
      AddMakers(callee.Child(Field::kObject), file, depth - 1, seen, makers);
    }
    return;
  }
  for (Node value : ValuesOf(expression, file)) AddMakers(value, file, depth - 1, seen, makers);
}

}  // namespace

std::vector<std::string> TensorflowNamesOf(Node expression, const FileContext& file) {
  std::vector<std::string> names;
  for (const QualifiedName& name : file.names().Resolve(expression)) {
    if (!name.local) names.push_back(TensorflowName(name.name));
  }
  return names;
}

std::vector<std::string> MakersOf(Node expression, const FileContext& file, int depth) {
  std::vector<std::string> makers;
  std::set<uint32_t> seen;
  AddMakers(expression, file, depth, seen, makers);
  return makers;
}

std::vector<Trigger> TensorflowFunctions::Triggers() const {
  std::vector<Trigger> triggers;
  std::set<std::string_view> known;
  for (const std::string& name : names_) {
    const std::string_view last = LastPart(name);
    if (known.insert(last).second) triggers.push_back({NodeKind::kCall, std::string(last)});
    // `from tensorflow import Session as S; S()`: found by what the callee stands for.
    triggers.push_back({NodeKind::kCall, name});
    constexpr std::string_view kPackage = "tensorflow.";
    if (name.starts_with(kPackage)) {
      triggers.push_back({NodeKind::kCall, "tensorflow.compat.v1." + name.substr(kPackage.size())});
    }
  }
  return triggers;
}

WordSets TensorflowFunctions::Words() const {
  std::set<std::vector<std::string>> words;
  for (const std::string& name : names_) {
    const std::string last(LastPart(name));
    if (name.starts_with("horovod.")) {
      words.insert({"horovod", last});
      continue;
    }
    words.insert({"tensorflow", last});
    words.insert({"tf", last});
    if (name.starts_with("tensorflow.keras.")) words.insert({"keras", last});
    if (name.starts_with("tensorflow.contrib.slim.")) words.insert({"slim", last});
  }
  return {words.begin(), words.end()};
}

bool TensorflowFunctions::Contains(const std::string& name) const { return IsOneOf(name, names_); }

std::string TensorflowFunctions::FindCalled(Node call, const FileContext& file) const {
  for (const Callee& callee : CalleesOf(call)) {
    for (const std::string& name : TensorflowNamesOf(callee.expression, file)) {
      if (Contains(name)) return name;
    }
    if (!callee.expression.Is(NodeKind::kAttribute)) continue;
    const std::string method = "." + std::string(callee.last_name.text());
    const bool is_method = std::ranges::any_of(
        names_, [&](const std::string& name) { return name.ends_with(method); });
    if (!is_method) continue;
    for (const std::string& maker : MakersOf(callee.expression.Child(Field::kObject), file)) {
      if (Contains(maker + method)) return maker + method;
    }
  }
  return "";
}

std::string TensorflowFunctions::FindBase(Node call, const FileContext& file) const {
  Bases bases = {file.project(), {}};
  return BaseBehind(call.Child(Field::kFunction), file.names(), bases);
}

std::string TensorflowFunctions::BaseBehind(Node expression, const NameTable& names,
                                            Bases& bases) const {
  const std::string& path = names.tree().source().path();
  for (const QualifiedName& name : names.Resolve(expression)) {
    std::string known = name.local ? std::string() : TensorflowName(name.name);
    if (Contains(known)) return known;
    const size_t dot = name.name.rfind('.');
    if (name.local) {
      known = BaseOfClass(name.name, names, bases);
    } else if (bases.project != nullptr && dot != std::string::npos) {
      const std::string file = bases.project->FileOfModule(path, name.name.substr(0, dot));
      const auto opened = file.empty() ? nullptr : bases.project->Open(file);
      known = opened == nullptr ? std::string()
                                : BaseOfClass(LastPart(name.name), opened->names(), bases);
    } else {
      continue;
    }
    if (!known.empty()) return known;
  }
  return "";
}

std::string TensorflowFunctions::BaseOfClass(std::string_view name, const NameTable& names,
                                             Bases& bases) const {
  if (!bases.seen.emplace(names.tree().source().path(), name).second) return "";
  for (const Binding& binding : names.bindings()) {
    if (binding.kind != BindingKind::kClass || binding.scope != 0 || binding.name != name) continue;
    for (const Node base : NamedChildren(binding.statement.Child(Field::kSuperclasses))) {
      std::string found = BaseBehind(base, names, bases);
      if (!found.empty()) return found;
    }
  }
  return "";
}

bool PassesUnknown(Node call) {
  return std::ranges::any_of(ArgumentsOf(call),
                             [](const Argument& argument) { return argument.is_splat; });
}

Edit AppendArguments(Node call, const std::vector<std::string>& texts, const FileContext& file) {
  const std::vector<Argument> arguments = ArgumentsOf(call);
  uint32_t place = call.Child(Field::kArguments).range().start + 1;
  std::string separator = ", ";
  if (!arguments.empty()) {
    const TextRange last = arguments.back().range;
    const std::optional<std::string> margin = MarginOf(arguments.back().node);
    if (margin) separator = "," + std::string(file.source().LineEndAt(last.start)) + *margin;
    place = last.end;
  }
  std::string text;
  for (const std::string& argument : texts) {
    text += (arguments.empty() && text.empty() ? "" : separator) + argument;
  }
  return {{place, place}, text};
}

bool IsForEvaluation(std::string_view name) {
  const std::vector<std::string> parts = PartsOfName(name);
  return std::ranges::any_of(
      parts, [](const std::string& part) { return Words("evaluation-words").Has(part); });
}

}  // namespace transplt
