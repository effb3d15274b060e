// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "transplt/python/name_table.h"
#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// Which packages one file imports, by its import statements: comments and strings do not count.
/// The file is parsed when a package is asked for that its text names.
class FileImports {
 public:
  /// `path` is for nothing but messages. Bytes that are no text import nothing.
  FileImports(std::string path, std::string bytes, Parser& parser);

  /// True for `import torch`, `import a, torch.nn as nn`, `from torch.x import y`; a dotted package
  /// counts where it, or a part of it, is imported.
  bool Has(std::string_view package);
  const std::string& bytes() const { return bytes_; }

 private:
  const std::set<std::string, std::less<>>& Modules();

  std::string path_;
  std::string bytes_;
  Parser& parser_;
  std::optional<std::set<std::string, std::less<>>> modules_;
};

}  // namespace transplt
