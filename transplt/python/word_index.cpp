// SPDX-License-Identifier: Apache-2.0
#include "transplt/python/word_index.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace transplt {
namespace {

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

uint64_t HashOf(std::string_view word) { return std::hash<std::string_view>()(word); }

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

/// True if what stands behind a name lets it be a callee: `f(`, `f (`, and of branches
/// `(f if`, `else f)(`; a line can end between any two of them.
bool GoesOnAsCallee(std::string_view rest) {
  const size_t next = rest.find_first_not_of(" \t\r\n\f\\");
  if (next == std::string_view::npos) return false;
  return rest[next] == '(' || rest[next] == ')' || rest[next] == '#' ||
         rest.substr(next).starts_with("if");
}

}  // namespace

bool SpellsWord(std::string_view text, std::string_view word) {
  return FindWord(text, word, 0) != std::string_view::npos;
}

void WordIndex::Add(std::string_view text) {
  const auto first = static_cast<std::ptrdiff_t>(added_.size());
  std::string_view before;  // the word before, where only blanks stand between
  size_t end = 0;           // of that word
  ForEachWord(text, [&](std::string_view word) {
    const auto at = static_cast<size_t>(word.data() - text.data());
    const bool follows = text.find_first_not_of(" \t", end) == at && end != at;
    const bool is_defined = follows && (before == "def" || before == "class");
    end = at + word.size();
    before = word;
    added_.push_back({HashOf(word), files_, !is_defined && GoesOnAsCallee(text.substr(end))});
  });
  ++files_;
  // A word counts once; the use that may be called stands in front of the others.
  std::sort(added_.begin() + first, added_.end(), [](const Use& a, const Use& b) {
    return std::pair(a.hash, !a.may_be_called) < std::pair(b.hash, !b.may_be_called);
  });
  added_.erase(std::unique(added_.begin() + first, added_.end(),
                           [](const Use& a, const Use& b) { return a.hash == b.hash; }),
               added_.end());
}

void WordIndex::Finish() {
  std::sort(added_.begin(), added_.end(), [](const Use& a, const Use& b) {
    return std::pair(a.hash, a.file) < std::pair(b.hash, b.file);
  });
  uses_.reserve(added_.size());
  for (const Use& use : added_) {
    if (hashes_.empty() || hashes_.back() != use.hash) {
      hashes_.push_back(use.hash);
      first_.push_back(static_cast<uint32_t>(uses_.size()));
    }
    uses_.push_back(use.file * 2 + (use.may_be_called ? 1 : 0));
  }
  first_.push_back(static_cast<uint32_t>(uses_.size()));
  added_ = {};
}

std::vector<uint32_t> WordIndex::FilesWith(std::string_view word, bool called) const {
  std::vector<uint32_t> files;
  const auto found = std::lower_bound(hashes_.begin(), hashes_.end(), HashOf(word));
  if (found == hashes_.end() || *found != HashOf(word)) return files;
  const auto index = static_cast<size_t>(found - hashes_.begin());
  for (uint32_t i = first_[index]; i < first_[index + 1]; ++i) {
    if (!called || uses_[i] % 2 == 1) files.push_back(uses_[i] / 2);
  }
  return files;
}

std::vector<uint32_t> WordIndex::FilesSpelling(std::string_view word) const {
  return FilesWith(word, false);
}

std::vector<uint32_t> WordIndex::FilesCalling(std::string_view name) const {
  return FilesWith(name, true);
}

}  // namespace transplt
