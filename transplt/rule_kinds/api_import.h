// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/base/edit.h"
#include "transplt/engine/file_context.h"
#include "transplt/rule_kinds/api_calls.h"

namespace transplt {

/// One name of `from M import a, b as c`.
struct ImportedName {
  Node item;                  ///< `b as c`
  Node name;                  ///< `b`
  const ApiEntry* entry;      ///< what the rules say about M.b, or null
  ApiObstacle obstacle = {};  ///< why it stays although there is an entry
  /// The identifier that the import binds.
  Node bound() const;
  bool moves() const {
    return entry != nullptr && !entry->new_name.empty() && !entry->in_class && !obstacle;
  }
};

/// What becomes of a from-import: which of its names move to another module.
struct ImportPlan {
  std::string module;            ///< M, absolute
  const ApiEntry* module_entry;  ///< what the rules say about M itself, or null
  bool is_star = false;
  std::vector<ImportedName> names;

  /// The first name that moves, or null.
  const ImportedName* FirstMoved() const;
};

ImportPlan PlanImportFrom(Node statement, const FileContext& file);

/// The edits that carry out the plan: in place when all names go to one module, else the names
/// that move get a statement of their own behind the old one. Names that are bound in the file
/// stay the same, so that no use needs an edit.
Fix MoveImport(Node statement, const ImportPlan& plan, const FileContext& file);

/// Names all names that move, where there are several; else `of_one`.
Text MoveMessage(const ImportPlan& plan, const Text& of_one);

/// True if `torch` is bound in the scope of `item` by another import than `import torch.x`.
bool BindsTorchElsewhere(Node item, const FileContext& file);

}  // namespace transplt
