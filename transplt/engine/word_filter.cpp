// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/word_filter.h"

#include <algorithm>
#include <array>

namespace transplt {
namespace {

constexpr std::array<bool, 256> WordBytes() {
  std::array<bool, 256> table{};
  for (int c = 0; c < 256; ++c) {
    table[static_cast<size_t>(c)] = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                                    (c >= 'a' && c <= 'z') || c == '_' || c >= 0x80;
  }
  return table;
}
constexpr std::array<bool, 256> kWordByte = WordBytes();

/// Words of 15 bytes and more share a bit.
uint16_t LengthBit(size_t length) {
  return static_cast<uint16_t>(1U << std::min<size_t>(length, 15));
}

}  // namespace

WordFilter::WordFilter(const std::vector<std::vector<std::vector<std::string>>>& rules)
    : first_bytes_(256, 0) {
  size_t count = 0;
  for (const auto& rule : rules) {
    for (const auto& alternative : rule) count += alternative.size();
  }
  words_.reserve(count);  // the map's keys point into it
  for (const auto& rule : rules) {
    auto& ids_of_rule = rules_.emplace_back();
    for (const auto& alternative : rule) {
      auto& ids = ids_of_rule.emplace_back();
      for (const std::string& word : alternative) {
        auto found = vocabulary_.find(word);
        if (found == vocabulary_.end()) {
          words_.push_back(word);
          found =
              vocabulary_.emplace(words_.back(), static_cast<uint32_t>(words_.size() - 1)).first;
          first_bytes_[static_cast<unsigned char>(word[0])] |= LengthBit(word.size());
        }
        ids.push_back(found->second);
      }
      always_ = always_ || alternative.empty();
    }
  }
  alternatives_of_word_.resize(words_.size());
  for (uint32_t r = 0; r < rules_.size(); ++r) {
    for (uint32_t a = 0; a < rules_[r].size(); ++a) {
      for (uint32_t word : rules_[r][a]) {
        alternatives_of_word_[word].push_back(static_cast<uint32_t>(alternatives_.size()));
      }
      alternatives_.emplace_back(r, a);
    }
  }
}

WordFilter::FileWords WordFilter::Scan(std::string_view bytes) const {
  FileWords result;
  result.present_.assign(words_.size(), false);
  result.any_rule_ = always_;
  std::vector<uint32_t> seen;
  const char* p = bytes.data();
  const char* const end = p + bytes.size();
  while (p < end) {
    const char* start = p;
    while (p < end && kWordByte[static_cast<unsigned char>(*p)]) ++p;
    const auto length = static_cast<size_t>(p - start);
    if (length != 0 &&
        (first_bytes_[static_cast<unsigned char>(*start)] & LengthBit(length)) != 0) {
      auto found = vocabulary_.find(std::string_view(start, length));
      if (found != vocabulary_.end() && !result.present_[found->second]) {
        result.present_[found->second] = true;
        seen.push_back(found->second);
      }
    }
    ++p;
  }
  for (size_t i = 0; i < seen.size() && !result.any_rule_; ++i) {
    for (uint32_t index : alternatives_of_word_[seen[i]]) {
      const auto& words = rules_[alternatives_[index].first][alternatives_[index].second];
      if (std::all_of(words.begin(), words.end(),
                      [&](uint32_t word) { return result.present_[word]; })) {
        result.any_rule_ = true;
        break;
      }
    }
  }
  return result;
}

bool WordFilter::CanHold(size_t rule, const FileWords& words) const {
  const auto& alternatives = rules_[rule];
  return std::any_of(alternatives.begin(), alternatives.end(), [&](const auto& alternative) {
    return std::all_of(alternative.begin(), alternative.end(),
                       [&](uint32_t word) { return words.present_[word]; });
  });
}

}  // namespace transplt
