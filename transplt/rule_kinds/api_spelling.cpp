// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/api_spelling.h"

#include <string>
#include <string_view>
#include <vector>

#include "transplt/rule_kinds/rule_names.h"

namespace transplt {
namespace {

Fix InFull(Node node, const ApiEntry& entry, const FileContext& file) {
  std::string name = entry.new_name;
  if (name.starts_with("torch.")) {
    const std::string local = file.names().LocalNameOf("torch");
    if (!local.empty()) name = local + name.substr(5);
  }
  return Fix{{{node.range(), name}}};
}

/// The parts of the chain that spell `name`, which may begin with names of modules of the project:
/// `lib.torch.cuda.init` is torch as another module has it.
std::vector<Node> PartsThatSpell(Node node, size_t length_of_name) {
  std::vector<Node> parts = ChainOf(node).parts;
  if (parts.size() >= length_of_name) {
    parts.erase(parts.begin(), parts.end() - static_cast<std::ptrdiff_t>(length_of_name) + 1);
  }
  return parts;
}

std::string Joined(const std::vector<std::string_view>& parts) {
  std::string text;
  for (const std::string_view part : parts) text.append(text.empty() ? "" : ".").append(part);
  return text;
}

}  // namespace

Fix RespellChain(Node node, const ApiEntry& entry, const FileContext& file) {
  const std::vector<std::string_view> old_parts = SplitDotted(entry.old_name);
  const std::vector<Node> spelled = PartsThatSpell(node, old_parts.size());
  const auto first = old_parts.end() - static_cast<std::ptrdiff_t>(spelled.size());
  for (size_t i = 0; i < spelled.size(); ++i) {
    // A module of the project has given a part another name: write the new name in full.
    if (spelled[i].text() != first[static_cast<std::ptrdiff_t>(i)])
      return InFull(node, entry, file);
  }
  // What the head stands for once its own definition is migrated.
  std::string head = Joined({old_parts.begin(), first});
  const ApiEntry* head_entry = file.apis().Find(head);
  if (head_entry != nullptr && !head_entry->new_name.empty()) head = head_entry->new_name;
  if (!entry.new_name.starts_with(head + ".")) return InFull(node, entry, file);

  const std::vector<std::string_view> tail =
      SplitDotted(std::string_view(entry.new_name).substr(head.size() + 1));
  Fix fix;
  if (tail.size() == spelled.size()) {
    for (size_t i = 0; i < tail.size(); ++i) {
      if (spelled[i].text() != tail[i]) {
        fix.Replace(spelled[i].range(), std::string(tail[i]));
      }
    }
  } else if (!spelled.empty() && !spelled.front().Is(NodeKind::kStringContent)) {
    fix.Replace({spelled.front().range().start, node.range().end}, Joined(tail));
  }
  return fix;
}

}  // namespace transplt
