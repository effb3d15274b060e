// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace transplt {

/// Of an option's value. CLI11's own names the largest double, with all its 309 digits.
inline CLI::Validator NotNegative() {
  return CLI::Validator(
      [](std::string& text) {
        double value = 0;
        const bool fits = CLI::detail::lexical_cast(text, value) && value >= 0;
        return fits ? std::string() : text + " is no number from 0";
      },
      "NONNEGATIVE");
}

}  // namespace transplt
