// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "transplt/base/text.h"

namespace transplt {

/// The name among `known` that `written` is most likely a misspelling of: the fewest inserted,
/// deleted, replaced or swapped letters, where case, "_" and "-" do not count. Nothing if none is
/// near.
std::optional<std::string_view> SimilarName(std::string_view written,
                                            const std::vector<std::string_view>& known);

/// `; did you mean "arg_idx"?`, or, if nothing is near, `; LABEL "a", "b" and "c"`.
Text SuggestName(std::string_view written, const std::vector<std::string_view>& known,
                 const Text& label);

}  // namespace transplt
