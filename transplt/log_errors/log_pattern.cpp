// SPDX-License-Identifier: Apache-2.0
#include "transplt/log_errors/log_pattern.h"

#include <algorithm>

#include "transplt/base/ascii.h"

namespace transplt {
namespace {

/// "#" stands for a digit, which is of a word.
bool PieceIsOfWord(char c) { return c == '#' || IsAlphanumeric(c); }

bool StandsAt(std::string_view line, size_t at, std::string_view piece) {
  if (line.size() - at < piece.size()) return false;
  for (size_t i = 0; i < piece.size(); ++i) {
    const char c = line[at + i];
    if (piece[i] == '#' ? !IsDigit(c) : c != piece[i]) return false;
  }
  return true;
}

/// Where `piece` stands in `line`, not before `start`.
size_t FindPiece(std::string_view line, size_t start, std::string_view piece) {
  const std::string_view head = piece.substr(0, piece.find('#'));
  for (size_t at = start; at <= line.size(); ++at) {
    at = line.find(head, at);
    if (at == line.npos || StandsAt(line, at, piece)) return at;
  }
  return line.npos;
}

}  // namespace

LogPattern::LogPattern(std::string_view text) {
  while (!text.empty()) {
    const size_t star = text.find('*');
    if (star != 0) pieces_.emplace_back(text.substr(0, star));
    text.remove_prefix(star == text.npos ? text.size() : star + 1);
  }
  for (const std::string& piece : pieces_) {
    for (size_t start = 0; start < piece.size();) {
      const size_t end = std::min(piece.find('#', start), piece.size());
      if (end - start > literal_.size()) literal_ = piece.substr(start, end - start);
      start = end + 1;
    }
  }
}

bool LogPattern::Matches(std::string_view line) const {
  for (size_t first = FindPiece(line, 0, pieces_.front()); first != line.npos;
       first = FindPiece(line, first + 1, pieces_.front())) {
    if (PieceIsOfWord(pieces_.front().front()) && first > 0 && IsAlphanumeric(line[first - 1]))
      continue;
    size_t end = first + pieces_.front().size();
    bool has_all = true;
    for (size_t i = 1; i < pieces_.size() && has_all; ++i) {
      const size_t at = FindPiece(line, end, pieces_[i]);
      has_all = at != line.npos;
      end = has_all ? at + pieces_[i].size() : end;
    }
    // The other pieces stand no better behind a later place of the first.
    if (!has_all) return false;
    if (!PieceIsOfWord(pieces_.back().back()) || end == line.size() || !IsAlphanumeric(line[end]))
      return true;
  }
  return false;
}

}  // namespace transplt
