// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace transplt {

/// What a file holds, as far as it takes to tell two contents apart: the size in bytes, and the
/// XXH3 hash of 128 bits as 32 hexadecimal digits.
struct FileContent {
  uint64_t size = 0;
  std::string hash;
  bool operator==(const FileContent&) const = default;
};

FileContent ContentOf(std::string_view bytes);

}  // namespace transplt
