// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/migrate/policy.h"
#include "transplt/review/review.h"

namespace transplt {

/// The entries for transplt.toml that leave the edits `chosen` (indexes of review.fixes(), all of
/// them rejected) out of later runs: where one of `wider` covers only rejected edits, that entry,
/// and for all others their lines. Nothing for what `known` covers already. An Error where a line
/// also has, at another place, an edit that is not rejected: an entry could not tell them apart.
Result<std::vector<Policy::DeclinedEdits>> EntriesFor(
    const Review& review, const std::vector<size_t>& chosen,
    const std::vector<Policy::DeclinedEdits>& wider,
    const std::vector<Policy::DeclinedEdits>& known, const std::string& reason);

}  // namespace transplt
