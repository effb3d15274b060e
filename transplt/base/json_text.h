// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace transplt {

/// The value of a JSON text; discarded if it is none. Every module that called the parser of
/// nlohmann itself would compile it anew.
nlohmann::json ParseJson(std::string_view text);

/// As ParseJson; the members of objects keep their order.
nlohmann::ordered_json ParseOrderedJson(std::string_view text);

}  // namespace transplt
