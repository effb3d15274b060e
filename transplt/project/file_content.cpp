// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/file_content.h"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace transplt {

FileContent ContentOf(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {bytes.size(), fmt::format("{:016x}{:016x}", hash.high64, hash.low64)};
}

}  // namespace transplt
