// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/optional_import.h"

#include <algorithm>
#include <memory>
#include <set>

#include "transplt/base/text_parts.h"
#include "transplt/facts/imported_library.h"
#include "transplt/facts/name_use.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/places_of_file.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {

namespace {

/// The identifier by which the file names what `item` brings.
Node NameOf(Node item) {
  return item.Is(NodeKind::kAliasedImport) ? item.Child(Field::kAlias) : item;
}

class ObjectGuards {
 public:
  ObjectGuards(const std::vector<std::string>& names, const FileContext& file)
      : names_(names), file_(file) {}

  /// The class whose objects alone let the program come to `use`; "" if there is none.
  std::string ClassOver(Node use) const {
    for (Node child = use, node = use.parent(); node; child = node, node = node.parent()) {
      const bool is_branch = (node.Is(NodeKind::kIfStatement) || node.Is(NodeKind::kElifClause)) &&
                             child.field() == Field::kConsequence;
      std::string of_node;
      if (is_branch) of_node = ClassAskedFor(node.Child(Field::kCondition));
      if (node.Is(NodeKind::kFunctionDefinition)) {
        of_node = ClassOfParameter(node.Child(Field::kParameters));
      }
      if (!of_node.empty()) return of_node;
    }
    return {};
  }

  /// `Adj = Union[Tensor, CLASS]`
  bool IsInTypeAlias(Node use) const {
    for (Node node = use.parent(); node && !IsStatement(node); node = node.parent()) {
      if (!node.Is(NodeKind::kSubscript)) continue;
      const auto names = file_.names().Resolve(node.Child(Field::kValue));
      if (std::ranges::any_of(
              names, [](const QualifiedName& name) { return FirstPart(name.name) == "typing"; })) {
        return true;
      }
    }
    return false;
  }

 private:
  static bool IsStatement(Node node) {
    return node.Is(NodeKind::kBlock) || node.Is(NodeKind::kModule);
  }

  std::string NameOfClass(Node expression) const {
    if (!expression.Is(NodeKind::kIdentifier) && !expression.Is(NodeKind::kAttribute)) return {};
    for (const QualifiedName& name : file_.names().Resolve(expression)) {
      const bool is_of_library = std::ranges::any_of(
          names_, [&](const std::string& known) { return IsInside(known, name.name); });
      if (is_of_library) return name.name;
    }
    return {};
  }

  /// Of `isinstance(x, CLASS)`.
  std::string ClassAskedFor(Node condition) const {
    if (!condition.Is(NodeKind::kCall) ||
        condition.Child(Field::kFunction).text() != "isinstance") {
      return {};
    }
    return NameOfClass(LastNamedChild(condition.Child(Field::kArguments)));
  }

  std::string ClassOfParameter(Node parameters) const {
    for (const Node parameter : NamedChildren(parameters)) {
      const Node type = parameter.Child(Field::kType);
      if (!type) continue;
      if (std::string name = NameOfClass(type.first_named_child()); !name.empty()) return name;
    }
    return {};
  }

  const std::vector<std::string>& names_;
  const FileContext& file_;
};

/// `CLASS(...)`, `CLASS.from_x(...)`
bool IsMadeAt(Node identifier) {
  Node callee = identifier;
  while (callee.parent().Is(NodeKind::kAttribute)) callee = callee.parent();
  return callee.field() == Field::kFunction && callee.parent().Is(NodeKind::kCall);
}

bool MakesObject(const std::string& of_class, const ProjectIndex& project) {
  const std::string_view last = LastPart(of_class);
  return std::ranges::any_of(project.FilesSpelling(last), [&](const std::string& path) {
    const std::shared_ptr<const OpenedFile> opened = project.Open(path);
    return opened == nullptr ||
           std::ranges::any_of(opened->names().places().NodesSaying(last), IsMadeAt);
  });
}

}  // namespace

void TellOptionalImport(Finding& finding) {
  finding.severity = Severity::kNote;
  finding.message.en += " (the program goes on where this import fails)";
  finding.message.zh += "（此处导入失败时程序会继续运行）";
}

bool IsImportUsed(Node item, const FileContext& file) {
  const bool is_alias = item.Is(NodeKind::kAliasedImport);
  const bool is_from = item.parent().Is(NodeKind::kImportFromStatement);
  if (ProjectIndex::IsPackage(file.source().path())) return true;
  if (!is_from && !is_alias) {
    const std::string_view module = item.text();
    // `import flash_attn` is used under its name, `import torch.cuda.comm` as a whole.
    if (!HasPart(module, '.')) return true;
    return std::ranges::any_of(file.NodesSaying(LastPart(module)), [&](Node node) {
      return node.field() == Field::kAttribute && file.names().IsNamed(node.parent(), module);
    });
  }
  return std::ranges::any_of(file.NodesSaying(NameOf(item).text()),
                             [](Node node) { return !IsInImport(node) && !IsOnlyNamed(node); });
}

bool WaitsForObjects(Node item, const std::vector<std::string>& names,
                     const std::vector<std::string>& makers, const FileContext& file) {
  const bool is_from = item.parent().Is(NodeKind::kImportFromStatement);
  if (!is_from || makers.empty() || file.project() == nullptr) return false;
  const ProjectIndex& project = *file.project();
  const ObjectGuards guards(names, file);
  std::set<std::string> classes;
  for (const Node node : file.NodesSaying(NameOf(item).text())) {
    // `x.matmul` is something of x.
    const bool is_of_other = node.field() == Field::kAttribute;
    if (is_of_other || IsInImport(node) || IsOnlyNamed(node) || guards.IsInTypeAlias(node)) {
      continue;
    }
    std::string of_class = guards.ClassOver(node);
    if (of_class.empty()) return false;
    classes.insert(std::move(of_class));
  }
  return std::ranges::none_of(makers,
                              [&](const std::string& maker) {
                                return !project.FilesSpelling(LastPart(maker)).empty();
                              }) &&
         std::ranges::none_of(
             classes, [&](const std::string& of_class) { return MakesObject(of_class, project); });
}

}  // namespace transplt
