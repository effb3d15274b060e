// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/edit.h"
#include "transplt/native/rules.h"
#include "transplt/native/tokens.h"

namespace transplt {

/// The rules whose edits are made, and where: the offsets of what they edit.
using AppliedRules = std::map<std::string, std::vector<uint32_t>>;

/// What a source has to include once the edits of `applied` are made: lines before the first
/// #include of a header of the project, which may need them, else behind the first block of
/// #include; behind the guard of a header that has none, or at the top of what nothing else
/// includes. Where all that needs a header stands in branches of an #if that no #include of CUDA is
/// outside of, its line is in such a branch too. Empty if it includes all of it.
std::vector<Edit> MissingIncludes(std::string_view source, const std::vector<NativeToken>& tokens,
                                  const NativeRules& rules, const AppliedRules& applied,
                                  bool is_included = true);

}  // namespace transplt
