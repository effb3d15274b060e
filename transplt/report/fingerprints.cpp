// SPDX-License-Identifier: Apache-2.0
#include "transplt/report/fingerprints.h"

#include <fmt/format.h>

#include <string_view>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace transplt {
namespace {

std::string HashOf(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string_view WithoutWhitespace(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\f\v\r\n";
  const size_t first = line.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

std::string Fingerprints::Next(const ChangeRecord& record) {
  // With their lengths, so that no two triples make the same text.
  const std::string_view line = WithoutWhitespace(record.source_line);
  const std::string key = fmt::format("{}:{}{}:{}{}", record.file.size(), record.file,
                                      record.cause.size(), record.cause, line);
  std::string hash = HashOf(key);
  const uint32_t before = seen_[hash]++;
  return before == 0 ? hash : HashOf(fmt::format("{}:{}", hash, before));
}

}  // namespace transplt
