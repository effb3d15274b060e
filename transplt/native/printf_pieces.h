// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace transplt {

/// The pieces that print what printf prints of `format`, without its quotes, and `values`. Only for
/// directives that print a value as it is: %d, %lu, %s.
std::optional<std::string> FormatPieces(std::string_view format,
                                        const std::vector<std::string>& values);

}  // namespace transplt
