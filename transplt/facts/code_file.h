// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/facts/classes.h"
#include "transplt/python/name_table.h"
#include "transplt/python/project_index.h"

namespace transplt {

/// One file of a project as questions about its code need it. A value of three words; what it
/// refers to must outlive it.
class CodeFile {
 public:
  /// `project` may be null: then nothing is known about other files.
  CodeFile(const NameTable& names, const Classes& classes, const ProjectIndex* project)
      : names_(&names), classes_(&classes), project_(project) {}

  const NameTable& names() const { return *names_; }
  const Classes& classes() const { return *classes_; }
  const ProjectIndex* project() const { return project_; }
  const SyntaxTree& tree() const { return names_->tree(); }
  const SourceFile& source() const { return tree().source(); }
  const std::string& path() const { return source().path(); }

 private:
  const NameTable* names_;
  const Classes* classes_;
  const ProjectIndex* project_;
};

}  // namespace transplt
