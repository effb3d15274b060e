// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "transplt/distributed/multi_card.h"
#include "transplt/python/arguments.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// The end of ":0", or of ":{index}", at the front of `text`; 0 if there is none.
size_t IndexIn(std::string_view text) {
  if (!text.starts_with(':')) return 0;
  if (text.size() > 1 && text[1] == '{') {
    const size_t end = text.find('}');
    return end == std::string_view::npos ? 0 : end + 1;
  }
  size_t end = 1;
  while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
  return end > 1 ? end : 0;
}

/// The expression that gives the index of a text with a place for it: `gpu` of
/// `"cuda:" + str(gpu)`, `"cuda:%d" % gpu`, `"cuda:{}".format(gpu)`. Or a null node.
Node IndexBeside(Node string) {
  const Node up = string.parent();
  if (up.Is(NodeKind::kBinaryOperator) && up.Child(Field::kLeft) == string) {
    const Node right = up.Child(Field::kRight);
    if (!right.Is(NodeKind::kCall) || right.Child(Field::kFunction).text() != "str") return right;
    const std::vector<Argument> arguments = ArgumentsOf(right);
    return arguments.empty() ? right : arguments.front().value;
  }
  if (up.Is(NodeKind::kAttribute) && up.Child(Field::kAttribute).text() == "format") {
    const std::vector<Argument> arguments = ArgumentsOf(up.parent());
    if (arguments.size() == 1) return arguments.front().value;
  }
  return {};
}

}  // namespace

void DropDeviceIndices(std::string_view device, Findings& findings) {
  for (Finding& finding : findings) {
    for (Edit& edit : finding.fix.edits) {
      const size_t at = edit.text.find(device);
      if (at == std::string::npos) continue;
      const size_t behind = at + device.size();
      edit.text.erase(behind, IndexIn(std::string_view(edit.text).substr(behind)));
    }
  }
}

void UseOwnCard(const SyntaxTree& tree, std::string_view device, Findings& findings) {
  const std::string_view bytes = tree.source().bytes();
  DropDeviceIndices(device, findings);
  Findings indices;
  for (Finding& finding : findings) {
    if (finding.applicability == Applicability::kDisplayOnly) continue;
    for (Edit& edit : finding.fix.edits) {
      const size_t at = edit.text.find(device);
      if (at == std::string::npos) continue;
      if (at + device.size() != edit.text.size()) continue;
      Node string = tree.NodeAt(edit.range);
      while (string && !string.Is(NodeKind::kString)) string = string.parent();
      if (!string) continue;
      const uint32_t end = string.range().end;
      const std::string_view rest = bytes.substr(edit.range.end, end - edit.range.end);
      const Node index = IndexBeside(string);
      if (index && rest.starts_with(':')) {
        Finding& chosen = indices.emplace_back();
        chosen.range = index.range();
        chosen.rule_id = kMultiCardRule;
        chosen.belongs_to = kMultiCardRule;
        chosen.takes_over = true;
        chosen.message = Say("the card of this process", "本进程的卡");
        chosen.needs_import = fmt::format("import {}", kDistributedModule);
        chosen.fix.Replace(index.range(), fmt::format("{}.local_rank()", kDistributedModule));
      } else if (const size_t length = IndexIn(rest); length > 0) {
        edit.range.end += static_cast<uint32_t>(length);
      }
    }
  }
  for (Finding& finding : indices) findings.push_back(std::move(finding));
}

}  // namespace transplt
