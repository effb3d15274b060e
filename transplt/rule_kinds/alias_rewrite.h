// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "transplt/base/edit.h"
#include "transplt/rule_kinds/api_calls.h"

namespace transplt {

/// All that has to change in a file together: imports and assignments that give an API a local
/// name, the other names that those imports hold, and the calls of all of them.
class AliasRewrite {
 public:
  /// From the import `statement`.
  static AliasRewrite From(Node statement, const FileContext& file);
  /// From `binding`, an assignment that stands for the API of `entry`.
  static AliasRewrite From(const Binding& binding, const ApiEntry& entry, const FileContext& file);

  /// True if `place`, an import statement or an attribute chain, is where the rewrite is reported.
  bool IsLedBy(Node place) const;
  Fix ToFix(const FileContext& file) const;

 private:
  void AddImport(Node statement, const FileContext& file);
  void AddAlias(const Binding& binding, const ApiEntry& entry, const FileContext& file);

  // By the id of the node, so that they are in the order of the text.
  std::map<uint32_t, Node> imports_;
  std::map<uint32_t, const ApiEntry*> chains_;
  std::map<uint32_t, const ApiEntry*> calls_;
};

/// Adds `edits` to `fix`: an insertion where a replacement begins becomes part of it.
void AddTo(Fix& fix, std::vector<Edit> edits);

}  // namespace transplt
