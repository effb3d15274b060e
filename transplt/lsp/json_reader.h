// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "transplt/lsp/text_positions.h"

namespace transplt {

/// Reading messages that may be of any shape: what is missing or of another type is nothing.

/// Null (as an address) if there is none.
const nlohmann::json* ValueAt(const nlohmann::json& from, const char* pointer);
std::optional<std::string> StringAt(const nlohmann::json& from, const char* pointer);
std::optional<Position> PositionAt(const nlohmann::json& from, const char* pointer);

/// A message; discarded if it is no JSON. Half a surrogate pair, which no UTF-8 can hold, becomes
/// U+FFFD, which takes as much room in UTF-16.
nlohmann::json ParseMessage(std::string_view text);

nlohmann::json ToJson(Position position);

}  // namespace transplt
