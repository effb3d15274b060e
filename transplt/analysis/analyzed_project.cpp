// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/analyzed_project.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "transplt/engine/torch_npu_releases.h"
#include "transplt/frontends/file_type.h"
#include "transplt/rule_kinds/builtin_rules.h"

namespace transplt {
namespace {

std::vector<std::string> PythonFilesOf(const ProjectFiles& files) {
  std::vector<std::string> paths;
  for (const ProjectEntry& entry : files.entries) {
    if (entry.kind == ProjectEntry::Kind::kMigratable) paths.push_back(entry.path);
  }
  return paths;
}

}  // namespace

struct AnalyzedProject::ThreadLimit {
  tbb::global_control control;
};

AnalyzedProject::AnalyzedProject(AnalysisOptions options, RuleSet rules, ProjectFiles files)
    : options_(std::move(options)),
      rules_(std::move(rules)),
      engine_(rules_),
      files_(std::move(files)),
      index_(
          PythonFilesOf(files_), [this](const std::string& path) { return Read(path); }, {},
          nullptr, files_.is_file ? "" : files_.name, TextsOfStarts(files_.entries)),
      modules_(index_, files_.name, ExtensionSources::Among(files_.entries)) {
  if (options_.jobs > 0) {
    threads_.reset(new ThreadLimit{
        {tbb::global_control::max_allowed_parallelism, static_cast<size_t>(options_.jobs)}});
  }
  for (std::string& path : PythonFilesOf(files_)) {
    Result<std::string> bytes = Read(path);
    const bool is_text = bytes && SourceFile::FromBytes(path, *std::move(bytes));
    (is_text ? python_files_ : unread_).push_back(std::move(path));
  }
}

AnalyzedProject::~AnalyzedProject() = default;

Result<std::unique_ptr<const AnalyzedProject>> AnalyzedProject::Open(AnalysisOptions options) {
  const Result<TorchPlatform> platform = ChoosePlatform(options.torch_version, options.torch_npu);
  if (!platform) return platform.error();
  options.torch_version = platform->torch;
  options.torch_npu = platform->torch_npu;
  Result<RuleSet> rules =
      LoadRules({}, true, {.torch_version = options.torch_version, .torch_npu = options.torch_npu});
  if (!rules) return rules.error();
  Result<ProjectFiles> files = FindProjectFiles(options.input, options.files);
  if (!files) return files.error();
  return std::unique_ptr<const AnalyzedProject>(
      new AnalyzedProject(std::move(options), *std::move(rules), *std::move(files)));
}

Result<std::string> AnalyzedProject::Read(const std::string& path) const {
  return ReadProjectFile(files_, path);
}

Text AnalyzedProject::WhyOf(std::string_view rule_id) const {
  for (const LoadedRule& loaded : rules_.rules()) {
    if (loaded.rule->id() == rule_id) return loaded.rule->header().why;
  }
  return {};
}

void AnalyzedProject::Visit(std::string_view word,
                            const std::function<void(size_t, const FileContext&)>& visit) const {
  tbb::task_arena arena(options_.jobs > 0 ? options_.jobs : tbb::task_arena::automatic);
  tbb::enumerable_thread_specific<Parser> parsers;
  arena.execute([&] {
    tbb::parallel_for(size_t{0}, python_files_.size(), [&](size_t i) {
      Result<std::string> bytes = Read(python_files_[i]);
      if (!bytes || bytes->find(word) == std::string::npos) return;
      const Result<SourceFile> source = SourceFile::FromBytes(python_files_[i], *std::move(bytes));
      if (!source) return;
      const SyntaxTree tree = SyntaxTree::Parse(*source, parsers.local());
      FileContext file(tree, engine_.apis(), &index_);
      file.UseModules(&modules_);
      visit(i, file);
    });
  });
}

}  // namespace transplt
