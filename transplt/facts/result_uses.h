// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "transplt/facts/classes.h"
#include "transplt/python/name_table.h"
#include "transplt/python/project_index.h"

namespace transplt {

/// A place where a file uses the result of a call.
struct ResultUse {
  enum class Kind {
    kMember,      ///< `result.name`, `getattr(result, "name")`
    kItem,        ///< `result[0]`, `for x in result`
    kUnpacked,    ///< `a, b = result`, `f(*result)`, `"%d.%d" % result`
    kOrdered,     ///< `result >= (8, 0)`
    kEqual,       ///< `result == "A100"`
    kMembership,  ///< `"A100" in result`, `result in table`
    kComputed,    ///< `result * 2`
    kReturned,    ///< by a function of the module, which other files may call
    kPassed,      ///< `f(result)`, `x.f(y=result)`, of a function that the file does not define
    kCalled,      ///< `result(x)`
  };
  Kind kind = Kind::kMember;
  Node node;                 ///< the attribute, subscript, assignment, comparison ...
  Node value;                ///< the expression inside it that has the result
  Node origin;               ///< the call that gave the result in this file
  std::string_view member;   ///< of kMember; of kReturned and kPassed the function, its last name
  bool has_default = false;  ///< `getattr(result, "name", 0)`
  /// The calls of classes that wrap the result, `gym.Wrapper(result)`, the innermost first: `value`
  /// has what the last of them gives.
  std::vector<Node> wrappers = {};
  /// The call of the result that gave `value`, where `through` follows calls: `result(x)`.
  Node run = {};
  /// Of kMember: the method of a wrapper that is called in its place, and calls it.
  Node passed_on_by = {};
};

/// Into how many values `use` unpacks the result; 0 where a star takes any number, or it is none.
size_t ValuesUnpacked(const ResultUse& use);

/// Where the results of calls go in one file: through variables, `self.x`, functions of the file
/// that return them and parameters that take them; a call of a function that another file of the
/// project defines counts if that returns the result, and so does one of a class of the project
/// that derives from the class asked for. What wraps it, `gym.Wrapper(result)`, has its members,
/// but for those that a class of the project defines anew. The time is linear in the size of the
/// file. Answers are kept; one object serves one thread.
class ResultUses {
 public:
  /// `project` may be null: then nothing is known about functions of other files.
  ResultUses(const NameTable& names, const Classes& classes, const ProjectIndex* project)
      : names_(names), classes_(classes), project_(project) {}

  /// In `through`: an item, `result["a"]`, is followed like the result itself.
  static constexpr std::string_view kItems = "[]";
  /// In `through`: what a loop or an unpacking takes out of it, `for x in result`, is followed,
  /// too.
  static constexpr std::string_view kParts = "*";
  /// In `through`, behind the name of a method: a call of the object, `result(x)`, which runs that
  /// method, is followed unless a class of the project defines the method anew: `forward()`.
  static constexpr std::string_view kRun = "()";

  /// The uses of what `function`, a full name, gives, in the order of the text. A method in
  /// `through` gives another form of the same value: `result.lower()`.
  const std::vector<ResultUse>& Of(const std::string& function,
                                   const std::vector<std::string>& through) const;

  /// The uses of this one value.
  std::vector<ResultUse> OfValue(Node value) const;

  /// Those of them that belong to `node`: of a member the attribute, or the call of getattr(); of
  /// others the call that gave the result.
  std::vector<const ResultUse*> At(Node node, const std::string& function,
                                   const std::vector<std::string>& through) const;

  /// True if a condition around `use`, or one that has ended the function before it, asks about
  /// the value or for the member, or an `except` clause answers what goes wrong.
  bool IsGuarded(const ResultUse& use) const;
  /// The `except` that takes the error of a use which no condition asks about, and lets the program
  /// go on; or a null node.
  Node HandlerOf(const ResultUse& use) const;

 private:
  class Flow;
  struct Index;

  struct Found {
    std::vector<ResultUse> uses;
    std::unordered_multimap<uint32_t, size_t> at;  ///< by the node that a use belongs to
  };

  const Index& index() const;
  const Found& FoundOf(const std::string& function, const std::vector<std::string>& through) const;
  /// The statements of `block` that leave it under a condition.
  const std::vector<Node>& LeavingStatements(Node block) const;
  bool IsLeftBefore(Node statement, const ResultUse& use) const;
  bool IsAskedAt(Node node, const ResultUse& use) const;
  /// The functions and classes whose results the call gives, by their full names.
  std::set<std::string> NamesGivenBy(Node call) const;
  Node ClassNamed(Node callee) const;
  bool Wraps(Node call) const;
  bool DefinesMember(Node made, std::string_view member) const;
  Node MethodThatPassesOn(const ResultUse& use, Node made) const;

  const NameTable& names_;
  const Classes& classes_;
  const ProjectIndex* project_;
  mutable std::shared_ptr<Index> index_;
  mutable std::map<std::pair<std::string, std::vector<std::string>>, Found> known_;
  mutable std::unordered_map<uint32_t, std::vector<Node>> leaving_;  // by block
};

}  // namespace transplt
