// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/advice_file.h"

#include <cctype>

#include "transplt/base/one_of.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/python/arguments.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

bool IsFunction(Node node) {
  return node.Is(NodeKind::kFunctionDefinition) || node.Is(NodeKind::kLambda);
}

/// The innermost loop around `node` in its function, or else that function.
Node LoopOrFunction(Node node) {
  for (Node up = node.parent(); up; up = up.parent()) {
    if (IsLoop(up) || IsFunction(up)) return up;
  }
  return {};
}

/// `if step % 100 == 0:` and conditions about logging: what they let through is not every step.
bool IsNowAndThen(Node condition) {
  for (const Node node : NodesIn(condition)) {
    if (node.Is(NodeKind::kBinaryOperator) && SignOf(node) == "%") {
      return true;
    }
    if (!node.Is(NodeKind::kIdentifier)) continue;
    const std::string name = Lower(node.text());
    if (Words("occasional-words").Has(name)) return true;
  }
  return false;
}

/// True if an `if` (or `except`) between `node` and `step` runs it only now and then.
bool IsGuarded(Node node, Node step) {
  for (Node up = node; up && !(up == step); up = up.parent()) {
    const Node parent = up.parent();
    if (parent.Is(NodeKind::kExceptClause) || up.Is(NodeKind::kRaiseStatement)) return true;
    const bool is_branch = parent.Is(NodeKind::kIfStatement) || parent.Is(NodeKind::kElifClause) ||
                           parent.Is(NodeKind::kElseClause);
    if (!is_branch || up.field() == Field::kCondition) continue;
    // Of an else or elif the condition of the `if` that it belongs to counts, too.
    const Node statement = parent.Is(NodeKind::kIfStatement) ? parent : parent.parent();
    if (!statement.Is(NodeKind::kIfStatement)) continue;
    if (IsNowAndThen(statement.Child(Field::kCondition))) return true;
    if (parent.Is(NodeKind::kElifClause) && IsNowAndThen(parent.Child(Field::kCondition))) {
      return true;
    }
  }
  return false;
}

bool SpeaksOfValidation(std::string_view text) {
  const std::string name = Lower(text);
  return Words("validation-words").Has(name);
}

/// True for files whose names say that they work on the host: data, evaluation, drawing.
bool PreparesData(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  if (Words("data-files").Has(file)) return true;
  for (size_t start = 0, end = path.find('/'); end != path.npos;
       start = end + 1, end = path.find('/', start)) {
    if (Words("data-folders").Has(path.substr(start, end - start))) return true;
  }
  return false;
}

}  // namespace

AdviceFile::AdviceFile(const FileContext& file)
    : file_(file), types_(file.names(), file.classes()) {
  prepares_data_ = PreparesData(file.source().path());
  imports_arrays_ = file.Imports("numpy") || file.Imports("pandas");
  for (const Node node : NodesIn(file.tree())) {
    if (!IsMethodCall(node, "backward") || file.tree().IsUnparsed(node.range())) continue;
    const Node object = node.Child(Field::kFunction).Child(Field::kObject);
    const Node function = EnclosingFunction(node);
    // The backward() of an autograd function, and classes that pass the call on, are no training.
    const bool passes_on = function && function.Child(Field::kName).text().ends_with("backward");
    const bool is_super = object.text() == "super()" || object.text() == "ctx";
    if (passes_on || is_super || !function) {
      if (function || !LoopOrFunction(node)) continue;
    }
    const Node step = LoopOrFunction(node);
    if (!step || step.Is(NodeKind::kLambda)) continue;
    backward_calls_.push_back(node);
    if (!IsOneOf(step, steps_)) steps_.push_back(step);
  }
}

Node AdviceFile::TrainingStep(Node node) const {
  for (Node up = node.parent(); up; up = up.parent()) {
    if (IsOneOf(up, steps_)) return up;
    if (IsFunction(up)) return {};
  }
  return {};
}

bool AdviceFile::IsIn(AdviceScope scope, Node node) const {
  switch (scope) {
    case AdviceScope::kTrainingStep: {
      const Node step = TrainingStep(node);
      return step && !IsGuarded(node, step);
    }
    case AdviceScope::kTrainingData:
      return IsTrainingData(node);
    case AdviceScope::kForward: {
      const Node function = EnclosingFunction(node);
      return function && function.Child(Field::kName).text() == "forward" &&
             file_.classes().EnclosingClass(function);
    }
    case AdviceScope::kDevice:
      return IsOnDevice(node);
    default:
      return true;
  }
}

bool AdviceFile::IsOnDevice(Node node) const {
  if (prepares_data_) return false;
  for (Node up = node.parent(); up; up = up.parent()) {
    const std::string_view name = up.Child(Field::kName).text();
    if (up.Is(NodeKind::kFunctionDefinition)) {
      if (name == "__getitem__" || HasPart(name, "collate")) return false;
    } else if (up.Is(NodeKind::kClassDefinition)) {
      for (std::string_view end : {"Dataset", "Sampler", "Transform", "Collator", "Loader"}) {
        if (name.ends_with(end)) return false;
      }
    }
  }
  Node object = node;
  if (node.Is(NodeKind::kSubscript)) object = node.Child(Field::kValue);
  if (node.Is(NodeKind::kForStatement) || node.Is(NodeKind::kForInClause)) {
    object = node.Child(Field::kRight);
  }
  if (node.Is(NodeKind::kIfStatement) || node.Is(NodeKind::kWhileStatement) ||
      node.Is(NodeKind::kElifClause)) {
    object = node.Child(Field::kCondition);
  }
  if (object.Is(NodeKind::kCall)) {
    const Node callee = object.Child(Field::kFunction);
    if (CalledName(object).empty() && callee.Is(NodeKind::kAttribute)) {
      object = callee.Child(Field::kObject);
    }
  }
  return !types_.IsOnHost(object);
}

bool AdviceFile::IsTrainingData(Node call) const {
  for (const Argument& argument : ArgumentsOf(call)) {
    const bool is_data =
        argument.keyword.empty() || argument.keyword == "dataset" || argument.keyword == "sampler";
    if (is_data && SpeaksOfValidation(argument.value.text())) return false;
    if (argument.keyword == "shuffle" && argument.value.Is(NodeKind::kFalse)) return false;
    if (argument.keyword == "batch_size" && argument.value.text() == "1") return false;
  }
  for (Node up = call.parent(); up; up = up.parent()) {
    if (up.Is(NodeKind::kAssignment) && SpeaksOfValidation(up.Child(Field::kLeft).text())) {
      return false;
    }
    if (up.Is(NodeKind::kPair) && SpeaksOfValidation(up.Child(Field::kKey).text())) return false;
    if (up.Is(NodeKind::kKeywordArgument) && SpeaksOfValidation(up.Child(Field::kName).text())) {
      return false;
    }
    if (up.Is(NodeKind::kFunctionDefinition)) {
      return !SpeaksOfValidation(up.Child(Field::kName).text());
    }
  }
  return true;
}

bool RunsOnce(Node node) {
  const Node function = EnclosingFunction(node);
  if (!function) return LoopOrFunction(node) == Node();
  const std::string_view name = function.Child(Field::kName).text();
  return name == "__init__" || HasPart(name, "init_weights") || HasPart(name, "reset_parameters") ||
         name == "__new__" || name == "__repr__" || name == "extra_repr" || name == "__post_init__";
}

}  // namespace transplt
