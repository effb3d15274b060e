// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/libraries.h"

#include <algorithm>

#include "transplt/engine/torch_apis.h"
#include "transplt/facts/imported_library.h"
#include "transplt/facts/project.h"

namespace transplt {

Library LoadedLibrary(const LoadedRule& loaded) {
  const Fields& fields = loaded.notes.fields;
  const std::string effect = fields.String("effect");
  return {loaded.rule->id(), fields.List("names"),
          (effect == "import" || effect == "run") && !fields.Has("served_from")};
}

Libraries::Libraries(const RuleSet& rules) {
  for (const LoadedRule& loaded : rules.rules()) {
    if (loaded.rule->header().kind != "LibraryReportRule") continue;
    Library library = LoadedLibrary(loaded);
    if (library.stops && !library.names.empty()) libraries_.push_back(std::move(library));
  }
}

bool Libraries::Hold(const std::string& qualified) const {
  return std::ranges::any_of(libraries_, [&](const Library& library) {
    return std::ranges::any_of(library.names,
                               [&](const std::string& name) { return IsInside(name, qualified); });
  });
}

std::vector<std::pair<Node, std::string>> Libraries::UsesIn(const FileContext& file) const {
  std::vector<std::pair<Node, std::string>> uses;
  for (const Node node : UsedNames(file)) {
    for (const QualifiedName& name : file.names().Resolve(node)) {
      if (name.local || !Hold(name.name)) continue;
      const bool is_own =
          file.modules() != nullptr && file.modules()->IsOwn(file.source().path(), name.name);
      if (is_own || IsOnlyNamed(node, name.name)) continue;
      uses.emplace_back(node, name.name);
      break;
    }
  }
  return uses;
}

}  // namespace transplt
