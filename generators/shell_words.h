// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "transplt/base/text.h"

namespace transplt {

/// Why `text` cannot stand between the parentheses of a bash array as the words of one command:
/// an open quote, an operator such as ";", a command substitution, a comment. Nothing if it can.
/// Quotes, backslashes, $NAME and ${NAME} are allowed.
std::optional<Text> WhyNotShellWords(std::string_view text);

}  // namespace transplt
