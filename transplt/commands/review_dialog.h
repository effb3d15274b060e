// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "transplt/base/result.h"
#include "transplt/review/review.h"

namespace transplt {

/// Asks the person at the terminal about all edits that nobody has decided about yet, cause by
/// cause, and decides. Ends when all are answered, or when the person stops; then the rest is as
/// it was. An Error if a file that is to be shown is not as `migrate` read it.
std::optional<Error> AskAboutEdits(Review& review, Language language);

}  // namespace transplt
