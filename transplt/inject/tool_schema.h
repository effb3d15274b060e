// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transplt/inject/request.h"

namespace transplt {

/// What the schema of generators/schemas says against options of a tool.
struct SchemaMistake {
  std::string option;  ///< the name of the option that it is about
  Text what;
  bool is_note = false;  ///< nothing is wrong
};

/// Checks the options of `tool` by the schema of the generator that writes the same configuration
/// (OptionTable::tools); nothing for a tool that has none. `options` are all that are given; one
/// whose value is not known must not be among them.
std::vector<SchemaMistake> CheckBySchema(const OptionTable& table, std::string_view framework,
                                         std::string_view tool,
                                         const std::vector<OptionValue>& options);

}  // namespace transplt
