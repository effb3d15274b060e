// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/device_text.h"

#include <algorithm>

namespace transplt {
namespace {

/// The import that binds torch where `place` stands, the nearest one, or null.
const Binding* TorchImport(Node place, const FileContext& file) {
  const NameTable& names = file.names();
  for (uint32_t scope = names.ScopeOf(place);; scope = names.ParentScope(scope)) {
    for (const Binding& binding : names.bindings()) {
      const bool torch = binding.kind == BindingKind::kImport && binding.target == "torch";
      const bool later = scope != 0 && binding.statement.range().start > place.range().start;
      if (torch && binding.scope == scope && !later) return &binding;
    }
    if (scope == 0) return nullptr;
  }
}

}  // namespace

std::optional<std::string> TorchTextAt(Node place, std::string_view text, const FileContext& file) {
  const Binding* torch = TorchImport(place, file);
  if (torch == nullptr) return std::nullopt;
  const bool later = torch->statement.range().start > place.range().start;
  if (later && IsEvaluatedAtImport(place)) return std::nullopt;
  constexpr std::string_view kTorch = "torch.";
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const bool starts =
        at == 0 || text[at - 1] == ' ' || text[at - 1] == '(' || text[at - 1] == '{';
    if (starts && text.substr(at).starts_with(kTorch)) {
      result.append(torch->name).push_back('.');
      at += kTorch.size();
    } else {
      result.push_back(text[at++]);
    }
  }
  return result;
}

bool IsEvaluatedAtImport(Node node) {
  for (Node parent = node.parent(); parent; node = parent, parent = parent.parent()) {
    const bool body = node.field() == Field::kBody;
    if (body && (parent.Is(NodeKind::kFunctionDefinition) || parent.Is(NodeKind::kLambda))) {
      return false;
    }
  }
  return true;
}

bool MayBeConditional(Node node) {
  const Node parent = node.parent();
  switch (parent.kind()) {
    case NodeKind::kArgumentList:
    case NodeKind::kKeywordArgument:
    case NodeKind::kDefaultParameter:
    case NodeKind::kTypedDefaultParameter:
    case NodeKind::kParenthesizedExpression:
    case NodeKind::kReturnStatement:
    case NodeKind::kExpressionStatement:
    case NodeKind::kIfStatement:
    case NodeKind::kElifClause:
    case NodeKind::kWhileStatement:
    case NodeKind::kAssertStatement:
    case NodeKind::kList:
    case NodeKind::kTuple:
    case NodeKind::kExpressionList:
    case NodeKind::kListComprehension:
    case NodeKind::kSetComprehension:
    case NodeKind::kGeneratorExpression:
      return true;
    case NodeKind::kAssignment:
      return node.field() == Field::kRight;
    case NodeKind::kPair:
      return node.field() == Field::kValue;
    default:
      return false;
  }
}

std::string WithQuotesOf(std::string text, Node string) {
  const std::string_view start = string.first_child().text();
  if (!start.empty() && start.back() == '\'') std::ranges::replace(text, '"', '\'');
  return text;
}

bool IsInterpolated(Node node) {
  for (Node parent = node.parent(); parent; parent = parent.parent()) {
    if (parent.Is(NodeKind::kInterpolation)) return true;
  }
  return false;
}

}  // namespace transplt
