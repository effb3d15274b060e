// SPDX-License-Identifier: Apache-2.0
#include "transplt/inject/injection_run.h"

#include <algorithm>
#include <filesystem>
#include <mutex>

#include "transplt/inject/frameworks.h"
#include "transplt/inject/inject_file.h"
#include "transplt/project/in_place.h"
#include "transplt/project/output_place.h"
#include "transplt/report/change_list_csv.h"

namespace transplt {
namespace {

/// What is done with one file, and what was found in it.
class Rewriter {
 public:
  explicit Rewriter(const InjectionOptions& options)
      : options_(options), framework_(*FindInjectFramework(options.framework)) {}

  FileResult Rewrite(const ProjectEntry& entry, std::string bytes, const ProjectIndex& index,
                     Parser& parser) {
    FileResult result;
    result.outcome.file = entry.path;
    if (!IsOfInterest(bytes)) return result;
    Result<SourceFile> source = SourceFile::FromBytes(entry.path, std::move(bytes));
    if (!source) return SkippedFile(entry.path, source.error().what);
    const SyntaxTree tree = SyntaxTree::Parse(*source, parser);
    FileInjection injection;
    if (options_.action == InjectionOptions::Action::kRemove) {
      injection.findings = InjectedParts(*source).Removals();
      for (const Finding& finding : injection.findings) {
        injection.sites.push_back({finding.range, "injected", finding.message});
      }
    } else {
      const InjectFile file(tree, &index);
      injection = options_.action == InjectionOptions::Action::kLint
                      ? framework_.lint(file, options_.table)
                      : framework_.inject(file, options_.request);
    }
    Keep(entry.path, *source, injection.sites);
    Selection selection(*source);
    if (options_.action != InjectionOptions::Action::kList) {
      selection.Add(std::move(injection.findings));
    }
    return ResultOf(selection, selection.edits(), *source, {options_.with_diffs, false},
                    [&](std::string text) {
                      return IsBroken(std::move(text), tree, selection.edits(), parser);
                    });
  }

  std::vector<FileSites> TakeSites() {
    std::sort(sites_.begin(), sites_.end(),
              [](const FileSites& a, const FileSites& b) { return a.file < b.file; });
    return std::move(sites_);
  }

  bool HasSites() const { return !sites_.empty(); }

 private:
  bool IsOfInterest(std::string_view bytes) const {
    if (options_.action == InjectionOptions::Action::kRemove) {
      return bytes.find("# transplt-inject: ") != std::string_view::npos;
    }
    return std::any_of(framework_.words.begin(), framework_.words.end(),
                       [&](std::string_view w) { return bytes.find(w) != std::string_view::npos; });
  }

  void Keep(const std::string& path, const SourceFile& source,
            const std::vector<InjectionSite>& sites) {
    if (sites.empty()) return;
    FileSites kept{path, sites, {}};
    for (const InjectionSite& site : sites) kept.places.push_back(source.Locate(site.range.start));
    const std::lock_guard lock(mutex_);
    sites_.push_back(std::move(kept));
  }

  const InjectionOptions& options_;
  const InjectFramework& framework_;
  std::mutex mutex_;
  std::vector<FileSites> sites_;
};

/// OUT/`name`, unless it is the input itself, or exists and is not to be replaced.
Result<std::string> OutputFile(const InjectionOptions& options, const std::string& name) {
  namespace fs = std::filesystem;
  const std::string path = (fs::path(options.rewrite.output) / name).string();
  std::error_code error;
  if (fs::equivalent(path, options.rewrite.input, error)) {
    return Error{Error::Code::kUsage, options.rewrite.output,
                 Say("the result would replace the input; choose another folder, or --in-place",
                     "结果会覆盖输入; 请选择其他文件夹, 或使用 --in-place")};
  }
  if (fs::exists(path, error) && !options.rewrite.force) {
    return Error{Error::Code::kUsage, path,
                 Say("exists already; give --force to replace it, or choose another output folder",
                     "已存在；请使用 --force 覆盖，或选择其他输出文件夹")};
  }
  return path;
}

class Run {
 public:
  Run(const InjectionOptions& options, ProjectFiles project)
      : options_(options), project_(std::move(project)), rewriter_(options) {}

  Result<InjectionResult> Execute() {
    InjectionResult result;
    const bool one_file = project_.is_file && !options_.rewrite.output.empty();
    std::string path;
    if (one_file) {
      Result<std::string> output = OutputFile(options_, project_.entries.front().path);
      if (!output) return output.error();
      path = *std::move(output);
    }
    RewriteOptions rewrite = options_.rewrite;
    rewrite.result_name = project_.name;
    if (one_file) rewrite.output.clear();
    const mode_t mode = one_file ? project_.entries.front().mode : 0;
    Result<RewriteResult> done = RewriteProject(rewrite, std::move(project_), Steps());
    if (!done) return done.error();
    result.rewrite = *std::move(done);
    result.sites = rewriter_.TakeSites();
    if (options_.rewrite.output.empty() || result.sites.empty()) return result;
    result.rewrite.run.output = options_.rewrite.output;
    if (one_file) {
      if (Result<std::vector<std::string>> made = CreateFolders(options_.rewrite.output); !made) {
        return made.error();
      }
      Result<Done> written = AtomicWrite(path, text_, mode);
      if (!written) return written.error();
    }
    Result<Done> listed =
        AtomicWrite((std::filesystem::path(options_.rewrite.output) / kChangeListFile).string(),
                    ChangeListCsv(result.rewrite.run), 0666);
    if (!listed) return listed.error();
    return result;
  }

 private:
  RewriteSteps Steps() {
    RewriteSteps steps;
    steps.is_of_interest = [](const ProjectEntry&) { return false; };
    steps.rewrite = [this](const ProjectEntry& entry, std::string bytes, const ProjectIndex& index,
                           Parser& parser) {
      const bool keep = !options_.rewrite.output.empty() && is_file_;
      if (keep) text_ = bytes;
      FileResult result = rewriter_.Rewrite(entry, std::move(bytes), index, parser);
      if (keep && result.text) text_ = *result.text;
      return result;
    };
    steps.finish = [this](RewriteResult& result) { result.run.framework = options_.framework; };
    steps.write_reports = [this](const RunResult&, OutputTree&) -> Result<bool> {
      return rewriter_.HasSites();
    };
    return steps;
  }

  const InjectionOptions& options_;
  ProjectFiles project_;
  const bool is_file_ = project_.is_file;
  Rewriter rewriter_;
  std::string text_;  // of the one file, where the input is a file
};

}  // namespace

Result<InjectionResult> InjectConfiguration(const InjectionOptions& options) {
  Result<ProjectFiles> project = FindProjectFiles(options.rewrite.input, options.files);
  if (!project) return project.error();
  return Run(options, *std::move(project)).Execute();
}

}  // namespace transplt
