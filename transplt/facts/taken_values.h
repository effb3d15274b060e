// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/facts/code_file.h"
#include "transplt/facts/origin.h"

namespace transplt {

/// One of the things that an expression may stand for, by a name that is known when the program
/// runs.
struct TakenValue {
  Origin origin;
  std::string key;  ///< as ConstantOf() has it: under this it is found; "" where nothing says it
  Node asked;       ///< the expression that gives the key
  /// The module that is asked defines it itself, and is no package: what it imports beside that is
  /// not what a name is asked for, as a rule.
  bool is_own = false;
};

/// What something that is looked up may be: `NETS[key].Model` and `NETS.get(key).Model` with
/// `NETS = {"a": a, "b": b}` of the file, or with `self.nets` of a base of the class;
/// `eval(key)` and `globals()[key]` of what the file imports and defines, unless it imports `*`;
/// `module.__dict__[key]` and `getattr(module, key)` of what a module of the project defines and
/// imports; and `net.Model` with `net` one of these. Only what the text lists: empty for anything
/// else, and for what stands in a table itself, which is used where the table names it.
std::vector<TakenValue> TakenValuesOf(Node expression, const CodeFile& file);

}  // namespace transplt
