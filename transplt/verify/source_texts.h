// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace transplt {

/// The sources of a project, as programs print them, write them into logs and keep them with what
/// they have trained. Those of the two projects differ, and that is no result.
class SourceTexts {
 public:
  /// Adds the text of the file `path` of the project.
  void Add(std::string path, std::string text);

  /// `text` with `<path>` for each block of lines that is one of a source. The first line of a
  /// block may stand behind, and its last line in front of, something else.
  std::string WithNames(std::string text) const;

 private:
  struct Source {
    std::string path;
    std::string text;
  };
  std::vector<Source> sources_;
};

}  // namespace transplt
