// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "transplt/python/name_table.h"
#include "transplt/python/project_index.h"

namespace transplt {

/// The classes of one file, with the bases that the project defines. Bases may form a cycle.
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
  bool DefinesItself(Node definition, std::string_view name) const;
  bool ReturnsItself(Node call, Node receiver, std::string_view name) const;
  bool AnnotationDefines(const Binding& parameter, std::string_view name) const;
  bool MemberDefines(Node member, std::string_view name) const;

  const NameTable& names_;
  const ProjectIndex* project_;
};

}  // namespace transplt
