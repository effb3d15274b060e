// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/rule_names.h"

#include <algorithm>

#include "transplt/base/text_parts.h"
#include "transplt/engine/word_filter.h"

namespace transplt {

bool MatchesName(const Callee& callee, std::string_view name, const FileContext& file) {
  if (callee.last_name.text() != LastPart(name)) {
    // `CD = CC.DD; CD()` and `from m import a as b; b()` spell another name.
    if (!callee.expression.Is(NodeKind::kIdentifier)) return false;
  }
  if (!HasPart(name, '.')) return callee.last_name.text() == name;
  const std::vector<QualifiedName> names = file.names().Resolve(callee.expression);
  return std::ranges::any_of(
      names, [&](const QualifiedName& candidate) { return candidate.name == name; });
}

bool Calls(Node call, std::string_view name, const FileContext& file) {
  return std::ranges::any_of(CalleesOf(call),
                             [&](const Callee& callee) { return MatchesName(callee, name, file); });
}

WordSets WordsOfName(std::string_view dotted) {
  std::vector<std::string> words;
  for (std::string_view part : SplitDotted(dotted)) {
    if (part != "torch") words.emplace_back(part);
  }
  if (words.empty()) return {{std::string(LastPart(dotted))}};
  if (words.size() == 1) return {words};  // of `torch.x` x, of `horovod.torch` horovod
  return {words, {std::string(kStarImport), words.back()}};
}

}  // namespace transplt
