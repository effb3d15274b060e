// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/verified_sources.h"

#include <algorithm>

namespace transplt {

Result<std::string> PythonSources::Read(const std::string& path) const {
  const auto found =
      std::lower_bound(sources.begin(), sources.end(), path,
                       [](const PythonSource& s, const std::string& p) { return s.path < p; });
  if (found != sources.end() && found->path == path) return found->text;
  return Error{Error::Code::kBadInput, path, Say("cannot be read", "无法读取")};
}

Result<PythonSources> ReadPythonSources(const std::string& project) {
  const Result<ProjectFiles> files = FindProjectFiles(project, {});
  if (!files) return files.error();
  PythonSources result;
  result.root = files->root;
  for (const ProjectEntry& entry : files->entries) {
    const bool is_notebook = entry.path.ends_with(".ipynb");
    const bool is_python =
        entry.kind == ProjectEntry::Kind::kMigratable || entry.path.ends_with(".py");
    if (!is_python && !is_notebook) continue;
    if (entry.kind == ProjectEntry::Kind::kLink) continue;  // what it leads to is looked at
    if (entry.kind == ProjectEntry::Kind::kSkipped) {
      result.unreadable.emplace_back(entry.path, entry.reason);
      continue;
    }
    Result<std::string> bytes = ReadProjectFile(*files, entry);
    if (!bytes) {
      result.unreadable.emplace_back(entry.path, bytes.error().what);
      continue;
    }
    PythonSource source{entry.path, {}, is_notebook, nullptr};
    if (is_notebook) {
      Result<Notebook> notebook = Notebook::FromJson(entry.path, *bytes);
      if (!notebook) {
        result.unreadable.emplace_back(entry.path, notebook.error().what);
        continue;
      }
      source.notebook = std::make_shared<const Notebook>(*std::move(notebook));
      source.text = source.notebook->python();
    } else {
      source.text = *std::move(bytes);
    }
    result.sources.push_back(std::move(source));
  }
  return result;
}

}  // namespace transplt
