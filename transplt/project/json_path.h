// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace transplt {

/// A path in a JSON file. JSON text is UTF-8 and a file name need not be: such a name
/// becomes a list of bytes.
nlohmann::json PathToJson(const std::string& path);

/// The path again; nothing if it is none, or could lead out of the folder that it is relative to.
std::optional<std::string> PathFromJson(const nlohmann::json& value);

}  // namespace transplt
