// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/json_text.h"

#include <nlohmann/json.hpp>

namespace transplt {

nlohmann::json ParseJson(std::string_view text) {
  return nlohmann::json::parse(text, nullptr, false);
}

nlohmann::ordered_json ParseOrderedJson(std::string_view text) {
  return nlohmann::ordered_json::parse(text, nullptr, false);
}

}  // namespace transplt
