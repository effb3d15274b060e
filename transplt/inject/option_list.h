// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "transplt/base/text.h"
#include "transplt/inject/option_table.h"

namespace transplt {

/// What can be set, a line for each option: name, meaning, values, default, and what it goes with.
/// Under the tools of the framework, or under `tool` alone.
std::string ListOptions(const OptionTable& table, std::string_view framework, std::string_view tool,
                        Language language);

}  // namespace transplt
