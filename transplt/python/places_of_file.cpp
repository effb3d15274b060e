// SPDX-License-Identifier: Apache-2.0
#include "transplt/python/places_of_file.h"

#include <algorithm>
#include <tuple>

namespace transplt {

const std::vector<Node>& PlacesOfFile::NodesSaying(std::string_view text) const {
  static const std::vector<Node> kNone;
  std::call_once(nodes_found_, [this] { FindNodes(); });
  const auto found = nodes_.find(text);
  return found == nodes_.end() ? kNone : found->second;
}

const PlacesOfFile::Members& PlacesOfFile::MembersOf(std::string_view object) const {
  static const Members kNone;
  std::call_once(members_found_, [this] { FindMembers(); });
  const auto found = members_.find(object);
  return found == members_.end() ? kNone : found->second;
}

const Binding* PlacesOfFile::BindingAt(Node identifier) const {
  std::call_once(bindings_found_, [this] { FindBindings(); });
  const auto found = at_.find(identifier.id());
  return found == at_.end() ? nullptr : found->second;
}

const std::vector<const Binding*>& PlacesOfFile::BindingsNamed(std::string_view name) const {
  static const std::vector<const Binding*> kNone;
  std::call_once(bindings_found_, [this] { FindBindings(); });
  const auto found = named_.find(name);
  return found == named_.end() ? kNone : found->second;
}

std::vector<const Binding*> PlacesOfFile::BindingsIn(uint32_t scope, std::string_view name) const {
  std::call_once(bindings_found_, [this] { FindBindings(); });
  const auto [first, last] =
      std::equal_range(scoped_.begin(), scoped_.end(), Scoped{scope, name, nullptr}, IsBefore);
  std::vector<const Binding*> bindings;
  for (auto place = first; place != last; ++place) bindings.push_back(place->binding);
  return bindings;
}

bool PlacesOfFile::IsBefore(const Scoped& a, const Scoped& b) {
  return std::tie(a.scope, a.name) < std::tie(b.scope, b.name);
}

void PlacesOfFile::FindNodes() const {
  const SyntaxTree& tree = names_.tree();
  for (uint32_t id = 0; id < tree.size(); ++id) {
    const Node node = tree.node(id);
    if (node.Is(NodeKind::kIdentifier) || node.Is(NodeKind::kStringContent)) {
      nodes_[node.text()].push_back(node);
    }
  }
}

void PlacesOfFile::FindMembers() const {
  const SyntaxTree& tree = names_.tree();
  for (uint32_t id = 0; id < tree.size(); ++id) {
    const Node node = tree.node(id);
    const Node object = node.Is(NodeKind::kAttribute) ? node.Child(Field::kObject) : Node();
    if (object.Is(NodeKind::kIdentifier)) {
      members_[object.text()][node.Child(Field::kAttribute).text()].push_back(node);
    }
  }
}

void PlacesOfFile::FindBindings() const {
  for (const Binding& binding : names_.bindings()) {
    at_.emplace(binding.node.id(), &binding);
    named_[binding.name].push_back(&binding);
    scoped_.push_back({binding.scope, binding.name, &binding});
  }
  std::stable_sort(scoped_.begin(), scoped_.end(), IsBefore);
}

}  // namespace transplt
