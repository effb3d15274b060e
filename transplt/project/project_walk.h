// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transplt/project/folder_handle.h"
#include "transplt/project/git_checkout.h"
#include "transplt/project/ignore_rules.h"
#include "transplt/project/path_selection.h"
#include "transplt/project/project_files.h"

namespace transplt {

/// One walk over a folder: fills the lists of a ProjectFiles. The folders that wait are kept in a
/// list, so depth costs no stack and no open file.
///
/// The rules of .gitignore speak of what is not tracked, and many projects track files that a rule
/// names all the same: `**dist**` names dist_utils.py. Where there is no git to ask, as in the
/// archive of a repository, a source file (`source-files`) or a small file of settings
/// (`setting-files`) that a rule names is taken along: it costs little if the program does not need
/// it, and without it the program does not run. So is a file that is not large and that a source
/// beside it or beside its folder names in full. What else grows large while people work, data and
/// results, is of other kinds or in folders of its own: a folder that a rule names stays out, and
/// so do environments, unless it holds modules. It does if it is or lies in a package, which has an
/// __init__.py for one purpose: to be imported. Of such a folder the sources, the settings and the
/// folders that hold either are taken.
///
/// Last comes what the sources that were found import, or spell as a path, such as the default of
/// an option: a file that is there is what the program opens, so it is taken, and with it all of
/// its folder if a rule names that, and sources import modules of it or it holds little else than
/// settings and sources.
class ProjectWalk {
 public:
  /// `project.root` and `name` are set already.
  ProjectWalk(const FileSelection& selection, const PathSelection& paths, ProjectFiles& project);

  /// False if the root cannot be listed; errno says why.
  bool Run();

 private:
  /// A git work tree, or the root if there is none: what the paths of rules are relative to.
  struct Checkout {
    std::optional<GitCheckout> git;
    std::string prefix;    // of the root in the work tree, with '/'
    std::size_t skip = 0;  // bytes of a path that lead to the work tree's top
  };
  /// The rules of one folder, and of those above it.
  struct Scope {
    std::shared_ptr<const Scope> above;
    IgnoreRules rules;
    std::size_t base = 0;  // bytes of a path in the work tree that lead to the folder
  };
  struct Folder {
    std::string path = {};
    bool ignored = false;   // only tracked files in it count
    bool is_named = false;  // by a rule, and looked into for sources alone
    bool is_run = false;    // is named, and it or a folder around it is imported or holds programs
    bool is_spelled = false;  // is named, and only files in it that sources spell are taken
    std::shared_ptr<const Checkout> checkout = {};
    std::shared_ptr<const Scope> scope = {};
    PathSelection::Matches matches = {};
  };
  struct Listed {
    std::string name;
    struct stat status;
    int trouble;  // errno of a failed stat, or 0
  };
  /// Named by a rule; waits for what the sources that are found spell.
  struct LeftOut {
    std::shared_ptr<const Folder> parent;
    Listed listed;
  };

  void FindOuterCheckout(Folder& root);
  void ReadOuterRules(const std::string& top, Folder& root);
  bool Visit(Folder folder);
  bool List(int handle, std::vector<Listed>& listed) const;
  bool Enter(Folder& folder, int handle, const std::vector<Listed>& listed);
  void EnterCheckout(GitCheckout git, Folder& folder);
  bool IsOutput(int handle) const;
  using FolderPtr = std::shared_ptr<const Folder>;
  void VisitFolder(const FolderPtr& at, std::string path, const Listed& listed);
  void VisitFile(const FolderPtr& at, int handle, std::string path, const Listed& listed);
  void Classify(const Folder& parent, int handle, const Listed& listed, ProjectEntry& entry) const;

  static std::string InCheckout(const Checkout& checkout, const std::string& path);
  static bool Ignores(const Folder& parent, const std::string& path, bool is_folder);
  bool Keeps(bool ignored) const { return !ignored || selection_.copy == CopyMode::kAll; }
  void Skip(std::string path, Text reason);
  bool MayHoldModules(const Folder& parent, const std::string& path, const Listed& listed) const;
  bool HasFile(const std::string& folder, const char* name) const;
  bool HasScript(const std::string& folder) const;
  bool IsSpelled(const Folder& parent, const Listed& listed);
  bool HasLine(const std::string& folder, const std::function<bool(std::string_view)>& is_it) const;
  void VisitWaiting();
  void TakeWhatSourcesSpell();
  /// Paths as sources of Python, scripts of a shell and YAML spell them, "a/b.yaml" of
  /// '../a/b.yaml', and those of the modules that sources import; sorted.
  struct Spelled {
    std::vector<std::string> paths;
    std::vector<std::string> modules;
  };
  Spelled SpelledPaths() const;
  bool FindSpelledBelow(const std::vector<std::string>& spelled, const LeftOut& folder);
  bool HoldsSettings(const std::string& folder) const;
  void TellWhatRulesName();

  const FileSelection& selection_;
  const PathSelection& paths_;
  ProjectFiles& project_;
  FileHandle root_;
  std::optional<std::pair<dev_t, ino_t>> output_;
  bool has_earlier_reports_ = false;
  // What rules name where no git can be asked; folders with '/' at the end.
  std::vector<std::string> taken_along_;
  std::size_t looks_for_data_ = 0;  ///< how many files that rules name were sought in sources
  std::vector<std::string> left_out_;
  std::vector<LeftOut> may_be_spelled_;
  std::set<std::string, std::less<>> spelled_;   ///< files of the project, and the folders of them
  std::set<std::string, std::less<>> imported_;  ///< folders with modules that sources import
  bool looks_for_spelled_ = true;                ///< the sources were not asked yet
  std::vector<Folder> waiting_;
};

}  // namespace transplt
