// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/edit.h"
#include "transplt/native/rules.h"
#include "transplt/native/tokens.h"

namespace transplt {

/// What a source has to include once the edits of the rules `applied` are made: lines before the
/// first #include of a header of the project, which may need them, else behind the first block of
/// #include; behind the guard of a header that has none, or at the top of what nothing else
/// includes. Nothing if it includes all of it.
std::optional<Edit> MissingIncludes(std::string_view source, const std::vector<NativeToken>& tokens,
                                    const NativeRules& rules, const std::set<std::string>& applied,
                                    bool is_included = true);

}  // namespace transplt
