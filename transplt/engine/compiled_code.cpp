// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/compiled_code.h"

#include <algorithm>

#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/python/arguments.h"

namespace transplt {
namespace {

bool IsCompiler(Node expression, const FileContext& file) {
  const Node name =
      expression.Is(NodeKind::kCall) ? expression.Child(Field::kFunction) : expression;
  return std::ranges::any_of(file.names().Resolve(name), [](const QualifiedName& known) {
    return !known.local && Words("compilers-of-torch-script").Has(known.name);
  });
}

bool HasCompiler(Node definition, const FileContext& file) {
  const Node decorated = definition.parent();
  if (!decorated.Is(NodeKind::kDecoratedDefinition)) return false;
  for (Node child = decorated.first_named_child(); child && child != definition;
       child = child.next_named_sibling()) {
    if (child.Is(NodeKind::kDecorator) && IsCompiler(child.first_named_child(), file)) return true;
  }
  return false;
}

/// True if `value` is what `definition` defines, or an object of it: `f`, `Net`, `Net(3)`, and a
/// variable that holds one.
bool IsOf(Node value, Node definition, const FileContext& file, int variables) {
  if (value.Is(NodeKind::kCall)) value = value.Child(Field::kFunction);
  if (!value.Is(NodeKind::kIdentifier)) return false;
  const NameTable::Meanings bindings = file.names().BindingsOf(value);
  return std::ranges::any_of(bindings, [&](const Binding* binding) {
    if (binding->statement == definition || binding->node.parent() == definition) return true;
    return variables > 0 && binding->value && IsOf(binding->value, definition, file, variables - 1);
  });
}

bool IsGivenToCompiler(Node definition, const FileContext& file) {
  constexpr int kMostVariables = 2;
  return std::ranges::any_of(file.NodesSaying("script"), [&](Node node) {
    const Node name = node.field() == Field::kAttribute ? node.parent() : node;
    const Node call = name.parent();
    if (!call.Is(NodeKind::kCall) || name.field() != Field::kFunction || !IsCompiler(name, file)) {
      return false;
    }
    const std::vector<Argument> arguments = ArgumentsOf(call);
    return !arguments.empty() && IsOf(arguments[0].value, definition, file, kMostVariables);
  });
}

}  // namespace

bool IsTorchScript(Node node, const FileContext& file) {
  if (!HasPart(file.source().bytes(), "jit")) return false;
  for (Node parent = node.parent(); parent; parent = parent.parent()) {
    const bool is_function = parent.Is(NodeKind::kFunctionDefinition);
    if (!is_function && !parent.Is(NodeKind::kClassDefinition)) continue;
    if (is_function && parent.Child(Field::kName).text() == "__init__") return false;
    if (HasCompiler(parent, file) || IsGivenToCompiler(parent, file)) return true;
  }
  return false;
}

}  // namespace transplt
