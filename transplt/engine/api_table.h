// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "transplt/engine/target.h"

namespace transplt {

/// How the arguments of a call change with the name. A name and its arguments change together, at
/// every call of a file, or nothing does.
struct CallChange {
  std::string first_argument = {};  ///< Python text that goes before the other arguments
  std::string first_keyword = {};   ///< its keyword: a call that gives it keeps its arguments
  /// What arguments that were positional are called now; if empty, they move one place on behind
  /// `first_argument`.
  std::vector<std::string> positional_names = {};
  /// A keyword whose default differs, and the Python text of the old default: calls without it get
  /// it. Empty: all defaults are the same.
  std::string default_keyword = {};
  std::string default_value = {};
  std::vector<std::string> bare_keywords = {};  ///< that the new name takes without a keyword
  std::string condition = {};  ///< Python text: `call if condition else otherwise`; or empty
  std::string otherwise = {};
  /// Functions that say as conditions of an `if` that `condition` holds below it.
  std::vector<std::string> implied_by = {};

  bool empty() const {
    return first_argument.empty() && positional_names.empty() && bare_keywords.empty() &&
           condition.empty();
  }
};

/// What a rule says about one API of the framework, under its full dotted name.
struct ApiEntry {
  std::string old_name;  ///< "torch.cuda.synchronize"
  std::string new_name;  ///< "torch.npu.synchronize"; empty if the name stays in the source
  bool is_module = false;
  bool in_class = false;        ///< `new_name` is a member of a class, which no import can name
  bool is_unsupported = false;  ///< the name stays, and there is no counterpart
  bool is_removed = false;      ///< its library has it no longer
  std::string rule_id;
  std::vector<std::string> refused_keywords = {};  ///< that `new_name` does not take; also "**"
  /// What may be done with the result: members of it, and functions that it is given to. Other
  /// uses keep the old name. Empty: anything.
  std::vector<std::string> result_uses = {};
  bool called_only = false;  ///< only what is called gets the new name
  bool asked_only = false;   ///< only in files that ask whether an object is of the class
  CallChange call = {};

  /// True if it depends on every use of a name whether that name can stand for the new API.
  bool DependsOnCalls() const {
    return called_only || !refused_keywords.empty() || !result_uses.empty() || !call.empty();
  }
};

/// The APIs that the active rules know by name. Rules need each other here: whether
/// `from torch.cuda import nvtx, Stream` can move as a whole, whether `torch.cuda.foo` is a name
/// that no rule knows.
class ApiTable {
 public:
  ApiTable() = default;
  explicit ApiTable(Target target) : target_(std::move(target)) {}

  /// What the rules write names for.
  const Target& target() const { return target_; }
  /// The first entry of a name wins: a user's rule precedes a built-in one.
  void Add(const ApiEntry& entry);
  /// The entry of exactly this name, or null.
  const ApiEntry* Find(std::string_view name) const;
  /// The entry of `name` or of the longest prefix of it that has one, or null.
  const ApiEntry* FindPrefix(std::string_view name) const;

  /// Notes that the library of the target has a counterpart of `name` in other releases of it than
  /// the one that is assumed: ">=7.2.0".
  void AddOfOtherReleases(const std::string& name, const std::string& releases);
  /// The releases that have a counterpart of `name` where the assumed one has none, or null.
  const std::string* OtherReleases(std::string_view name) const;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  Target target_;
  std::unordered_map<std::string, ApiEntry, Hash, std::equal_to<>> entries_;
  std::unordered_map<std::string, std::string, Hash, std::equal_to<>> other_releases_;
};

}  // namespace transplt
