// SPDX-License-Identifier: Apache-2.0
#include "transplt/python/word_index.h"

#include <algorithm>
#include <functional>

namespace transplt {
namespace {

constexpr size_t kBitsOfBlock = 64;

bool IsOfWord(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= 'a' && byte <= 'z') || byte == '_' || byte >= 0x80;
}

template <typename Visit>
void ForEachWord(std::string_view text, const Visit& visit) {
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t start = i;
    while (i < text.size() && IsOfWord(text[i])) ++i;
    if (i != start) visit(text.substr(start, i - start));
  }
}

/// The block of a word and its three bits there.
struct Place {
  size_t block;
  uint64_t bits;
};

Place PlaceOf(std::string_view word, size_t blocks) {
  uint64_t hash = std::hash<std::string_view>()(word);
  hash *= 0x9E3779B97F4A7C15U;  // the standard library may give the lower bits less variety
  const uint64_t bits = (uint64_t{1} << (hash & 63U)) | (uint64_t{1} << ((hash >> 6U) & 63U)) |
                        (uint64_t{1} << ((hash >> 12U) & 63U));
  return {static_cast<size_t>(hash >> 18U) % blocks, bits};
}

/// The place of the word at or after `from`; npos if there is none.
size_t FindWord(std::string_view text, std::string_view word, size_t from) {
  for (size_t at = text.find(word, from); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool starts = at == 0 || !IsOfWord(text[at - 1]);
    if (starts && (end == text.size() || !IsOfWord(text[end]))) return at;
  }
  return std::string_view::npos;
}

/// True if the text ends with the word and blanks.
bool EndsWithWord(std::string_view text, std::string_view word) {
  const size_t last = text.find_last_not_of(" \t");
  if (last == std::string_view::npos || last + 1 == text.size()) return false;
  text = text.substr(0, last + 1);
  return text.ends_with(word) &&
         (text.size() == word.size() || !IsOfWord(text[text.size() - word.size() - 1]));
}

/// True if what stands behind a name lets it be a callee: `f(`, `f (`, and of branches
/// `(f if`, `else f)(`; a line can end between any two of them.
bool GoesOnAsCallee(std::string_view rest) {
  const size_t next = rest.find_first_not_of(" \t\r\n\f\\");
  if (next == std::string_view::npos) return false;
  return rest[next] == '(' || rest[next] == ')' || rest[next] == '#' ||
         rest.substr(next).starts_with("if");
}

}  // namespace

bool MayCall(std::string_view text, std::string_view name) {
  for (size_t at = FindWord(text, name, 0); at != std::string_view::npos;
       at = FindWord(text, name, at + 1)) {
    const std::string_view before = text.substr(0, at);
    if (EndsWithWord(before, "def") || EndsWithWord(before, "class")) continue;
    if (GoesOnAsCallee(text.substr(at + name.size()))) return true;
  }
  return false;
}

bool SpellsWord(std::string_view text, std::string_view word) {
  return FindWord(text, word, 0) != std::string_view::npos;
}

void WordIndex::Add(std::string_view text) {
  // A file has a different word for each thirty bytes or so; fifteen bits for each let one file of
  // two hundred pass for no reason.
  std::vector<uint64_t> filter(text.size() / 2 / kBitsOfBlock + 1);
  ForEachWord(text, [&filter](std::string_view word) {
    const Place place = PlaceOf(word, filter.size());
    filter[place.block] |= place.bits;
  });
  filters_.push_back(std::move(filter));
}

std::vector<size_t> WordIndex::FilesSpelling(std::string_view word) const {
  std::vector<size_t> files;
  for (size_t i = 0; i < filters_.size(); ++i) {
    const Place place = PlaceOf(word, filters_[i].size());
    if ((filters_[i][place.block] & place.bits) == place.bits) files.push_back(i);
  }
  return files;
}

bool AskedText::Spells(std::string_view word) {
  // So few questions are answered sooner by looking through the text.
  constexpr int kFew = 4;
  const bool is_word = !word.empty() && std::all_of(word.begin(), word.end(), IsOfWord);
  if (!is_word || asked_ < kFew) {
    ++asked_;
    return SpellsWord(text_, word);
  }
  if (words_.empty()) {
    ForEachWord(text_, [this](std::string_view part) { words_.push_back(part); });
    std::sort(words_.begin(), words_.end());
    words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
    words_.shrink_to_fit();
  }
  return std::binary_search(words_.begin(), words_.end(), word);
}

size_t AskedText::memory() const {
  // Source code has a different word for each thirty bytes or so, and some files one for each ten.
  return text_.size() * 2;
}

}  // namespace transplt
