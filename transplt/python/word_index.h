// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace transplt {

/// True if `word` stands in the text with no letter, digit or underscore on either side.
bool SpellsWord(std::string_view text, std::string_view word);

/// Which files spell a word, and where it may be the name of something that is called: about eight
/// bytes for each different word of a file.
class WordIndex {
 public:
  /// A file is known by the order in which it was added, from 0.
  void Add(std::string_view text);
  /// Makes the index of the files that were added; no question may come before it.
  void Finish();

  /// The files that spell the word, in their order. `word`: letters, digits and underscores.
  std::vector<uint32_t> FilesSpelling(std::string_view word) const;
  /// Those of them with a place that may call what is spelled `name`: in the others each place
  /// defines it, imports it, or goes on as no callee does.
  std::vector<uint32_t> FilesCalling(std::string_view name) const;

 private:
  /// A word of a file. Two words of one hash pass for the same; a project with a million different
  /// words has such a pair with a chance of 1 to 40 million.
  struct Use {
    uint64_t hash;
    uint32_t file;
    bool may_be_called;
  };
  /// The file, twice, and one more if the word may be called there.
  using Packed = uint32_t;

  std::vector<uint32_t> FilesWith(std::string_view word, bool called) const;

  uint32_t files_ = 0;
  std::vector<Use> added_;        // by the file; empty once the index is made
  std::vector<uint64_t> hashes_;  // of all words, sorted
  std::vector<uint32_t> first_;   // of each hash, its first place in uses_; one more at the end
  std::vector<Packed> uses_;
};

}  // namespace transplt
