// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/frontends/notebook.h"
#include "transplt/project/project_files.h"

namespace transplt {

/// A Python file or the code cells of a notebook.
struct PythonSource {
  std::string path;  ///< relative to the project
  std::string text;  ///< of a notebook its code cells; of a file its bytes
  bool is_notebook = false;
  std::shared_ptr<const Notebook> notebook;  ///< null for a file
};

/// What of a project is Python, read; and what could not be read.
struct PythonSources {
  std::string root;
  std::vector<PythonSource> sources;                     ///< sorted by path
  std::vector<std::pair<std::string, Text>> unreadable;  ///< path and reason
  /// The text of a file, for an index of the project.
  Result<std::string> Read(const std::string& path) const;
};

Result<PythonSources> ReadPythonSources(const std::string& project);

}  // namespace transplt
