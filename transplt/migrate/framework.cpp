// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/framework.h"

#include <array>
#include <utility>

namespace transplt {
namespace {

/// `import NAME` or `from NAME` at the beginning of a statement.
bool Imports(std::string_view bytes, std::string_view package) {
  for (size_t at = bytes.find(package); at != std::string_view::npos;
       at = bytes.find(package, at + 1)) {
    const size_t end = at + package.size();
    const char after = end < bytes.size() ? bytes[end] : '\n';
    const bool whole = after == ' ' || after == '.' || after == '\n' || after == '\r' ||
                       after == ',' || after == ';' || after == '\t';
    const std::string_view before = bytes.substr(0, at);
    if (whole &&
        (before.ends_with("import ") || before.ends_with("from ") || before.ends_with(", "))) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string DetectFramework(const ProjectFiles& project) {
  std::string other;
  for (const ProjectEntry& entry : project.entries) {
    if (entry.kind != ProjectEntry::Kind::kMigratable) continue;
    const Result<std::string> bytes = ReadProjectFile(project, entry);
    if (!bytes) continue;  // reported when the file is migrated
    if (Imports(*bytes, "torch")) return "pytorch";
    for (std::string_view name : {"tensorflow", "mindspore"}) {
      if (other.empty() && Imports(*bytes, name)) other = name;
    }
  }
  return other;
}

}  // namespace transplt
