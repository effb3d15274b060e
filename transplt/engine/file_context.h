// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "transplt/base/framework.h"
#include "transplt/engine/api_table.h"
#include "transplt/facts/classes.h"
#include "transplt/facts/code_file.h"
#include "transplt/facts/result_uses.h"
#include "transplt/python/name_table.h"
#include "transplt/python/project_index.h"
#include "transplt/syntax/syntax_tree.h"

namespace transplt {

class ProjectValues;
class ValueFlows;
class ValueSources;
class ProjectModules;

/// Everything that a rule may ask about the file that it looks at. One per file and run.
class FileContext {
 public:
  /// `project` may be null: then nothing is known about other files; `shared_values` too: then only
  /// what this file imports is.
  FileContext(const SyntaxTree& tree, const ApiTable& apis, const ProjectIndex* project,
              Framework framework = Framework::kPytorch, TensorflowVersions tensorflow = {},
              const ProjectValues* shared_values = nullptr);
  ~FileContext();

  /// The table of names that the project has made of this tree, which must outlive this.
  void UseNames(const NameTable& names) { names_ = &names; }

  const SourceFile& source() const { return tree_.source(); }
  const SyntaxTree& tree() const { return tree_; }
  const ApiTable& apis() const { return apis_; }
  const ProjectIndex* project() const { return project_; }
  /// What the project consists of; null if nothing is known about other files.
  const ProjectModules* modules() const { return modules_; }
  void UseModules(const ProjectModules* modules) { modules_ = modules; }

  /// True if the import of `module` brings code of the project itself.
  bool IsOwn(std::string_view module) const;

  /// Made when the first rule asks for it: most files have nothing to resolve.
  const NameTable& names() const;
  const Classes& classes() const;
  CodeFile code() const { return {names(), classes(), project_}; }
  /// What the texts of the file are for.
  ValueFlows& values() const;
  const ResultUses& results() const;
  /// Where values come from; keeps the answers for all rules.
  const ValueSources& sources() const;

  /// True if the file imports this framework: "torch", "tensorflow" ..., or uses a name of it that
  /// `from module import *` brings from the project.
  bool Imports(std::string_view framework) const;

  /// True if the file imports another framework (TensorFlow, JAX, numba ...) and not the one that
  /// the run migrates: what its names and strings mean is then not for rules about that one.
  bool IsOtherFramework() const;

  /// What the programs that run the file do with TensorFlow.
  void UseTensorflow(TensorflowUse use) { tensorflow_.use = use; }
  /// False if what the file does with TensorFlow stays on the CPU.
  bool MigratesTensorflow() const;
  /// True if they make sessions and graphs, as TensorFlow 1 has them and tensorflow.compat.v1 of
  /// TensorFlow 2; else they run eagerly.
  bool UsesSessions() const;
  /// True if one of them trains.
  bool TrainsWithTensorflow() const { return tensorflow_.use.trains; }
  /// The version of TensorFlow on the NPU machine, 1 or 2.
  int InstalledTensorflow() const;

  /// The identifiers and the pieces of strings that are `text`, in their order.
  const std::vector<Node>& NodesSaying(std::string_view text) const;

 private:
  using NodeTexts = std::unordered_map<std::string_view, std::vector<Node>>;

  /// The packages of which the file uses names that stars of modules of the project bring.
  const std::set<std::string, std::less<>>& BroughtByStars() const;
  const NodeTexts& NodesByText() const;

  const SyntaxTree& tree_;
  const ApiTable& apis_;
  const ProjectIndex* project_;
  const ProjectModules* modules_ = nullptr;
  Framework framework_;
  TensorflowVersions tensorflow_;
  const ProjectValues* shared_values_;
  // Answers kept for the next question; a file is looked at by one thread.
  mutable std::unique_ptr<const NameTable> own_names_;
  mutable const NameTable* names_ = nullptr;
  mutable std::unique_ptr<Classes> classes_;
  mutable std::unique_ptr<ValueFlows> values_;
  mutable std::unique_ptr<ResultUses> results_;
  mutable std::unique_ptr<ValueSources> sources_;
  mutable std::optional<bool> other_framework_;
  mutable std::optional<std::set<std::string, std::less<>>> brought_by_stars_;
  mutable NodeTexts nodes_by_text_;
};

}  // namespace transplt
