// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace transplt {

/// True if `word` stands in the text with no letter, digit or underscore on either side.
bool SpellsWord(std::string_view text, std::string_view word);

/// Which files may spell a word: a Bloom filter for each file, of about two bytes for each of
/// its words. It never misses one, and seldom names a file too many.
class WordIndex {
 public:
  /// Files are asked for by the order in which they were added, from 0.
  void Add(std::string_view text);
  /// `word`: letters, digits and underscores.
  std::vector<size_t> FilesSpelling(std::string_view word) const;

 private:
  std::vector<std::vector<uint64_t>> filters_;
};

}  // namespace transplt
