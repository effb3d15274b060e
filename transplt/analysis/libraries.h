// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transplt/engine/file_context.h"
#include "transplt/engine/rule_set.h"

namespace transplt {

/// A library as a LibraryReportRule of rules/third_party.json describes it.
struct Library {
  std::string id;
  std::vector<std::string> names;  ///< that programs import
  bool stops = false;              ///< a program that uses it as it is does not run on an NPU
};
Library LoadedLibrary(const LoadedRule& loaded);

/// The libraries that keep a program from running on an NPU: the table that migrate reads.
class Libraries {
 public:
  explicit Libraries(const RuleSet& rules);

  /// The names in a file that stand for something of these libraries, with what they stand for.
  /// What belongs to the project itself is left out.
  std::vector<std::pair<Node, std::string>> UsesIn(const FileContext& file) const;

 private:
  bool Hold(const std::string& qualified) const;

  std::vector<Library> libraries_;
};

}  // namespace transplt
