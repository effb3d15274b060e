// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "transplt/base/text_range.h"

namespace transplt {

/// Cuts a large text between statements at the margin into pieces of about `size` bytes (larger
/// ones where a statement is), which can be parsed one by one: tree-sitter needs up to 100 bytes
/// of memory for a byte of source, and in a large text its time grows faster than the text as
/// soon as there is an error. A text of less than four pieces stays whole.
std::vector<TextRange> CutIntoPieces(std::string_view text, size_t size);

}  // namespace transplt
