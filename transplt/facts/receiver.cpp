// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/receiver.h"

#include <algorithm>

#include "transplt/facts/loops.h"
#include "transplt/facts/signatures.h"
#include "transplt/facts/tensor_names.h"
#include "transplt/python/arguments.h"
#include "transplt/python/callee.h"
#include "transplt/python/dotted_name.h"

namespace transplt {
namespace {

/// The library that made every object that `identifier` can be, where none of its objects is a
/// tensor or a module of torch; else "".
std::string LibraryOf(Node identifier, const CodeFile& file) {
  std::string library;
  for (const Binding* binding : file.names().BindingsOf(identifier)) {
    if (binding->kind != BindingKind::kAssignment || !binding->value.Is(NodeKind::kCall)) return {};
    const std::vector<QualifiedName> names =
        file.names().Resolve(binding->value.Child(Field::kFunction));
    if (names.size() != 1 || names.front().local) return {};
    if (!Signatures::Builtin().IsForeign(names.front().name)) return {};
    library = FirstPart(names.front().name);
  }
  return library;
}

/// True for a module of the project that defines `name` or imports it.
bool IsModuleWith(Node receiver, std::string_view name, const CodeFile& file) {
  const ProjectIndex* project = file.project();
  if (project == nullptr) return false;
  return std::ranges::any_of(file.names().Resolve(receiver), [&](const QualifiedName& module) {
    if (module.local) return false;
    const auto imported = project->Find(file.path(), module.name, name);
    return (imported && !imported->empty()) ||
           !project->FindDefinition(file.path(), module.name, name).empty();
  });
}

/// True if a variable of a usual name for the options of a program is not provably something else.
bool IsOfOptions(Node identifier, const CodeFile& file) {
  if (!Signatures::Builtin().IsNameOfOptions(identifier.text())) return false;
  const NameTable::Meanings bindings = file.names().BindingsOf(identifier);
  return std::ranges::none_of(bindings, [&](const Binding* binding) {
    if (binding->kind != BindingKind::kAssignment || !binding->value.Is(NodeKind::kCall)) {
      return false;
    }
    const std::vector<QualifiedName> made =
        file.names().Resolve(binding->value.Child(Field::kFunction));
    return std::ranges::any_of(made, [](const QualifiedName& name) {
      return !name.local && FirstPart(name.name) == "torch";
    });
  });
}

/// `torch.zeros(2)`, `nn.Linear(2, 2)`
bool IsMadeByTorch(Node call, const CodeFile& file) {
  const std::vector<QualifiedName> names = file.names().Resolve(call.Child(Field::kFunction));
  return !names.empty() && std::ranges::all_of(names, [](const QualifiedName& name) {
    return !name.local && name.name.starts_with("torch.");
  });
}

/// `x.unsqueeze(0)`, `x.float()`: a method of tensors, or of tensors and modules alone.
bool IsResultOfTensorMethod(Node call) {
  const Node callee = call.Child(Field::kFunction);
  if (!callee.Is(NodeKind::kAttribute)) return false;
  const std::string_view method = callee.Child(Field::kAttribute).text();
  if (Has(kOfOthersToo, method)) return false;
  return Has(kTensorMethods, method) || Has(kKeepingMethods, method) ||
         Has(kComputingMethods, method) || Has(kMaskMethods, method);
}

/// `x: torch.Tensor`, `model: nn.Module`, `net: Net` with a class of the project.
bool IsAnnotatedAsTorch(const Binding& parameter, const CodeFile& file) {
  const Node type = parameter.node.parent().Child(Field::kType);
  const Node annotation = type ? type.first_named_child() : Node();
  if (!annotation) return false;
  const std::vector<QualifiedName> names = file.names().Resolve(annotation);
  return std::ranges::any_of(names, [&](const QualifiedName& name) {
    if (!name.local && (name.name == "torch.Tensor" || name.name.starts_with("torch.nn."))) {
      return true;
    }
    return !name.local && file.project() != nullptr &&
           file.project()->ClassDefines(file.path(), name.name, "forward");
  });
}

/// True if the value of `expression` is what a DataLoader is asked for items: the loader itself,
/// or what a function such as enumerate makes of it.
bool IsLoader(Node expression, const CodeFile& file, int depth) {
  constexpr int kDeepest = 4;
  if (depth == kDeepest) return false;
  if (expression.Is(NodeKind::kIdentifier)) {
    const NameTable::Meanings bindings = file.names().BindingsOf(expression);
    return !bindings.empty() && std::ranges::all_of(bindings, [&](const Binding* binding) {
      return binding->kind == BindingKind::kAssignment && IsLoader(binding->value, file, depth + 1);
    });
  }
  if (!expression.Is(NodeKind::kCall)) return false;
  const Node callee = expression.Child(Field::kFunction);
  if (file.names().IsNamed(callee, "torch.utils.data.DataLoader")) return true;
  const std::vector<Argument> arguments = ArgumentsOf(expression);
  const bool passes = !callee.Is(NodeKind::kAttribute) && !arguments.empty();
  return passes && IsLoader(arguments[0].value, file, depth + 1);
}

/// `for i, (x, y) in enumerate(loader)`: one of the names.
bool IsItemOfLoader(const Binding& binding, const CodeFile& file) {
  if (binding.kind != BindingKind::kOther) return false;
  const Node iterated = IteratedBy(binding.node);
  return iterated && IsLoader(iterated, file, 0);
}

/// `x = x.cuda()`
bool IsMadeOfItself(const Binding& binding) {
  if (binding.kind != BindingKind::kAssignment || !binding.value.Is(NodeKind::kCall)) return false;
  const Node callee = binding.value.Child(Field::kFunction);
  return callee.Is(NodeKind::kAttribute) && callee.Child(Field::kObject).text() == binding.name;
}

/// Long enough for what people write; a chain of thousands of calls is not followed at each of
/// them.
constexpr int kMostReceiverSteps = 8;
constexpr size_t kMostReceivers = 64;

bool IsTorchVariable(Node use, const NameTable::Meanings& bindings, const CodeFile& file,
                     int steps);

bool IsTorchValue(Node value, const CodeFile& file, int steps) {
  while (value.Is(NodeKind::kParenthesizedExpression)) value = value.first_named_child();
  if (steps == kMostReceiverSteps) return false;
  ++steps;
  switch (value.kind()) {
    case NodeKind::kCall: {
      if (IsMadeByTorch(value, file) || IsResultOfTensorMethod(value)) return true;
      const Node callee = value.Child(Field::kFunction);
      if (callee.Is(NodeKind::kAttribute) &&
          Has(kOfSameObject, callee.Child(Field::kAttribute).text())) {
        return IsTorchValue(callee.Child(Field::kObject), file, steps);
      }
      break;
    }
    case NodeKind::kIdentifier: {
      const NameTable::Meanings bindings = file.names().BindingsOf(value);
      if (bindings.size() > kMostReceivers) return false;
      if (IsTorchVariable(value, bindings, file, steps)) return true;
      break;
    }
    case NodeKind::kBinaryOperator:
      return IsTorchValue(value.Child(Field::kLeft), file, steps) ||
             IsTorchValue(value.Child(Field::kRight), file, steps);
    case NodeKind::kSubscript:
      return IsTorchValue(value.Child(Field::kValue), file, steps);
    default:
      break;
  }
  return file.classes().ReceiverDefines(value, "forward");
}

/// True for a binding in a branch that `use` does not stand in.
bool IsInOtherBranch(const Binding& binding, Node use) {
  Node block = binding.node.parent();
  while (block && !block.Is(NodeKind::kBlock)) block = block.parent();
  return block && !block.IsAncestorOf(use);
}

bool IsTorchVariable(Node use, const NameTable::Meanings& bindings, const CodeFile& file,
                     int steps) {
  bool is_known = false;
  std::vector<const Binding*> reached(bindings.begin(), bindings.end());
  std::vector<Node> uses(reached.size(), use);  // from which they are reached
  for (size_t i = 0; i < reached.size(); ++i) {
    const Binding* const binding = reached[i];
    if (binding->value.Is(NodeKind::kNone)) continue;
    if (IsMadeOfItself(*binding)) {
      if (!IsInOtherBranch(*binding, uses[i])) continue;
      // It is what it was before the branches.
      const Node before = binding->value.Child(Field::kFunction).Child(Field::kObject);
      for (const Binding* earlier : file.names().BindingsOf(before)) {
        if (std::ranges::find(reached, earlier) != reached.end()) continue;
        reached.push_back(earlier);
        uses.push_back(before);
        if (reached.size() > kMostReceivers) return false;
      }
      continue;
    }
    const bool is_torch =
        binding->kind == BindingKind::kParameter
            ? IsAnnotatedAsTorch(*binding, file)
            : IsItemOfLoader(*binding, file) || (binding->kind == BindingKind::kAssignment &&
                                                 IsTorchValue(binding->value, file, steps));
    if (!is_torch) return false;
    is_known = true;
  }
  return is_known;
}

}  // namespace

bool IsTorchReceiver(Node receiver, const CodeFile& file) {
  const Node call = receiver.parent().parent();
  if (call.Is(NodeKind::kCall) && receiver.parent().field() == Field::kFunction &&
      FindKeyword(ArgumentsOf(call), "non_blocking") != nullptr) {
    return true;  // only what copies tensors has it
  }
  return IsTorchValue(receiver, file, 0);
}

bool IsForeignReceiver(Node receiver, std::string_view name, const CodeFile& file, Text* reason) {
  const Chain chain = ChainOf(receiver);
  // `args.cuda` is an option. What an option holds has no method of tensors: `args.model.cuda()`
  // asks a model that the program keeps among its options.
  const bool asks_what_it_holds = receiver.Is(NodeKind::kAttribute) && IsCalled(receiver.parent());
  if (chain.head.Is(NodeKind::kIdentifier) && !asks_what_it_holds &&
      IsOfOptions(chain.head, file)) {
    *reason = Say("an option of the program", "程序的选项");
    return true;
  }
  if (file.classes().ReceiverDefines(receiver, name)) {
    *reason = Say("its class defines {} itself", "其类自行定义了 {}", name);
    return true;
  }
  if (!chain.head.Is(NodeKind::kIdentifier)) return false;
  if (const std::string library = LibraryOf(chain.head, file); !library.empty()) {
    *reason = Say("it belongs to {}", "属于 {}", library);
    return true;
  }
  const NameTable::Meanings bindings = file.names().BindingsOf(chain.head);
  const bool imported =
      !bindings.empty() && std::ranges::all_of(bindings, [](const Binding* binding) {
        return binding->kind == BindingKind::kImport;
      });
  if (!imported) return false;
  if (IsModuleWith(receiver, name, file)) {
    *reason = Say("a function of a module of this project", "本工程某个模块的函数");
    return true;
  }
  const std::string& target = bindings.front()->target;
  // An object that another file of the project offers may well be a module.
  const bool of_project = file.project() != nullptr &&
                          (!file.project()->FileOfModule(file.path(), target).empty() ||
                           !file.project()->FileOfModule(file.path(), ParentPart(target)).empty());
  if (of_project) return false;
  *reason = Say("it belongs to {}", "属于 {}", FirstPart(target));
  return true;
}

}  // namespace transplt
