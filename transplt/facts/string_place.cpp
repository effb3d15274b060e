// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/string_place.h"

#include <algorithm>

#include "transplt/python/arguments.h"
#include "transplt/python/callee.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

Node CallOf(Node argument) {
  const Node list = argument.parent();
  const Node call = list.Is(NodeKind::kArgumentList) ? list.parent() : Node();
  return call.Is(NodeKind::kCall) ? call : Node();
}

const Signature* SignatureOf(Node call, const Signatures& signatures) {
  const std::vector<Callee> callees = CalleesOf(call);
  if (callees.empty()) return nullptr;
  const std::string_view whole = callees.front().expression.text();
  const Signature* signature = signatures.OfCall(whole);
  return signature != nullptr ? signature
                              : signatures.OfMethod(callees.front().last_name.text(), whole);
}

}  // namespace

Node Outermost(Node expression) {
  // A sum of N texts is N levels deep, and is climbed from each of them.
  constexpr int kDeepest = 1000;
  Node node = expression;
  Node parent = node.parent();
  for (int level = 0; parent && level < kDeepest; ++level, parent = node.parent()) {
    switch (parent.kind()) {
      case NodeKind::kParenthesizedExpression:
      case NodeKind::kConditionalExpression:
      case NodeKind::kBooleanOperator:
      case NodeKind::kBinaryOperator:
      case NodeKind::kConcatenatedString:
      case NodeKind::kTuple:
      case NodeKind::kList:
      case NodeKind::kSet:
      case NodeKind::kExpressionList:
        node = parent;
        break;
      case NodeKind::kAttribute: {  // 'cuda:{}'.format(...)
        Node call = parent.parent();
        if (!call.Is(NodeKind::kCall) || parent.field() != Field::kFunction ||
            parent.Child(Field::kAttribute).text() != "format") {
          return node;
        }
        node = call;
        break;
      }
      default:
        return node;
    }
  }
  return node;
}

bool IsMessage(Node string, const Signatures& signatures) {
  const Node node = Outermost(string);
  const Node parent = node.parent();
  if (parent.Is(NodeKind::kPrintStatement)) return true;
  if (parent.Is(NodeKind::kAssertStatement)) return parent.first_named_child() != node;
  Node argument = node;
  if (parent.Is(NodeKind::kKeywordArgument)) {
    const std::string_view keyword = parent.Child(Field::kName).text();
    if (signatures.OfKeyword(keyword) == Meaning::kMessage) return true;
    argument = parent;
  }
  const Node call = CallOf(argument);
  const Signature* signature = call ? SignatureOf(call, signatures) : nullptr;
  return signature != nullptr && signature->OfArgument(0, {}) == Meaning::kMessage;
}

bool IsOnlyShown(Node value) {
  constexpr int kMostSteps = 8;
  for (int step = 0; step < kMostSteps; ++step) {
    if (IsMessage(value)) return true;
    Node outer = Outermost(value).parent();
    if (outer.Is(NodeKind::kInterpolation)) {
      value = outer.parent();
      continue;
    }
    const Node call = outer.Is(NodeKind::kArgumentList) ? outer.parent() : Node();
    const Node callee = call.Child(Field::kFunction);
    const bool is_text = callee.Is(NodeKind::kAttribute)
                             ? callee.Child(Field::kAttribute).text() == "format"
                             : callee.text() == "str" || callee.text() == "repr";
    if (!callee || !is_text) return false;
    value = call;
  }
  return false;
}

bool OnlyTells(Node except_clause) {
  const Node error = except_clause.first_named_child();
  const bool takes_any = error.Is(NodeKind::kBlock) || error.text().starts_with("Exception") ||
                         error.text().starts_with("BaseException");
  if (!takes_any) return false;
  bool tells = false;
  for (const Node statement : NamedChildren(LastNamedChild(except_clause))) {
    if (statement.text() == "continue" || statement.text() == "break") continue;
    const Node value = statement.first_named_child();
    switch (statement.kind()) {
      case NodeKind::kComment:
      case NodeKind::kPassStatement:
        break;
      case NodeKind::kReturnStatement:
        if (value && std::ranges::any_of(NodesIn(value), [](Node part) {
              return part.Is(NodeKind::kCall) || part.Is(NodeKind::kIdentifier);
            })) {
          return false;
        }
        break;
      case NodeKind::kExpressionStatement: {
        const Node list = value.Is(NodeKind::kCall) ? value.Child(Field::kArguments) : Node();
        const Node shown = list ? list.first_named_child() : Node();
        if (!shown || !IsOnlyShown(shown)) return false;
        tells = true;
        break;
      }
      default:
        return false;
    }
  }
  return tells;
}

bool IsReference(Node string, const Signatures& signatures) {
  if (string.parent().Is(NodeKind::kType) || IsCompared(string)) return true;
  const Node call = CallOf(string);
  const std::vector<Callee> callees = call ? CalleesOf(call) : std::vector<Callee>();
  return !callees.empty() && signatures.LooksUpNames(callees.front().last_name.text());
}

bool IsCompared(Node string) {
  return Outermost(string).parent().Is(NodeKind::kComparisonOperator);
}

bool IsLookedFor(Node string, const Signatures& signatures) {
  const Node call = CallOf(string);
  const Signature* signature = call ? SignatureOf(call, signatures) : nullptr;
  return signature != nullptr && signature->OfArgument(0, {}) == Meaning::kObject;
}

bool IsPositionalArgument(Node string, const Signatures& signatures) {
  const Node call = CallOf(Outermost(string));
  return call && SignatureOf(call, signatures) == nullptr;
}

bool IsDefaultOfOption(Node string, const Signatures& signatures) {
  const Node argument = string.parent();
  if (!argument.Is(NodeKind::kKeywordArgument)) return false;
  if (argument.Child(Field::kName).text() != "default") return false;
  const Node call = CallOf(argument);
  const Signature* signature = call ? SignatureOf(call, signatures) : nullptr;
  return signature != nullptr && signature->OfArgument(0, "default") == Meaning::kOptionValue;
}

bool IsHeld(Node string, const NameTable& names, const Signatures& signatures) {
  const Node argument = string.parent().Is(NodeKind::kKeywordArgument) ? string.parent() : Node();
  const Node call = argument ? CallOf(argument) : Node();
  if (!call) return false;
  for (const QualifiedName& name : names.Resolve(call.Child(Field::kFunction))) {
    const Signature* signature = name.local ? nullptr : signatures.OfCall(name.name);
    if (signature != nullptr &&
        signature->OfArgument(0, argument.Child(Field::kName).text()) == Meaning::kHeld) {
      return true;
    }
  }
  return false;
}

bool IsConstantOfModule(Node string) {
  const Node assignment = string.parent();
  if (!assignment.Is(NodeKind::kAssignment) ||
      !assignment.parent().parent().Is(NodeKind::kModule)) {
    return false;
  }
  const std::string_view name = assignment.Child(Field::kLeft).text();
  return std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

Node AttributeHolder(Node string, const Signatures& signatures) {
  const Node call = CallOf(string);
  const Signature* signature =
      call ? signatures.OfCall(call.Child(Field::kFunction).text()) : nullptr;
  if (signature == nullptr || signature->OfArgument(1, {}) != Meaning::kAttribute) return {};
  const std::vector<Argument> arguments = ArgumentsOf(call);
  return arguments.size() > 1 && arguments[1].value == string ? arguments[0].value : Node();
}

}  // namespace transplt
