// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/base/text_range.h"

namespace transplt {

/// A place that the parser could not read.
struct SyntaxError {
  TextRange range;  ///< what it has passed over or missed
  TextRange doubt;  ///< the statement, or the head of one, in which it has guessed
};

}  // namespace transplt
