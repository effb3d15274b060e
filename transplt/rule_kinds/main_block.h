// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/base/edit.h"
#include "transplt/engine/file_context.h"
#include "transplt/python/main_block.h"

namespace transplt {

/// The statements of a block from `first` to `last` in a `try`, with `before` in front of it and
/// `finally` in its `finally`. The lines of `removed`, which other edits take out, are left alone.
struct TryStatement {
  std::vector<std::string> before;
  std::vector<std::string> finally;
};
std::vector<Edit> WrapInTry(Node first, Node last, const TryStatement& text,
                            const std::vector<TextRange>& removed, const FileContext& file);

/// The edit that takes out a simple statement: its line, or `pass` in its place where nothing else
/// would be left or stands on its line.
Edit RemoveStatement(Node statement, const FileContext& file);

}  // namespace transplt
