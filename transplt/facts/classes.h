// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "transplt/python/name_table.h"
#include "transplt/python/project_index.h"

namespace transplt {

/// The classes of one file, with the bases that the project defines. Bases may form a cycle.
/// What was found is kept for the next question: an object serves one thread.
class Classes {
 public:
  /// `project` may be null: then nothing is known about bases in other files.
  Classes(const NameTable& names, const ProjectIndex* project) : names_(names), project_(project) {}

  /// The class that holds `node` in its body, or a null node.
  Node EnclosingClass(Node node) const;
  /// True if the class `definition`, or a base of it that the project defines, has a method or
  /// attribute `name` of its own.
  bool ClassDefines(Node definition, std::string_view name) const;
  /// True if `receiver` is provably an object of a class of this project that defines `name`.
  bool ReceiverDefines(Node receiver, std::string_view name) const;

 private:
  using Answers = std::unordered_map<uint32_t, bool>;  // by node
  using AnswersByName = std::map<std::string, Answers, std::less<>>;
  /// Looks at a node: true if it is what was looked for, else adds the nodes to look at next.
  using Visit = std::function<bool(Node, std::vector<Node>&)>;
  /// What the classes of the file say about themselves.
  struct Contents {
    std::unordered_map<uint32_t, std::unordered_set<std::string_view>> members;  // by class
    /// The assignments to attributes of self, by what stands on their left: "self.x".
    std::unordered_map<std::string_view, std::vector<Node>> assignments;
  };
  /// Results of calls that a class assigns to one of its attributes.
  struct ValuesOfMember {
    int64_t defining = 0;  ///< objects of classes that define a name
    int64_t others = 0;
  };

  /// True if `start`, or a node that it leads to, is what `visit` looks for. The nodes may form a
  /// cycle, and there may be any number of them.
  static bool Leads(Node start, Answers& answers, const Visit& visit);
  static Answers& AnswersFor(AnswersByName& answers, std::string_view name);
  const Contents& OwnContents() const;
  bool DefinesItself(Node definition, std::string_view name) const;
  bool BaseDefines(Node definition, std::string_view name, std::vector<Node>& own) const;
  bool MayBeAnother(Node receiver, std::string_view name, std::vector<Node>& next) const;
  static Node ObjectGivenBack(Node call, Node receiver);
  bool AnnotationDefines(const Binding& parameter, std::string_view name) const;
  bool MemberDefines(Node member, std::string_view name) const;
  ValuesOfMember ValuesOf(Node holder, std::string_view member, std::string_view name) const;

  const NameTable& names_;
  const ProjectIndex* project_;
  mutable std::optional<Contents> contents_;
  mutable AnswersByName defines_;    // of classes
  mutable AnswersByName undefined_;  // of variables that may hold another object
  /// By class, attribute and name.
  mutable std::map<std::tuple<uint32_t, std::string_view, std::string>, ValuesOfMember>
      values_of_members_;
};

}  // namespace transplt
