// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/engine/engine.h"
#include "transplt/engine/file_context.h"
#include "transplt/facts/project.h"
#include "transplt/programs/program_code.h"
#include "transplt/project/project_files.h"

namespace transplt {

struct AnalysisOptions {
  std::string input;
  std::string torch_version = {};  ///< empty: the newest that has a torch_npu
  std::string torch_npu = {};      ///< a release; empty: the newest for this torch
  int jobs = 0;                    ///< threads; 0: all processors
  FileSelection files;
  bool copies = false;  ///< a mode that has a changed copy of the project to give shall make it
  /// full_unsupported_results.csv of libraries, whose APIs count as unsupported.
  std::vector<std::string> api_files;
};

/// What every mode of an analysis looks at: the files of a project, and what is known about names.
class AnalyzedProject {
 public:
  static Result<std::unique_ptr<const AnalyzedProject>> Open(AnalysisOptions options);
  ~AnalyzedProject();

  const AnalysisOptions& options() const { return options_; }
  const ProjectFiles& files() const { return files_; }
  const ProjectIndex& index() const { return index_; }
  const ProjectModules& modules() const { return modules_; }
  /// For questions about the programs of the project; this must outlive it.
  ProgramSources programs() const {
    return {files_, index_, options_.jobs, {options_.torch_version, true}};
  }
  /// The paths of the Python files that can be read, sorted.
  const std::vector<std::string>& python_files() const { return python_files_; }
  /// Python files that could not be read.
  const std::vector<std::string>& unread() const { return unread_; }

  const RuleSet& rules() const { return rules_; }
  /// What the rule of this id says for a person; empty if there is none.
  Text WhyOf(std::string_view rule_id) const;

  /// What `look` gives for each of python_files(), in their order; it is called from several
  /// threads. A file that does not hold `word` is not parsed, and gives a T{}.
  template <typename T>
  std::vector<T> ForEachFile(std::string_view word,
                             const std::function<T(const FileContext&)>& look) const {
    std::vector<T> results(python_files_.size());
    Visit(word, [&](size_t i, const FileContext& file) { results[i] = look(file); });
    return results;
  }

 private:
  AnalyzedProject(AnalysisOptions options, RuleSet rules, ProjectFiles files);
  Result<std::string> Read(const std::string& path) const;
  void Visit(std::string_view word,
             const std::function<void(size_t, const FileContext&)>& visit) const;

  struct ThreadLimit;

  const AnalysisOptions options_;
  /// More threads than processors are taken only where this allows them.
  std::unique_ptr<ThreadLimit> threads_;
  const RuleSet rules_;
  const Engine engine_;
  const ProjectFiles files_;
  std::vector<std::string> python_files_;
  std::vector<std::string> unread_;
  const ProjectIndex index_;
  const ProjectModules modules_;
};

}  // namespace transplt
