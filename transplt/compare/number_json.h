// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

#include "transplt/compare/comparison_table.h"

namespace transplt {

/// JSON has no word for what is no number: it becomes the text "nan", "inf" or "-inf".
inline nlohmann::ordered_json NumberJson(double number) {
  return std::isfinite(number) ? nlohmann::ordered_json(number)
                               : nlohmann::ordered_json(NumberText(number));
}

}  // namespace transplt
