// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace transplt {

/// Finds many texts at once, in one step per byte (the automaton of Aho and Corasick).
class LiteralFinder {
 public:
  /// None of `literals` is empty.
  explicit LiteralFinder(const std::vector<std::string>& literals);

  /// The end of the first occurrence of any literal at or behind `start`; npos without one.
  size_t FindEnd(std::string_view text, size_t start) const;

  /// Calls `found(index of the literal)` for each occurrence in `text`.
  template <typename Found>
  void ForEach(std::string_view text, const Found& found) const {
    uint32_t state = 0;
    for (const char c : text) {
      state = Next(state, c);
      for (const uint32_t literal : ends_[state]) found(literal);
    }
  }

 private:
  uint32_t Next(uint32_t state, char c) const {
    return next_[state * class_count_ + class_of_[static_cast<unsigned char>(c)]];
  }
  void AddClasses(const std::vector<std::string>& literals);
  void AddStates(const std::vector<std::string>& literals);
  void Link();

  std::array<uint8_t, 256> class_of_ = {};  ///< 0: a byte of no literal
  uint32_t class_count_ = 1;
  std::vector<uint32_t> next_;               ///< state and class of a byte -> state
  std::vector<std::vector<uint32_t>> ends_;  ///< the literals that end in a state
};

}  // namespace transplt
