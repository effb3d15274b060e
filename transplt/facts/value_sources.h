// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transplt/python/name_table.h"
#include "transplt/python/opened_files.h"
#include "transplt/python/project_index.h"

namespace transplt {

/// Where a node stands: its file and its id there. Equal for the same node, however it was found.
struct SourcePlace {
  static constexpr uint32_t kNoNode = ~uint32_t{0};

  std::string path;
  uint32_t node = kNoNode;

  friend auto operator<=>(const SourcePlace&, const SourcePlace&) = default;
};

/// An expression of some file of the project.
struct ValueSource {
  Node node;
  const NameTable* names = nullptr;
  std::shared_ptr<const OpenedFile> file = {};  ///< that holds both; null: the file itself

  const std::string& path() const { return names->tree().source().path(); }
  SourcePlace place() const { return {path(), node ? node.id() : SourcePlace::kNoNode}; }
  /// The same file's `other`.
  ValueSource At(Node other) const { return {other, names, file}; }
};

/// True if what `call` calls is `name` of `package`.
bool CallsMember(const ValueSource& call, std::string_view package, std::string_view name);

/// The expression whose value `call` gives on: `Loss()` of `Loss().cuda()`.
Node MadeFirst(Node call);

/// The names of the fields that a class declares in its body, in their order: `x: int`.
std::vector<Node> FieldsOf(Node class_definition);

/// Follows values back to the expressions that make them: through variables, parameters and the
/// arguments of their callers, attributes and results of functions, over the files of the project.
/// Keeps what it has found: one for many questions is faster than one each.
/// For one thread.
class ValueSources {
 public:
  /// Of a file of the project, which `names` belongs to. `project` may be null: then nothing is
  /// known about other files. Both must outlive this.
  ValueSources(const NameTable& names, const ProjectIndex* project)
      : names_(names), project_(project) {}

  /// All that the value of `expression` may be made by; an expression that leads no further is its
  /// own source.
  std::vector<ValueSource> Of(Node expression) const;
  std::vector<ValueSource> Of(const ValueSource& expression) const;

  /// The function or class of the project that `callee` names.
  std::optional<ValueSource> DefinitionOf(const ValueSource& callee) const;
  std::optional<ValueSource> DefinitionOf(Node callee) const {
    return DefinitionOf(ValueSource{callee, &names_});
  }

  /// The calls of a function of the project, or for a constructor those of its class.
  std::vector<ValueSource> CallsOf(const ValueSource& function) const;

 private:
  /// The way of one question. What is asked on the way, which class an object has, is a question
  /// of its own, and takes from the same number of steps.
  struct Trail {
    size_t& steps;  ///< left
    int depth = 0;
    std::set<SourcePlace> seen = {};
    std::vector<ValueSource> found = {};
  };

  std::optional<ValueSource> DefinitionOf(const ValueSource& callee, const Trail& trail) const;
  void Follow(const ValueSource& at, Trail& trail) const;
  void FollowName(const ValueSource& at, Trail& trail) const;
  void FollowParameter(const ValueSource& at, const Binding& binding, Trail& trail) const;
  bool FollowCallers(const ValueSource& function, Node parameter, Trail& trail) const;
  /// A place in a pattern of so many members.
  struct TakenMember {
    size_t place;
    size_t count;
  };
  void FollowPart(const ValueSource& at, const Binding& binding, Trail& trail) const;
  void FollowMembers(const ValueSource& at, const ValueSource& sequence,
                     const std::vector<TakenMember>& taken, Trail& trail) const;
  void FollowTaken(const ValueSource& at, const ValueSource& value, std::vector<TakenMember> taken,
                   Trail& trail) const;
  void FollowImport(const ValueSource& at, const Binding& binding, Trail& trail) const;
  void FollowMember(const ValueSource& at, Trail& trail) const;
  void FollowCall(const ValueSource& at, Trail& trail) const;
  bool FollowField(const ValueSource& object, const ValueSource& holder, std::string_view field,
                   Trail& trail) const;
  std::vector<ValueSource> FunctionsOf(const ValueSource& callee, const Trail& trail) const;
  std::optional<ValueSource> ClassOf(const ValueSource& object, const Trail& trail) const;
  std::vector<ValueSource> WithBases(const ValueSource& definition, const Trail& trail,
                                     int depth = 0) const;
  std::optional<ValueSource> MethodOf(const ValueSource& definition, std::string_view name,
                                      const Trail& trail) const;
  std::optional<ValueSource> TopLevel(const ValueSource& from, std::string_view qualified) const;
  /// With whether it is of an opened file: that may be another text of the same path.
  using PlaceOfText = std::pair<bool, SourcePlace>;
  PlaceOfText PlaceOf(const ValueSource& value) const {
    return {value.names != &names_, value.place()};
  }
  std::optional<ValueSource> At(const PlaceOfText& place) const;
  const std::vector<uint32_t>& ValuesOfMember(const ValueSource& definition,
                                              std::string_view member) const;
  const std::vector<SourcePlace>& CallersOf(const ValueSource& function, const Trail& trail) const;
  std::vector<SourcePlace> FindCallers(const ValueSource& function, const Trail& trail) const;
  std::optional<ValueSource> FileAt(const ValueSource& from, const std::string& path) const;

  const NameTable& names_;
  const ProjectIndex* project_;
  mutable std::map<SourcePlace, std::vector<SourcePlace>> callers_;  // by the definition
  using ValuesByMember = std::map<std::string, std::vector<uint32_t>, std::less<>>;
  mutable std::map<PlaceOfText, ValuesByMember> members_;            // by the class
  mutable std::map<PlaceOfText, std::vector<PlaceOfText>> answers_;  // of Of()
};

}  // namespace transplt
