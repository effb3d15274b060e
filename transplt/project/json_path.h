// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace transplt {

/// A path in a JSON file. JSON text is UTF-8 and a file name need not be: such a name
/// becomes a list of bytes.
nlohmann::json PathToJson(const std::string& path);

/// The bytes of the path again; nothing if the JSON is not that of one.
std::optional<std::string> BytesFromJson(const nlohmann::json& value);

/// As BytesFromJson; nothing also for a path that could lead out of the folder it is relative to.
std::optional<std::string> PathFromJson(const nlohmann::json& value);

}  // namespace transplt
