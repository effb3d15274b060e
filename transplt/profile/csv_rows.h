// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace transplt {

/// Takes the first row from `text`, which becomes the rest: RFC 4180, cells in quotes may hold
/// commas, line ends and doubled quotes. Line ends may be LF or CR LF.
std::vector<std::string> TakeCsvRow(std::string_view& text);

}  // namespace transplt
