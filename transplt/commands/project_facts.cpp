// SPDX-License-Identifier: Apache-2.0
#include "transplt/commands/project_facts.h"

#include <algorithm>
#include <map>
#include <set>

#include "transplt/analysis/analyzed_project.h"
#include "transplt/base/test_file.h"
#include "transplt/facts/project.h"
#include "transplt/migrate/framework.h"

namespace transplt {
namespace {

/// The classes of a file, by their qualified names.
struct FileModels {
  std::map<std::string, std::set<std::string>> bases;  ///< of each class at the top of the file
  std::set<std::string> parts;                         ///< what classes make objects of
};

FileModels ModelsIn(const FileContext& file) {
  FileModels models;
  if (IsTestFile(file.source().path())) return models;  // not what a project trains
  const std::string module = ProjectIndex::ModuleName(file.source().path());
  const auto add_names = [&](Node node, std::set<std::string>& names) {
    for (const QualifiedName& name : file.names().Resolve(node)) {
      names.insert(name.local ? module + "." + name.name : name.name);
    }
  };
  for (uint32_t id = 0; id < file.tree().size(); ++id) {
    const Node node = file.tree().node(id);
    if (const Node holder = file.classes().EnclosingClass(node);
        holder && node.Is(NodeKind::kCall)) {
      std::set<std::string> made;
      add_names(node.Child(Field::kFunction), made);
      // A class that makes objects of itself is not a part of another.
      made.erase(module + "." + std::string(holder.Child(Field::kName).text()));
      models.parts.merge(made);
    }
    if (!node.Is(NodeKind::kClassDefinition) || !node.parent().Is(NodeKind::kModule)) continue;
    std::set<std::string>& bases =
        models.bases[module + "." + std::string(node.Child(Field::kName).text())];
    const Node list = node.Child(Field::kSuperclasses);
    for (Node base = list ? list.first_named_child() : Node(); base;
         base = base.next_named_sibling()) {
      add_names(base, bases);
    }
  }
  return models;
}

}  // namespace

Result<ProjectFacts> ReadProjectFacts(const std::string& input) {
  AnalysisOptions options;
  options.input = input;
  const auto project = AnalyzedProject::Open(options);
  if (!project) return project.error();
  const Result<Framework> framework = DetectFramework((*project)->files());
  if (!framework) return framework.error();
  FileModels all;
  for (FileModels& file : (*project)->ForEachFile<FileModels>("class", ModelsIn)) {
    all.bases.merge(file.bases);
    all.parts.merge(file.parts);
  }
  std::set<std::string> models = {*framework == Framework::kPytorch ? "torch.nn.Module"
                                                                    : "mindspore.nn.Cell"};
  for (size_t before = 0; before != models.size();) {
    before = models.size();
    for (const auto& [name, bases] : all.bases) {
      const bool is_model = std::any_of(bases.begin(), bases.end(), [&](const std::string& base) {
        return models.contains(base);
      });
      if (is_model) models.insert(name);
    }
  }
  std::set<std::string> used = all.parts;
  for (const auto& [name, bases] : all.bases) used.insert(bases.begin(), bases.end());
  ProjectFacts facts;
  facts.framework = *framework;
  for (const std::string& name : models) {
    if (used.contains(name) || !all.bases.contains(name)) continue;
    const size_t dot = name.rfind('.');
    facts.models.push_back(name.substr(0, dot) + ":" + name.substr(dot + 1));
  }
  return facts;
}

}  // namespace transplt
