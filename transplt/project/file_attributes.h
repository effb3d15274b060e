// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace transplt {

/// Gives the open file `to` what `from` has besides its bytes: owner and group as far as the
/// system lets us, extended attributes, access control list and mode. Returns nothing if all went
/// well, else what could not be kept ("user.origin"); errno says why. What belongs to the system
/// (security.*, trusted.* ...) is kept where that is allowed.
std::optional<std::string> CopyAttributes(int from, int to);

}  // namespace transplt
