// SPDX-License-Identifier: Apache-2.0
#include "transplt/batch/digest.h"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace transplt {

struct Digest::State {
  XXH3_state_t hash;
};

Digest::Digest() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->hash); }
Digest::~Digest() = default;

void Digest::Add(std::string_view bytes) {
  XXH3_128bits_update(&state_->hash, bytes.data(), bytes.size());
}

void Digest::AddField(std::string_view bytes) {
  Add(fmt::format("{}:", bytes.size()));
  Add(bytes);
}

std::string Digest::Text() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state_->hash);
  return fmt::format("xxh128:{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace transplt
