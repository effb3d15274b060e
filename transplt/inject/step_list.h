// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace transplt {

/// "0|3-5" as a Python list: "[0, 3, 4, 5]". The text has been checked.
std::string StepList(std::string_view steps);

}  // namespace transplt
