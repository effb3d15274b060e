// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace transplt {

/// True if `word` stands in the text with no letter, digit or underscore on either side.
bool SpellsWord(std::string_view text, std::string_view word);

/// False if no call in the Python code `text` calls what is spelled `name`: each place that spells
/// it defines it, imports it, or goes on as no callee does.
bool MayCall(std::string_view text, std::string_view name);

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

/// A text that is asked for word after word: from some questions on it keeps its words.
class AskedText {
 public:
  explicit AskedText(std::string text) : text_(std::move(text)) {}
  AskedText(const AskedText&) = delete;
  AskedText& operator=(const AskedText&) = delete;

  /// SpellsWord() of the text.
  bool Spells(std::string_view word);
  bool MayCall(std::string_view name) const { return transplt::MayCall(text_, name); }
  /// Bytes that it may occupy, roughly.
  size_t memory() const;

 private:
  const std::string text_;
  int asked_ = 0;
  std::vector<std::string_view> words_;  // sorted
};

}  // namespace transplt
