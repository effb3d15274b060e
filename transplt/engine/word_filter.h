// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace transplt {

/// Stands among the words of a file for `import *`, by which the file may have any name.
inline constexpr std::string_view kStarImport = "import *";

/// Stands for a `/` between two expressions, which may stand in a text.
inline constexpr std::string_view kDivision = "a / b";

/// Stands among the words of a rule for files that may have a result of `function`, a full name:
/// they call it, or a function of the project that returns what it gives.
std::string WordForResultOf(std::string_view function);

/// Alternatives, each a set of words that stand together.
using WordSets = std::vector<std::vector<std::string>>;

/// The words of a text, in its order.
std::vector<std::string_view> WordsIn(std::string_view text);

/// Decides which rules can hold for a file from the words that the file spells, without parsing
/// it. A rule acts on a file only if all words of one of its alternatives are there; this holds
/// whether or not files are skipped for it, so skipping never changes a result.
///
/// A word is a maximal run of letters, digits, underscores and bytes above 0x7F, kStarImport,
/// kDivision, or one of WordForResultOf().
class WordFilter {
 public:
  /// One entry per rule, see Rule::required_words().
  explicit WordFilter(const std::vector<WordSets>& rules);

  /// What one file spells, as far as rules ask for it.
  class FileWords {
   public:
    bool any_rule() const { return !rules_.empty(); }
    /// The rules that can hold, in no order.
    const std::vector<uint32_t>& rules() const { return rules_; }
    bool CanHold(uint32_t rule) const { return can_hold_[rule]; }

   private:
    friend class WordFilter;
    std::vector<uint32_t> rules_;
    std::vector<bool> can_hold_;
  };

  using MayHaveResult = std::function<bool(std::string_view function)>;

  /// `may_have_result` is asked for the functions of WordForResultOf(), each at most once.
  FileWords Scan(std::string_view bytes, const MayHaveResult& may_have_result) const;

 private:
  /// All words that a rule needs together.
  struct Alternative {
    uint32_t rule;
    std::vector<uint32_t> words;
    std::vector<uint32_t> results;  ///< indices of result_functions_
  };
  void AddWord(const std::string& word, Alternative& alternative);
  uint32_t WordId(const std::string& word);

  size_t rule_count_;
  std::unordered_map<std::string_view, uint32_t> vocabulary_;
  std::deque<std::string> words_;  // owns the keys of vocabulary_
  std::vector<std::string> result_functions_;
  std::vector<Alternative> alternatives_;
  /// Word id -> index of the alternatives that are looked at where the file has it. Each is
  /// listed under its rarest word alone.
  std::vector<std::vector<uint32_t>> alternatives_of_word_;
  std::vector<uint32_t> always_;       // rules that need no word
  std::vector<uint16_t> first_bytes_;  // per first byte: bit n set if a word of length n exists
};

}  // namespace transplt
