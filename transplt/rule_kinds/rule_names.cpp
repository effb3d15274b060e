// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/rule_names.h"

#include <algorithm>

#include "transplt/engine/word_filter.h"

namespace transplt {

bool MatchesName(const Callee& callee, std::string_view name, const FileContext& file) {
  if (callee.last_name.text() != LastPart(name)) {
    // `CD = CC.DD; CD()` and `from m import a as b; b()` spell another name.
    if (!callee.expression.Is(NodeKind::kIdentifier)) return false;
  }
  if (name.find('.') == std::string_view::npos) return callee.last_name.text() == name;
  const std::vector<QualifiedName> names = file.names().Resolve(callee.expression);
  return std::any_of(names.begin(), names.end(),
                     [&](const QualifiedName& candidate) { return candidate.name == name; });
}

std::vector<std::vector<std::string>> WordsOfName(std::string_view dotted) {
  std::vector<std::string> words;
  for (std::string_view part : SplitDotted(dotted)) {
    if (part != "torch") words.emplace_back(part);
  }
  if (words.empty()) return {{std::string(LastPart(dotted))}};
  if (words.size() == 1) return {words};  // of `torch.x` x, of `horovod.torch` horovod
  return {words, {std::string(kStarImport), words.back()}};
}

bool IsNpuName(std::string_view dotted) {
  // Also what torch_npu adds to classes of torch: Tensor.npu, Tensor.is_npu, Backend.HCCL.
  const std::vector<std::string_view> parts = SplitDotted(dotted);
  return std::any_of(parts.begin(), parts.end(), [](std::string_view part) {
    return part == "npu" || part == "torch_npu" || part == "is_npu" || part == "HCCL";
  });
}

}  // namespace transplt
