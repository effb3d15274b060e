// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/facts/classes.h"
#include "transplt/facts/signatures.h"
#include "transplt/facts/value_graph.h"
#include "transplt/python/name_table.h"
#include "transplt/python/project_index.h"

namespace transplt {

/// Answers what the texts of a program are for: devices, backends, or something else.
///
/// A text is followed through variables, parameters, results, attributes, options of the command
/// line, keys and comparisons; what holds the same value is one class of a ValueGraph, and all
/// its texts get one verdict. Other files of the project are read where what is called or
/// imported is defined there. One object serves one file and one thread.
class ValueFlows {
 public:
  /// `project` may be null.
  ValueFlows(const NameTable& names, const Classes& classes, const ProjectIndex* project,
             const Signatures& signatures);
  ~ValueFlows();

  /// What the string node `string` is, with everything that it is connected to.
  Verdict VerdictOf(Node string);

  /// The constant texts that the values connected with `string` have, its own among them.
  const std::set<std::string, std::less<>>& TextsOf(Node string);

  /// True if nothing else is connected with `string`: what becomes of it becomes of it alone.
  bool IsAlone(Node string);

 private:
  class File;
  struct State;

  ValueGraph::Slot SlotOf(Node string);

  std::unique_ptr<State> state_;
};

}  // namespace transplt
