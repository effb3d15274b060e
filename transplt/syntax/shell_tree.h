// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "transplt/base/source_file.h"
#include "transplt/base/text_range.h"

namespace transplt {

struct ShellNode {
  /// The name that tree-sitter-bash gives it ("command", "variable_name"); of a token its text.
  std::string_view kind;
  TextRange range;
  uint32_t parent = 0;
  uint32_t end_id = 0;  ///< behind the last descendant
};

/// Parses a shell script. The nodes stand in the order of the text, parents before children, the
/// whole script first. Never fails: what is not valid is below a node of the kind "ERROR", and
/// what the parser had to invent is an "ERROR" without bytes.
std::vector<ShellNode> ParseShell(const SourceFile& source);

}  // namespace transplt
