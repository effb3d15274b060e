// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/device_keys.h"

#include "transplt/rule_kinds/value_role.h"

namespace transplt {

bool IsKeyOfDevices(Node key, const FileContext& file) {
  const Node pair = key.parent();
  if (!pair.Is(NodeKind::kPair) || key.field() != Field::kKey) return false;
  const Node dictionary = pair.parent();
  const auto looked_up_by = [](Node looked_in) {
    const Node holder = looked_in.parent();
    if (holder.Is(NodeKind::kSubscript) && looked_in.field() == Field::kValue) {
      return holder.Child(Field::kSubscript);
    }
    const bool is_get = holder.Is(NodeKind::kAttribute) &&
                        holder.Child(Field::kAttribute).text() == "get" &&
                        holder.parent().Is(NodeKind::kCall);
    return is_get ? holder.parent().Child(Field::kArguments).first_named_child() : Node();
  };
  if (const Node index = looked_up_by(dictionary)) return SpeaksOfDevice(index.text());
  const Node name = dictionary.parent().Child(Field::kLeft);
  if (!dictionary.parent().Is(NodeKind::kAssignment) || !name.Is(NodeKind::kIdentifier)) {
    return false;
  }
  bool found = false;
  for (const Node use : file.NodesSaying(name.text())) {
    if (use == name) continue;
    const Node index = looked_up_by(use);
    if (!index) continue;
    if (index.Is(NodeKind::kString) || !SpeaksOfDevice(index.text())) return false;
    found = true;
  }
  return found;
}

}  // namespace transplt
