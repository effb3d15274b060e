// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "transplt/native/answer.h"

namespace transplt {

/// Looks at all sources of the request. A source that breaks the parser has an error, and the
/// others are not touched by that. One that takes too much ends the process; `at` is the file that
/// gets the path of the source that is being parsed: see ParseWatch.
NativeAnswer Survey(const NativeRequest& request, const std::string& at = "");

}  // namespace transplt
