// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/attribute_origins.h"

#include <string>

#include "transplt/facts/argument_reader.h"
#include "transplt/facts/terms.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// What the files of a project say about the attributes of one name.
struct Origins {
  bool has_option = false;
  bool has_false = false;
  bool has_other = false;

  bool Decide() const { return has_option || (has_false && !has_other); }

  void Read(const FileContext& file, const std::string& name) {
    for (const Node node : file.NodesSaying(name)) {
      if (node.Is(NodeKind::kStringContent)) {
        has_option = has_option || DefinesOption(node, name, file);
        continue;
      }
      const Node attribute = node.parent();
      const bool is_set = attribute.Is(NodeKind::kAttribute) && node.field() == Field::kAttribute &&
                          attribute.parent().Is(NodeKind::kAssignment) &&
                          attribute.field() == Field::kLeft;
      if (!is_set) continue;
      const bool is_false = ConstantOf(attribute.parent().Child(Field::kRight)) == "False";
      (is_false ? has_false : has_other) = true;
    }
  }

  static bool DefinesOption(Node text, const std::string& name, const FileContext& file) {
    Node call = text;
    while (call && !call.Is(NodeKind::kCall)) call = call.parent();
    const auto option = call ? ArgumentDefinedBy(call, file.code()) : std::nullopt;
    return option && option->dest == name;
  }
};

}  // namespace

bool IsDecidedElsewhere(Node value, const FileContext& file) {
  if (!value.Is(NodeKind::kAttribute)) return false;
  const std::string name(value.Child(Field::kAttribute).text());
  Origins origins;
  origins.Read(file, name);
  const ProjectIndex* project = file.project();
  if (project == nullptr || origins.has_option) return origins.Decide();
  for (const std::string& path : project->FilesSpelling(name)) {
    const auto opened = path == file.source().path() ? nullptr : project->Open(path);
    if (opened != nullptr) origins.Read(FileContext(opened->tree(), file.apis(), project), name);
  }
  return origins.Decide();
}

}  // namespace transplt
