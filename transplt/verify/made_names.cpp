// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/made_names.h"

#include <algorithm>

#include "transplt/base/ascii.h"

namespace transplt {
namespace {

constexpr std::string_view kName = "<name>";

bool IsOfMadeName(char c) { return IsWordByte(c) || c == '-'; }

bool MayBeMade(std::string_view word) {
  constexpr size_t kTemporary = 11;  // "tmp" and eight characters
  return std::any_of(word.begin(), word.end(), IsDigit) ||
         (word.size() == kTemporary && word.starts_with("tmp"));
}

/// A text in pieces: the words that may be made, and what stands before each and behind the last.
struct Pieces {
  std::vector<std::string_view> names;
  std::vector<std::string_view> between;

  explicit Pieces(std::string_view text) {
    size_t start = 0;
    for (size_t i = 0; i < text.size();) {
      size_t end = i;
      while (end < text.size() && IsOfMadeName(text[end])) ++end;
      const std::string_view word = text.substr(i, end - i);
      if (MayBeMade(word)) {
        between.push_back(text.substr(start, i - start));
        names.push_back(word);
        start = end;
      }
      i = std::max(end, i + 1);
    }
    between.push_back(text.substr(start));
  }

  std::string Text(const std::set<size_t>* varying) const {
    std::string text;
    for (size_t i = 0; i < between.size(); ++i) {
      text += between[i];
      if (i == names.size()) break;
      text += varying == nullptr || varying->contains(i) ? kName : names[i];
    }
    return text;
  }
};

}  // namespace

VaryingNames FindVaryingNames(const std::vector<std::string>& reference,
                              const std::vector<std::string>& again) {
  std::map<std::string, std::vector<Pieces>> kinds;
  for (const std::string& text : reference) {
    const Pieces pieces(text);
    kinds[pieces.Text(nullptr)].push_back(pieces);
  }
  VaryingNames varying;
  std::map<std::string, size_t> seen;
  for (const std::string& text : again) {
    const Pieces pieces(text);
    const std::string kind = pieces.Text(nullptr);
    const auto found = kinds.find(kind);
    const size_t number = seen[kind]++;
    if (found == kinds.end() || number >= found->second.size()) continue;
    const Pieces& of_reference = found->second[number];
    for (size_t i = 0; i < pieces.names.size(); ++i) {
      if (pieces.names[i] != of_reference.names[i]) varying[kind].insert(i);
    }
  }
  return varying;
}

std::string WithoutVaryingNames(std::string_view text, const VaryingNames& varying) {
  if (varying.empty()) return std::string(text);
  const Pieces pieces(text);
  const auto found = varying.find(pieces.Text(nullptr));
  return found == varying.end() ? std::string(text) : pieces.Text(&found->second);
}

void AddVaryingNames(VaryingNames& varying, const VaryingNames& more) {
  for (const auto& [kind, names] : more) varying[kind].insert(names.begin(), names.end());
}

}  // namespace transplt
