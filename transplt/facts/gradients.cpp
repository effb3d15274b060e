// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/gradients.h"

#include <algorithm>
#include <string_view>

#include "transplt/base/text_parts.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

bool TurnsThemOff(std::string_view text) {
  return HasPart(text, "no_grad") || HasPart(text, "inference_mode");
}

}  // namespace

bool IsWithoutGradients(Node node) {
  for (Node up = node.parent(); up; up = up.parent()) {
    if (up.Is(NodeKind::kWithStatement)) {
      if (TurnsThemOff(up.text().substr(0, up.text().find('\n')))) return true;
    }
    if (!up.Is(NodeKind::kFunctionDefinition)) continue;
    const Node decorated = up.parent();
    return decorated.Is(NodeKind::kDecoratedDefinition) &&
           std::ranges::any_of(NamedChildren(decorated), [](Node child) {
             return child.Is(NodeKind::kDecorator) && TurnsThemOff(child.text());
           });
  }
  return false;
}

}  // namespace transplt
