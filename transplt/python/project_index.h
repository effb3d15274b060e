// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/python/name_table.h"

namespace transplt {

/// What other files can see of one file: the names that it re-exports, and its classes.
struct ModuleSummary {
  struct Class {
    std::vector<std::string> bases;  ///< qualified
    std::set<std::string, std::less<>> members;
  };
  std::map<std::string, std::vector<QualifiedName>, std::less<>> names;  ///< imports and aliases
  std::set<std::string, std::less<>> definitions;  ///< functions, classes, other variables
  std::vector<std::string> star_imports;
  std::map<std::string, Class, std::less<>> classes;
};

ModuleSummary Summarize(const NameTable& names);

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
  /// when a script there is run.
  std::string FileOfModule(std::string_view from, std::string_view module) const;

  /// True if the class of this qualified name is defined in the project and has, itself or
  /// through its bases, a member `name` of its own.
  bool ClassDefines(std::string_view from, std::string_view qualified_class,
                    std::string_view name) const;

  /// The dotted path of a file below the root; "pkg" for "pkg/__init__.py".
  static std::string ModuleName(std::string_view path);
  static bool IsPackage(std::string_view path);

 private:
  struct Module;

  const ModuleSummary& SummaryOf(const std::string& path) const;
  std::optional<std::vector<QualifiedName>> FindIn(std::string_view from, std::string_view module,
                                                   std::string_view name, int depth) const;
  bool ClassDefinesIn(std::string_view from, std::string_view qualified_class,
                      std::string_view name, int depth) const;

  Reader reader_;
  std::map<std::string, std::unique_ptr<Module>, std::less<>> modules_;  // by path
};

}  // namespace transplt
