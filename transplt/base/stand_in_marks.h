// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace transplt {

/// What the sources that stand in for CUDA sources have, by which a later run knows them.
inline constexpr std::string_view kStandInEnding = "_stand_in";  ///< of their names, before ".cc"
inline constexpr std::string_view kStandInOpening = "// Written by transplt: stands in for ";
/// What a function calls that does nothing but raise an error.
inline constexpr std::string_view kStandInFails = "TORCH_CHECK_NOT_IMPLEMENTED(";

}  // namespace transplt
