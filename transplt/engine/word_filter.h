// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace transplt {

/// Decides which rules can hold for a file from the words that the file spells, without parsing
/// it. A rule acts on a file only if all words of one of its alternatives are there; this holds
/// whether or not files are skipped for it, so skipping never changes a result.
///
/// A word is a maximal run of letters, digits, underscores and bytes above 0x7F.
class WordFilter {
 public:
  /// One entry per rule, see Rule::required_words().
  explicit WordFilter(const std::vector<std::vector<std::vector<std::string>>>& rules);

  /// The words of the vocabulary that one file spells.
  class FileWords {
   public:
    bool any_rule() const { return any_rule_; }

   private:
    friend class WordFilter;
    std::vector<bool> present_;
    bool any_rule_ = false;
  };

  FileWords Scan(std::string_view bytes) const;
  bool CanHold(size_t rule, const FileWords& words) const;

 private:
  std::unordered_map<std::string_view, uint32_t> vocabulary_;
  std::vector<std::string> words_;                           // owns the keys of vocabulary_
  std::vector<std::vector<std::vector<uint32_t>>> rules_;    // rule -> alternative -> word ids
  std::vector<std::pair<uint32_t, uint32_t>> alternatives_;  // (rule, alternative)
  std::vector<std::vector<uint32_t>> alternatives_of_word_;  // word id -> alternatives_ index
  std::vector<uint16_t> first_bytes_;  // per first byte: bit n set if a word of length n exists
  bool always_ = false;                // some rule needs no word
};

}  // namespace transplt
