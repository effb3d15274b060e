// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace transplt {

/// Renames `name` in the open folder `folder` to the first of "AS.before-1", "AS.before-2" ... that
/// is free, and returns that name; empty if it cannot, errno says why.
std::string KeepAside(int folder, const std::string& name, std::string_view as);

}  // namespace transplt
