// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

namespace transplt {

/// Takes a long text piece by piece, in order: the whole text of a large run would need several
/// times the memory of the run itself. Each piece holds whole characters.
using TextSink = std::function<void(std::string_view)>;

}  // namespace transplt
