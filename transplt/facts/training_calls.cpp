// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/training_calls.h"

#include <string>
#include <string_view>

#include "transplt/base/text_parts.h"
#include "transplt/python/arguments.h"
#include "transplt/python/callee.h"
#include "transplt/python/statement.h"

namespace transplt {
namespace {

std::string_view LastName(Node call) {
  const std::vector<Callee> callees = CalleesOf(call);
  return callees.empty() ? std::string_view() : callees.front().last_name.text();
}

}  // namespace

bool IsInBackwardMethod(Node call) {
  const Node function = DefinitionAround(call.parent());
  if (!function || function.Child(Field::kName).text() != "backward") return false;
  Node up = function.parent();
  while (up && !up.Is(NodeKind::kClassDefinition) && !up.Is(NodeKind::kFunctionDefinition)) {
    up = up.parent();
  }
  return up && up.Is(NodeKind::kClassDefinition);
}

bool IsBackwardCall(Node call) {
  const std::string_view name = LastName(call);
  if (name.ends_with("loss_scaler")) {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    return arguments.size() > 1 && HasPart(arguments[1].value.text(), "optim");
  }
  if (name != "backward") return false;
  const Node callee = call.Child(Field::kFunction);
  if (!callee.Is(NodeKind::kAttribute)) return false;
  const std::string_view object = callee.Child(Field::kObject).text();
  return !object.starts_with("super(") && object != "ctx" && !IsInBackwardMethod(call);
}

bool IsUpdateCall(Node call) {
  if (LastName(call) != "step") return false;
  const Node callee = call.Child(Field::kFunction);
  if (!callee.Is(NodeKind::kAttribute)) return false;
  const std::string receiver = Lower(callee.Child(Field::kObject).text());
  for (std::string_view word : {"sched", "prof", "debugger", "warmup"}) {
    if (HasPart(receiver, word)) return false;
  }
  return true;
}

}  // namespace transplt
