// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/facts/import_groups.h"
#include "transplt/facts/imported_library.h"
#include "transplt/facts/value_sources.h"
#include "transplt/inject/edit_plan.h"
#include "transplt/python/callee.h"
#include "transplt/python/name_table.h"
#include "transplt/python/project_index.h"

namespace transplt {

/// A Python file as the injection sees it, whatever its framework: names, scopes, blocks.
class InjectFile {
 public:
  InjectFile(const SyntaxTree& tree, const ProjectIndex* project);

  const SyntaxTree& tree() const { return tree_; }
  const NameTable& names() const { return names_; }
  const SourceFile& source() const { return tree_.source(); }
  const ProjectIndex* project() const { return project_; }
  const InjectedParts& injected() const { return injected_; }
  const ValueSources& values() const { return values_; }

  /// All nodes of a kind that are valid Python, in the order of the text.
  std::vector<Node> NodesOf(NodeKind kind) const;
  /// The last name of what `call` calls: "Session" of `tf.Session()`.
  static std::string_view LastName(Node call);
  /// The same behind `from tensorflow import Session as S`: "Session" of `S()`.
  std::string_view CalledName(Node call) const;
  /// True if the callee of `call` is `name` of one of the packages, or is called `name` without
  /// anything in the file that binds it.
  bool Calls(Node call, std::string_view name, const std::vector<std::string_view>& packages) const;
  /// True if an import of the author is of `package`.
  bool ImportsPackage(std::string_view package) const;
  /// True if `name` is bound at module level.
  bool Binds(std::string_view name) const;
  /// True if the scope of `at` binds `name`, or the module does.
  bool BindsAt(std::string_view name, Node at) const;
  /// True if `name` may have no value at `at` although its scope binds it: only in some branch, or
  /// further down, as far as no statement before reads it in any case.
  bool MayBeUnbound(std::string_view name, Node at) const;
  /// True if the scope of `at`, or the module, may bind `name` to None before `at`, and nothing in
  /// any case to something else after that.
  bool MayBeNone(std::string_view name, Node at) const;
  bool HasStarImport(std::string_view package) const;

  /// What `wanted` is called where it is bound newly in the scope of `at`: itself, or with "npu_"
  /// in front where the author uses the name for something else.
  std::string FreshName(std::string_view wanted, Node at) const;
  bool IsInjected(Node node) const { return injected_.At(LineOf(node)) != nullptr; }
  uint32_t LineOf(Node node) const { return source().Locate(node.range().start).line; }

  /// The definition of the function that `call` calls, if it is in this file.
  Node LocalFunction(Node call) const;
  /// The same, in this file or another one.
  std::optional<ValueSource> FunctionOf(Node call) const;
  /// Its text; empty if it is in no file of the project.
  std::string FunctionText(Node call) const;
  /// The other files of the project that import this one.
  std::vector<std::shared_ptr<const OpenedFile>> Importers() const {
    return ImportersOf(source().path());
  }
  /// Those of another file of the project.
  std::vector<std::shared_ptr<const OpenedFile>> ImportersOf(const std::string& path) const;

 private:
  std::string_view NameOf(const Callee& callee) const;
  bool IsUsedByAuthor(std::string_view name, uint32_t scope) const;

  const SyntaxTree& tree_;
  const ProjectIndex* project_;
  const NameTable names_;
  const InjectedParts injected_;
  const ValueSources values_;
};

inline bool IsDefinition(Node statement) {
  return statement.Is(NodeKind::kFunctionDefinition) || statement.Is(NodeKind::kClassDefinition) ||
         statement.Is(NodeKind::kDecoratedDefinition);
}
/// The block (or module) that holds `statement`.
Node BlockOf(Node statement);
/// The innermost block that holds both.
Node CommonBlock(Node a, Node b);
/// The statement of `block` that `node` is, or lies in.
Node StatementIn(Node block, Node node);
/// True if lines before the statement of `node` run exactly when `node` is evaluated, so that an
/// expression may be moved there.
bool IsAlwaysEvaluated(Node node);
/// True if `node` is evaluated elsewhere than its statement: in a lambda, a comprehension, a
/// default, a decorator, the condition of a loop or an elif; or in the body of a class.
bool IsEvaluatedElsewhere(Node node);

}  // namespace transplt
