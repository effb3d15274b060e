// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/ascii.h"

namespace transplt {

/// `text` without the blanks and line ends around it.
inline std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\f";
  const size_t start = std::min(text.find_first_not_of(kBlanks), text.size());
  return text.substr(start, text.find_last_not_of(kBlanks) + 1 - start);
}

/// True if `part`, a text or a character, stands anywhere in `text`.
template <typename Part>
bool HasPart(std::string_view text, const Part& part) {
  return text.find(part) != std::string_view::npos;
}

/// "a/b" of "a/b/c.py"; "" if the path has no folder.
inline std::string_view FolderOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

/// "a/b/" of "a/b/c.py"; "" if the path has no folder.
inline std::string_view PathBeforeName(std::string_view path) {
  return path.substr(0, path.rfind('/') + 1);
}

/// "c.py" of "a/b/c.py".
inline std::string_view NameOfFile(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// In capitals; other letters than those of ASCII stay.
inline std::string Upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = ToUpper(c);
  return upper;
}

/// In small letters; other letters than those of ASCII stay.
inline std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = ToLower(c);
  return lower;
}

/// The words of a name in small letters: "train" and "loader" of trainLoader and of train_loader.
inline std::vector<std::string> PartsOfName(std::string_view name) {
  std::vector<std::string> parts(1);
  for (char c : name) {
    if ((!IsLetter(c) || IsUpper(c)) && !parts.back().empty()) parts.emplace_back();
    if (IsLetter(c)) parts.back() += ToLower(c);
  }
  return parts;
}

}  // namespace transplt
