// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "transplt/base/text_range.h"
#include "transplt/native/tokens.h"

namespace transplt {

/// The first brace, #if or #endif of a source whose counterpart is missing; nothing if all have
/// one. No parser knows what belongs together behind it. Of the branches of an #if one counts:
/// braces may be opened in each of them and closed once.
std::optional<TextRange> OpenEndIn(std::string_view source, const std::vector<NativeToken>& tokens);

}  // namespace transplt
