// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace transplt {

/// The cause of the imports of libraries whose counterpart for the NPU the project names itself.
inline constexpr std::string_view kCounterpartCause = "library-counterpart";

}  // namespace transplt
