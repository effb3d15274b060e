// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transplt/python/name_table.h"
#include "transplt/python/opened_files.h"
#include "transplt/python/word_index.h"

namespace transplt {

/// What other files can see of one file: the names that it re-exports, and its classes.
struct ModuleSummary {
  struct Class {
    std::vector<std::string> bases;              ///< qualified
    std::set<std::string, std::less<>> members;  ///< of the class, and set as `self.x`
  };
  /// Imports and aliases; a `local` one is of what this module defines.
  std::map<std::string, std::vector<QualifiedName>, std::less<>> names;
  std::set<std::string, std::less<>> definitions;  ///< functions, classes, other variables
  std::vector<std::string> star_imports;
  std::map<std::string, Class, std::less<>> classes;
  /// Of functions: the functions whose results they return; a `local` one is of this module.
  std::map<std::string, std::vector<QualifiedName>, std::less<>> results;
  std::map<std::string, std::vector<std::string>, std::less<>> returned_imports;  ///< of functions
};

/// What a name of the module stands for once all of it has run.
ModuleSummary Summarize(const NameTable& names);

/// The Python files of a project as modules. A file is read and summarised when another one
/// first asks for it. Its summary is kept, and for a while its tree. Safe to use from several
/// threads; answers do not depend on the order of the questions.
class ProjectIndex : public ModuleExports {
 public:
  /// Gives the bytes of a file of the project, or an error.
  using Reader = std::function<Result<std::string>(const std::string& path)>;

  /// `files`: paths of the .py files, relative to the root, with '/'.
  /// Nothing is known of a file that takes more than `budget`; `cancelled` ends the reading of
  /// any file when it becomes true, and may be null. `root_name`: what the root folder is called;
  /// "" if nothing may be found by that. `texts`: paths of the scripts and documents that may put
  /// folders on PYTHONPATH.
  ProjectIndex(const std::vector<std::string>& files, Reader reader, const FileBudget& budget = {},
               const std::atomic<bool>* cancelled = nullptr, std::string root_name = "",
               std::vector<std::string> texts = {});
  ~ProjectIndex() override;

  std::optional<std::vector<QualifiedName>> Find(std::string_view from, std::string_view module,
                                                 std::string_view name) const override;
  std::string FindDefinition(std::string_view from, std::string_view module,
                             std::string_view name) const override;
  std::vector<std::string> ImportsReturnedBy(std::string_view from,
                                             std::string_view qualified) const override;

  /// The paths of all files, sorted.
  const std::vector<std::string>& paths() const { return paths_; }

  /// The path of the file that `module` means in an import in the file `from`, or "". The module
  /// is looked for in the folder of `from` and in each folder above it, as it would be found
  /// when a script there is run, then in the folder "src", beside each setup.py, since a project
  /// may install parts of itself, in the folders that files of the project add to sys.path or
  /// PYTHONPATH, beside `from` inside of a package from whose folder programs are started, and last
  /// in the root, where the module begins with the name of that. One that starts with a dot belongs
  /// to the root (see NameTable).
  std::string FileOfModule(std::string_view from, std::string_view module) const;

  /// True if an answer so far was found by the name of the root folder: the project needs a folder
  /// of that name.
  bool NeedsRootName() const { return needs_root_name_; }

  /// True if a file right in the folder says that it may be started: `__main__`.
  bool HasScripts(std::string_view folder) const;

  /// True if the class of this qualified name is defined in the project and has, itself or
  /// through its bases, a member `name` of its own.
  bool ClassDefines(std::string_view from, std::string_view qualified_class,
                    std::string_view name) const;

  /// The classes outside of the project that the class of this qualified name, itself or through
  /// others of the project, derives from; the name itself if it is not one of the project.
  std::vector<std::string> OutsideBasesOf(std::string_view from,
                                          std::string_view qualified_class) const;

  /// True if another file of the project gets `name` from the file `path`: imported by name or
  /// with a star, or as a member of the module. The first question about a name reads the files
  /// that spell it.
  bool IsImportedElsewhere(const std::string& path, std::string_view name) const;

  /// The functions outside of the project whose results the function of this qualified name
  /// returns, itself or through others of the project; empty if it is not one of the project.
  std::vector<std::string> ResultsOf(std::string_view from, std::string_view qualified) const;

  /// The names by which files may call `function`, a full name, or functions of the project that
  /// return what it gives, or classes that derive from it. The first question about a function
  /// reads the files that spell them.
  const std::set<std::string, std::less<>>& NamesGiving(std::string_view function) const;

  /// The file `path`; null if it is not one of the project or unreadable. It is kept for the next
  /// question, within a bound of memory.
  std::shared_ptr<const OpenedFile> Open(const std::string& path) const;

  /// Reads and summarises a file before it is asked for, as long as there is memory to keep it:
  /// several threads do so sooner than the first questions, which wait for one another.
  void ReadAhead(const std::string& path) const {
    if (!opened_.IsNearlyFull()) SummaryOf(path);
  }

  /// What the properties of all classes are called. The first question reads the files that define
  /// some.
  const std::set<std::string, std::less<>>& PropertyNames() const;

  /// The bytes of the file `path` of the project, which need not be Python.
  Result<std::string> Bytes(const std::string& path) const { return reader_(path); }

  /// The files that spell the word, in the order of their paths. The first question reads all
  /// files. The answer is kept.
  const std::vector<std::string>& FilesSpelling(std::string_view word) const;
  /// Those of them that may call what is spelled `name`; so do all that call it.
  const std::vector<std::string>& FilesCalling(std::string_view name) const;

  /// What ends the reading of files; may be null. Answers are worth nothing once it is set.
  const std::atomic<bool>* cancelled() const { return cancelled_; }

  /// The dotted path of a file below the root; "pkg" for "pkg/__init__.py".
  static std::string ModuleName(std::string_view path);
  static bool IsPackage(std::string_view path);

 private:
  struct Module;
  /// The (file, name) pairs that led to one another, and how many were looked at: imports may be
  /// cyclic, and branch at every step.
  struct Trail {
    std::vector<std::pair<std::string, std::string>> path;
    int steps = 0;
    bool Enter(const std::string& file, std::string_view name);
  };

  using Paths = std::set<std::string, std::less<>>;
  using Names = std::set<std::string, std::less<>>;
  static std::vector<std::string> NamesFor(std::string_view giver, const ModuleSummary& summary);
  /// The files from which the file of `tree` takes `name`.
  void AddSourcesOf(std::string_view name, const SyntaxTree& tree, Paths& sources) const;
  void AddStarsOf(const std::string& path, Paths& sources) const;
  std::shared_ptr<const OpenedFile> Read(const std::string& path) const;
  const ModuleSummary& SummaryOf(const std::string& path) const;
  ModuleSummary Summary(const std::string& path) const;
  const WordIndex& AllWords() const;
  using PathsByWord = std::map<std::string, std::vector<std::string>, std::less<>>;
  /// The paths of the files that `find` gives; kept in `known`.
  const std::vector<std::string>& FilesWith(std::string_view word,
                                            const std::function<std::vector<uint32_t>()>& find,
                                            PathsByWord& known) const;
  bool IsInnerPackage(std::string_view folder) const;
  bool IsKnownByName(std::string_view from, std::string_view folder) const;
  bool HoldsWithoutScripts(std::string_view folder, std::string_view path,
                           std::string_view from) const;
  std::string SearchModule(std::string_view from, std::string_view module) const;
  std::string FileByRootName(std::string_view module) const;
  std::string FileBelow(std::string_view folder, std::string_view module) const;
  std::string FileOfInstalled(std::string_view from, std::string_view module) const;
  std::string FileBesideScript(std::string_view from, std::string_view module) const;
  std::string BelowRoot(const std::string& folder) const;
  std::string FileOnPath(std::string_view from, std::string_view module) const;
  std::optional<std::vector<QualifiedName>> FindIn(std::string_view from, std::string_view module,
                                                   std::string_view name, Trail& trail) const;
  std::vector<QualifiedName> FindInFile(const std::string& path, std::string_view name,
                                        Trail& trail) const;
  std::string FindDefinition(std::string_view from, std::string_view module, std::string_view name,
                             Trail& trail) const;
  /// What the dotted `name` stands for in the file `path`, through all re-exports on its way.
  std::vector<QualifiedName> Follow(std::string_view path, const std::string& name,
                                    Trail& trail) const;
  void AddResults(const std::string& path, std::string_view function, Trail& trail,
                  std::vector<std::string>& results) const;
  void AddOutsideBases(std::string_view from, std::string_view qualified_class, Trail& trail,
                       std::vector<std::string>& bases) const;
  bool ClassDefinesIn(std::string_view from, std::string_view qualified_class,
                      std::string_view name, Trail& trail) const;
  bool ClassInFileDefines(const std::string& path, std::string_view class_name,
                          std::string_view name, Trail& trail) const;

  Reader reader_;
  FileBudget budget_;
  const std::atomic<bool>* cancelled_;
  std::map<std::string, std::unique_ptr<Module>, std::less<>> modules_;  // by path
  std::vector<std::string> paths_;                                       // of modules_, sorted
  mutable std::mutex sources_mutex_;
  mutable std::map<std::string, Paths, std::less<>> sources_;  // by name: IsImportedElsewhere()
  mutable std::mutex givers_mutex_;
  mutable std::map<std::string, Names, std::less<>> givers_;  // by function: NamesGiving()
  mutable OpenedFiles opened_;
  mutable std::once_flag words_read_;
  mutable WordIndex words_;  // files in the order of paths_
  mutable std::once_flag properties_read_;
  mutable Names properties_;
  mutable std::once_flag path_read_;
  mutable std::vector<std::string> on_path_;  // folders, relative to the root
  mutable std::mutex spellers_mutex_;         // of the members below
  mutable PathsByWord spellers_;
  mutable PathsByWord callers_;
  std::set<std::string, std::less<>> top_names_;  // what the first word of a module can be
  std::vector<std::string> install_roots_;        // folders below the root that hold a setup.py
  const std::string root_name_;
  const std::vector<std::string> texts_;
  mutable std::atomic<bool> needs_root_name_ = false;
};

}  // namespace transplt
