// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "transplt/facts/code_file.h"
#include "transplt/facts/origin.h"

namespace transplt {

/// Where a name of a file is defined: in the project, or in a library.
Origin OriginOf(const CodeFile& file, const QualifiedName& name);
/// The same of a variable of the module that `identifier` means, by which other files know what it
/// holds: `TRAINERS` after `TRAINERS = Registry()`. nullopt for all else.
std::optional<Origin> OriginOfVariable(const CodeFile& file, Node identifier);

/// Answers for the objects of one file what has made them, as far as the text says.
class ObjectMakers {
 public:
  explicit ObjectMakers(const CodeFile& file);

  /// The classes of `expression`, or the functions whose value it is: of `x` after `x = Class()`,
  /// `self.x` after `self.x = make()`, a parameter with an annotation, `self`, `super()`; of what
  /// is imported from the project, the variable of the other file.
  std::vector<Origin> Of(Node expression) const {
    Seen seen;
    return Of(expression, 0, seen);
  }

  /// All members that the function (of `self.x`: the class) around `object` uses of it.
  std::set<std::string> MembersUsedOf(Node object) const;

 private:
  /// The expressions that one question has come to: `x = f(x)`, N times, leads N ways from each.
  using Seen = std::set<uint32_t>;
  using Place = std::pair<uint32_t, std::string>;  // the scope's node, the text of the object

  Place PlaceOf(Node object) const;
  std::vector<Origin> Of(Node expression, int depth, Seen& seen) const;
  std::vector<Origin> OfCall(Node call, int depth, Seen& seen) const;
  std::vector<Origin> OfVariable(Node identifier, int depth, Seen& seen) const;
  void AddNamed(Node expression, std::vector<Origin>& makers) const;
  void AddImported(Node identifier, std::vector<Origin>& makers) const;
  void AddAnnotated(Node annotation, std::vector<Origin>& makers) const;
  std::vector<Origin> ClassAround(Node node) const;

  const CodeFile file_;
  std::map<Place, std::set<std::string>> members_;
  std::map<Place, std::vector<Node>> assigned_;  // to attributes of self
};

}  // namespace transplt
