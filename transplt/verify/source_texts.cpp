// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/source_texts.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace transplt {
namespace {

using Lines = std::vector<std::string_view>;

// A shorter block may be there by chance.
constexpr size_t kFewestLines = 5;
constexpr size_t kFewestBytes = 256;

/// A line that is at so many places says nothing about where a block is.
constexpr size_t kMostPlaces = 64;

Lines LinesOf(std::string_view text) {
  Lines lines;
  while (true) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == text.npos) return lines;
    text.remove_prefix(end + 1);
  }
}

using LinePlaces = std::unordered_map<std::string_view, std::vector<size_t>>;

LinePlaces PlacesOf(const Lines& lines) {
  LinePlaces places;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    std::vector<size_t>& of_line = places[lines[i]];
    if (of_line.size() <= kMostPlaces) of_line.push_back(i);
  }
  return places;
}

/// A part of a text, from `begin` to `end`, and what stands for it.
struct Block {
  size_t begin = 0;
  size_t end = 0;
  std::string name;
};

/// Finds the blocks of one text.
class BlockSearch {
 public:
  explicit BlockSearch(std::string_view text)
      : text_(text), lines_(LinesOf(text)), places_(PlacesOf(lines_)), taken_(lines_.size()) {}

  void Find(const std::string& path, std::string_view source) {
    const Lines lines = LinesOf(source);
    for (size_t i = 0; i < lines.size(); ++i) FindAt(path, lines, i);
  }

  /// In the order of the text.
  const std::map<size_t, Block>& blocks() const { return blocks_; }

 private:
  /// Looks for blocks that begin with the line `i` of a source.
  void FindAt(const std::string& path, const Lines& source, size_t i) {
    const auto found = places_.find(source[i]);
    if (found == places_.end() || found->second.size() > kMostPlaces) return;
    for (const size_t place : found->second) {
      size_t count = 0;
      size_t bytes = 0;
      while (i + count < source.size() && place + count < lines_.size() && !taken_[place + count] &&
             source[i + count] == lines_[place + count]) {
        bytes += source[i + count].size() + 1;
        ++count;
      }
      if (count >= kFewestLines && bytes >= kFewestBytes) Take(path, source, i, place, count);
    }
  }

  void Take(const std::string& path, const Lines& source, size_t i, size_t place, size_t count) {
    while (i > 0 && place > 0 && !taken_[place - 1] && source[i - 1] == lines_[place - 1]) {
      --i;
      --place;
      ++count;
    }
    size_t begin = Offset(place);
    size_t end = Offset(place + count - 1) + lines_[place + count - 1].size();
    if (i > 0 && place > 0 && !taken_[place - 1] && !source[i - 1].empty() &&
        lines_[place - 1].ends_with(source[i - 1])) {
      begin -= source[i - 1].size() + 1;
      taken_[place - 1] = true;
    }
    if (const size_t next = i + count; next < source.size() && place + count < lines_.size() &&
                                       !taken_[place + count] && !source[next].empty() &&
                                       lines_[place + count].starts_with(source[next])) {
      end += source[next].size() + 1;
      taken_[place + count] = true;
    }
    std::fill_n(taken_.begin() + static_cast<std::ptrdiff_t>(place), count, true);
    blocks_[begin] = {begin, end, "<" + path + ">"};
  }

  size_t Offset(size_t line) const {
    return static_cast<size_t>(lines_[line].data() - text_.data());
  }

  const std::string_view text_;
  const Lines lines_;
  const LinePlaces places_;
  std::vector<bool> taken_;
  std::map<size_t, Block> blocks_;
};

}  // namespace

void SourceTexts::Add(std::string path, std::string text) {
  sources_.push_back({std::move(path), std::move(text)});
}

std::string SourceTexts::WithNames(std::string text) const {
  if (text.size() < kFewestBytes) return text;
  BlockSearch search(text);
  for (const Source& source : sources_) search.Find(source.path, source.text);
  if (search.blocks().empty()) return text;
  std::string named;
  size_t from = 0;
  for (const auto& [begin, block] : search.blocks()) {
    named += text.substr(from, begin - from) + block.name;
    from = block.end;
  }
  return named + text.substr(from);
}

}  // namespace transplt
