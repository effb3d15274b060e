// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/json_path.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "transplt/base/json_text.h"
#include "transplt/project/folder_handle.h"

namespace transplt {

using nlohmann::json;

json PathToJson(const std::string& path) {
  const bool is_text =
      ParseJson(json(path).dump(-1, ' ', false, json::error_handler_t::ignore)) == json(path);
  if (is_text) return path;
  return std::vector<uint8_t>(path.begin(), path.end());
}

std::optional<std::string> BytesFromJson(const json& value) {
  std::string path;
  if (value.is_string()) {
    path = value.get<std::string>();
  } else if (!value.is_array()) {
    return std::nullopt;
  } else {
    for (const json& byte : value) {
      if (!byte.is_number_unsigned() || byte.get<uint64_t>() > 255) return std::nullopt;
      path += static_cast<char>(byte.get<uint8_t>());
    }
  }
  return path;
}

std::optional<std::string> PathFromJson(const json& value) {
  std::optional<std::string> path = BytesFromJson(value);
  if (path && !IsPlainPath(*path)) return std::nullopt;
  return path;
}

}  // namespace transplt
