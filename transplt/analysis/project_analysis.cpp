// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/project_analysis.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "transplt/engine/engine.h"
#include "transplt/rule_kinds/builtin_rules.h"

namespace transplt {
namespace {

struct FileAnalysis {
  std::vector<ApiUse> uses;
  bool is_read = false;
  bool imports_torch = false;
};

}  // namespace

Result<ProjectAnalysis> AnalyzeProject(const AnalysisOptions& options) {
  const Result<RuleSet> rules = LoadRules({}, true, options.torch_version);
  if (!rules) return rules.error();
  const Result<ProjectFiles> project = FindProjectFiles(options.input, options.files);
  if (!project) return project.error();
  std::vector<const ProjectEntry*> entries;
  std::vector<std::string> paths;
  for (const ProjectEntry& entry : project->entries) {
    if (entry.kind != ProjectEntry::Kind::kMigratable) continue;
    entries.push_back(&entry);
    paths.push_back(entry.path);
  }
  const ProjectIndex index(paths, [&](const std::string& path) {
    const auto place = std::lower_bound(paths.begin(), paths.end(), path);
    return ReadProjectFile(*project, *entries[static_cast<size_t>(place - paths.begin())]);
  });
  const Engine engine(*rules);
  const ApiSupport support;
  std::vector<FileAnalysis> files(entries.size());
  tbb::task_arena arena(options.jobs > 0 ? options.jobs : tbb::task_arena::automatic);
  tbb::enumerable_thread_specific<Parser> parsers;
  arena.execute([&] {
    tbb::parallel_for(size_t{0}, entries.size(), [&](size_t i) {
      Result<std::string> bytes = ReadProjectFile(*project, *entries[i]);
      if (!bytes) return;
      const bool may_use_torch = bytes->find("torch") != std::string::npos;
      const Result<SourceFile> source = SourceFile::FromBytes(paths[i], *std::move(bytes));
      if (!source) return;
      files[i].is_read = true;
      if (!may_use_torch) return;
      const SyntaxTree tree = SyntaxTree::Parse(*source, parsers.local());
      const FileContext file(tree, engine.apis(), &index);
      files[i].imports_torch = file.Imports("torch");
      files[i].uses = TorchApisIn(file, support);
    });
  });
  ProjectAnalysis result;
  result.name = project->name;
  for (size_t i = 0; i < files.size(); ++i) {
    if (!files[i].is_read) result.unread.push_back(paths[i]);
    result.files += files[i].is_read ? 1 : 0;
    result.files_of_torch += files[i].imports_torch ? 1 : 0;
    std::move(files[i].uses.begin(), files[i].uses.end(), std::back_inserter(result.uses));
  }
  return result;
}

}  // namespace transplt
