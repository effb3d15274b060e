// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transplt/engine/file_context.h"

namespace transplt {

/// The classes from outside of the project whose constructor gets the argument `keyword` of `call`,
/// which makes an object of a class of the project: the class has no constructor of its own, or one
/// that hands its `**kwargs` on. Full names; empty if the project takes the argument itself, or if
/// nobody sees where it goes.
std::vector<std::string> ClassesHanded(Node call, std::string_view keyword,
                                       const FileContext& file);

}  // namespace transplt
