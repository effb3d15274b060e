// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/value_uses.h"

#include <algorithm>
#include <array>

#include "transplt/rule_kinds/rule_names.h"

namespace transplt {
namespace {

constexpr size_t kMostUses = 500;

/// The nodes of `file` that say `name`; none if there are too many.
const std::vector<Node>& Sayings(std::string_view name, const FileContext& file) {
  static const std::vector<Node> none;
  const std::vector<Node>& nodes = file.NodesSaying(name);
  return nodes.size() > kMostUses ? none : nodes;
}

bool IsWritten(Node node) {
  return node.field() == Field::kLeft && node.parent().Is(NodeKind::kAssignment);
}

bool IsUseOf(Node use, const Binding& binding, const FileContext& file) {
  if (!use.Is(NodeKind::kIdentifier) || use == binding.node || use.text() != binding.name ||
      use.field() == Field::kAttribute || use.field() == Field::kName || IsWritten(use)) {
    return false;
  }
  const std::vector<const Binding*> meant = file.names().BindingsOf(use);
  return std::find(meant.begin(), meant.end(), &binding) != meant.end();
}

}  // namespace

std::vector<Node> UsesOf(const Binding& binding, const FileContext& file) {
  std::vector<Node> uses;
  for (const Node use : Sayings(binding.name, file)) {
    if (IsUseOf(use, binding, file)) uses.push_back(use);
  }
  return uses;
}

std::vector<Node> AttributesNamed(std::string_view name, const FileContext& file) {
  std::vector<Node> uses;
  for (const Node use : Sayings(name, file)) {
    const Node attribute = use.parent();
    if (use.field() == Field::kAttribute && attribute.Is(NodeKind::kAttribute) &&
        !IsWritten(attribute)) {
      uses.push_back(attribute);
    }
  }
  return uses;
}

std::vector<Node> EntriesNamed(Node key, std::string_view name, const FileContext& file) {
  std::vector<Node> uses;
  for (const Node use : Sayings(name, file)) {
    const Node string = use.parent();
    const Node content = string.Is(NodeKind::kString) ? PlainStringContent(string) : Node();
    if (string == key || !content || content.text() != name) continue;
    const Node holder = string.parent();
    if (holder.Is(NodeKind::kSubscript)) {
      uses.push_back(holder);
    } else if (holder.Is(NodeKind::kArgumentList) && IsLookup(holder.parent()) &&
               holder.first_named_child() == string) {
      uses.push_back(holder.parent());
    }
  }
  return uses;
}

std::vector<Node> CallsNamed(Node name, const FileContext& file) {
  std::vector<Node> calls;
  for (const Node use : Sayings(name.text(), file)) {
    if (!use.Is(NodeKind::kIdentifier) || use == name) continue;
    const Node whole = use.field() == Field::kAttribute ? use.parent() : use;
    if (whole.parent().Is(NodeKind::kCall) && whole.field() == Field::kFunction) {
      calls.push_back(whole.parent());
    }
  }
  return calls;
}

bool IsLookup(Node call) {
  static constexpr std::array<std::string_view, 5> kLookups = {"get", "pop", "setdefault", "getenv",
                                                               "getattr"};
  const std::vector<Callee> callees = CalleesOf(call);
  return !callees.empty() && std::find(kLookups.begin(), kLookups.end(),
                                       callees.front().last_name.text()) != kLookups.end();
}

}  // namespace transplt
