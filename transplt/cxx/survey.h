// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/native/answer.h"

namespace transplt {

/// Looks at all sources of the request. A source that breaks the parser has an error, and the
/// others are not touched by that.
NativeAnswer Survey(const NativeRequest& request);

}  // namespace transplt
