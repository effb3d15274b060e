// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace transplt {

/// Declarations that every source is parsed over.
struct Stub {
  std::string name;
  std::string_view text;
  bool is_ascend = false;  ///< what the rules write
};

/// In the order in which they are included.
std::span<const Stub> Stubs();

}  // namespace transplt
