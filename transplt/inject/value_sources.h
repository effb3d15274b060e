// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transplt/inject/inject_file.h"
#include "transplt/python/opened_files.h"

namespace transplt {

/// An expression of some file of the project.
struct ValueSource {
  Node node;
  const NameTable* names = nullptr;
  std::shared_ptr<const OpenedFile> file = {};  ///< that holds both; null: the file itself

  const std::string& path() const { return names->tree().source().path(); }
  /// The same file's `other`.
  ValueSource At(Node other) const { return {other, names, file}; }
};

/// True if what `call` calls is `name` of `package`.
bool CallsMember(const ValueSource& call, std::string_view package, std::string_view name);

/// Follows values back to the expressions that make them: through variables, parameters and the
/// arguments of their callers, attributes and results of functions, over the files of the project.
class ValueSources {
 public:
  explicit ValueSources(const InjectFile& file) : file_(file) {}

  /// All that the value of `expression` may be made by; an expression that leads no further is its
  /// own source.
  std::vector<ValueSource> Of(Node expression) const;
  std::vector<ValueSource> Of(const ValueSource& expression) const;

  /// The function or class of the project that `callee` names.
  std::optional<ValueSource> DefinitionOf(const ValueSource& callee) const;

 private:
  /// The way of one question. What is asked on the way, which class an object has, is a question
  /// of its own, and takes from the same number of steps.
  struct Trail {
    size_t& steps;  ///< left
    int depth = 0;
    std::set<std::pair<std::string, uint32_t>> seen = {};
    std::vector<ValueSource> found = {};
  };

  std::optional<ValueSource> DefinitionOf(const ValueSource& callee, const Trail& trail) const;
  void Follow(const ValueSource& at, Trail& trail) const;
  void FollowName(const ValueSource& at, Trail& trail) const;
  void FollowParameter(const ValueSource& at, const Binding& binding, Trail& trail) const;
  bool FollowCallers(const ValueSource& function, Node parameter, Trail& trail) const;
  void FollowImport(const ValueSource& at, const Binding& binding, Trail& trail) const;
  void FollowMember(const ValueSource& at, Trail& trail) const;
  void FollowCall(const ValueSource& at, Trail& trail) const;
  std::optional<ValueSource> ClassOf(const ValueSource& object, const Trail& trail) const;
  std::optional<ValueSource> TopLevel(const ValueSource& from, std::string_view qualified) const;
  std::vector<ValueSource> CallersOf(const ValueSource& function, const Trail& trail) const;
  std::vector<ValueSource> FilesSpelling(const ValueSource& from, std::string_view word) const;

  const InjectFile& file_;
};

}  // namespace transplt
