// SPDX-License-Identifier: Apache-2.0
#include "transplt/profile/trace.h"

namespace transplt {

uint32_t SharedTexts::Add(std::string_view text) {
  const auto [at, is_new] =
      numbers_.emplace(std::string(text), static_cast<uint32_t>(texts_.size()));
  if (is_new) texts_.push_back(&at->first);
  return at->second;
}

}  // namespace transplt
