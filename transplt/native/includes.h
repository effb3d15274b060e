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

/// What a source has to include once the edits of the rules `applied` are made: lines behind its
/// first block of #include. Nothing if it includes all of it, or has no #include: then it is a part
/// of something that includes what it needs.
std::optional<Edit> MissingIncludes(std::string_view source, const std::vector<NativeToken>& tokens,
                                    const NativeRules& rules, const std::set<std::string>& applied);

}  // namespace transplt
