// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "transplt/python/name_table.h"

namespace transplt {

/// Where the names and texts of a file stand; looked for when they are first asked for. Safe to use
/// from several threads.
class PlacesOfFile {
 public:
  /// `names` must outlive it.
  explicit PlacesOfFile(const NameTable& names) : names_(names) {}

  /// The identifiers and the pieces of strings that are `text`, in the order of the text.
  const std::vector<Node>& NodesSaying(std::string_view text) const;

  /// The attributes of the variable `object`, by the name of the member, in the order of the text.
  using Members = std::unordered_map<std::string_view, std::vector<Node>>;
  const Members& MembersOf(std::string_view object) const;

  /// The binding that `identifier` makes, or null.
  const Binding* BindingAt(Node identifier) const;

  /// The bindings of `name`, in the order of the text.
  const std::vector<const Binding*>& BindingsNamed(std::string_view name) const;

  /// Those of them that one scope has.
  std::vector<const Binding*> BindingsIn(uint32_t scope, std::string_view name) const;

 private:
  struct Scoped {
    uint32_t scope;
    std::string_view name;
    const Binding* binding;
  };
  static bool IsBefore(const Scoped& a, const Scoped& b);

  void FindNodes() const;
  void FindMembers() const;
  void FindBindings() const;

  const NameTable& names_;
  mutable std::once_flag nodes_found_;
  mutable std::unordered_map<std::string_view, std::vector<Node>> nodes_;
  mutable std::once_flag members_found_;
  mutable std::unordered_map<std::string_view, Members> members_;  // by object
  mutable std::once_flag bindings_found_;                          // for the members below
  mutable std::unordered_map<uint32_t, const Binding*> at_;        // by node
  mutable std::unordered_map<std::string_view, std::vector<const Binding*>> named_;
  mutable std::vector<Scoped> scoped_;  // by scope and name, then in the order of the text
};

}  // namespace transplt
