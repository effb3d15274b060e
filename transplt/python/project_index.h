// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transplt/python/name_table.h"

namespace transplt {

/// What other files can see of one file: the names that it re-exports, and its classes.
struct ModuleSummary {
  struct Class {
    std::vector<std::string> bases;              ///< qualified
    std::set<std::string, std::less<>> members;  ///< of the class, and set as `self.x`
  };
  std::map<std::string, std::vector<QualifiedName>, std::less<>> names;  ///< imports and aliases
  std::set<std::string, std::less<>> definitions;  ///< functions, classes, other variables
  std::vector<std::string> star_imports;
  std::map<std::string, Class, std::less<>> classes;
  /// Of functions: the functions whose results they return; a `local` one is of this module.
  std::map<std::string, std::vector<QualifiedName>, std::less<>> results;
};

/// What a name of the module stands for once all of it has run.
ModuleSummary Summarize(const NameTable& names);

/// Another file of the project, read for a question that a summary cannot answer.
struct OpenedFile {
  std::unique_ptr<const SourceFile> source;
  SyntaxTree tree;  ///< points to `source`
  OpenedFile(std::unique_ptr<const SourceFile> of, SyntaxTree parsed)
      : source(std::move(of)), tree(std::move(parsed)) {}
};

/// The Python files of a project as modules. A file is read and summarised when another one
/// first asks for it, and only its summary is kept. Safe to use from several threads; answers do
/// not depend on the order of the questions.
class ProjectIndex : public ModuleExports {
 public:
  /// Gives the bytes of a file of the project, or an error.
  using Reader = std::function<Result<std::string>(const std::string& path)>;

  /// `files`: paths of the .py files, relative to the root, with '/'.
  ProjectIndex(const std::vector<std::string>& files, Reader reader);
  ~ProjectIndex() override;

  std::optional<std::vector<QualifiedName>> Find(std::string_view from, std::string_view module,
                                                 std::string_view name) const override;

  /// The path of the file that `module` means in an import in the file `from`, or "". The module
  /// is looked for in the folder of `from` and in each folder above it, as it would be found
  /// when a script there is run, and last in the folder "src". One that starts with a dot belongs
  /// to the root (see NameTable).
  std::string FileOfModule(std::string_view from, std::string_view module) const;

  /// True if the class of this qualified name is defined in the project and has, itself or
  /// through its bases, a member `name` of its own.
  bool ClassDefines(std::string_view from, std::string_view qualified_class,
                    std::string_view name) const;

  /// The functions outside of the project whose results the function of this qualified name
  /// returns, itself or through others of the project; empty if it is not one of the project.
  std::vector<std::string> ResultsOf(std::string_view from, std::string_view qualified) const;

  /// The file `path`, read and parsed anew; null if it is not one of the project or unreadable.
  std::unique_ptr<const OpenedFile> Open(const std::string& path) const;

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

  const ModuleSummary& SummaryOf(const std::string& path) const;
  ModuleSummary Summary(const std::string& path) const;
  std::string FileBelow(std::string_view folder, std::string_view module) const;
  std::optional<std::vector<QualifiedName>> FindIn(std::string_view from, std::string_view module,
                                                   std::string_view name, Trail& trail) const;
  std::vector<QualifiedName> FindInFile(const std::string& path, std::string_view name,
                                        Trail& trail) const;
  /// What the dotted `name` stands for in the file `path`, through all re-exports on its way.
  std::vector<QualifiedName> Follow(std::string_view path, const std::string& name,
                                    Trail& trail) const;
  void AddResults(const std::string& path, std::string_view function, Trail& trail,
                  std::vector<std::string>& results) const;
  bool ClassDefinesIn(std::string_view from, std::string_view qualified_class,
                      std::string_view name, Trail& trail) const;
  bool ClassInFileDefines(const std::string& path, std::string_view class_name,
                          std::string_view name, Trail& trail) const;

  Reader reader_;
  std::map<std::string, std::unique_ptr<Module>, std::less<>> modules_;  // by path
  std::set<std::string, std::less<>> top_names_;  // what the first word of a module can be
};

}  // namespace transplt
