// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// A literal of a script as JSON.
struct LiteralJson {
  std::string text;                    ///< JSON, without what is computed
  std::map<std::string, Node> places;  ///< of each value, by its JSON pointer
  std::set<std::string> computed;      ///< the pointers of what is left out
};

/// Of a dictionary; its keys are strings, else they are left out, too.
LiteralJson LiteralJsonOf(Node dictionary);

}  // namespace transplt
