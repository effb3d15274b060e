// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/printed_places.h"

#include <algorithm>
#include <cctype>

#include "transplt/base/ascii.h"
#include "transplt/engine/target.h"

namespace transplt {
namespace {}  // namespace

bool IsPath(std::string_view word) {
  while (!word.empty() && std::string_view("\"'([{<=:").find(word.front()) != word.npos) {
    if (word.starts_with("<project>")) return true;
    word.remove_prefix(1);
  }
  while (!word.empty() && std::string_view("\"')]}>,;:.").find(word.back()) != word.npos) {
    word.remove_suffix(1);
  }
  if (word.starts_with("/") || word.starts_with("./") || word.starts_with("../") ||
      word.starts_with("~/")) {
    return word.size() > 1 && std::any_of(word.begin(), word.end(), StartsWord);
  }
  if (word.find('/') == word.npos) return false;
  const size_t dot = word.rfind('.');
  return dot != word.npos && dot > word.rfind('/') && word.size() - dot <= 6 &&
         word.size() - dot > 1 && StartsWord(word[dot + 1]);
}

std::string WithoutDeviceNames(std::string_view path, bool keep_gpu) {
  std::string name;
  std::string word;
  for (size_t i = 0; i <= path.size(); ++i) {
    const bool is_letter =
        i < path.size() && std::isalpha(static_cast<unsigned char>(path[i])) != 0;
    if (is_letter) {
      word += path[i];
      continue;
    }
    const bool is_device =
        word != "gpu" ? word == "cuda" || word == DefaultTarget().device : !keep_gpu;
    name += is_device ? "<device>" : word;
    word.clear();
    if (i < path.size()) name += path[i];
  }
  return name;
}

size_t UuidEnd(std::string_view text, size_t from) {
  size_t end = from;
  for (const size_t digits : {8U, 4U, 4U, 4U, 12U}) {
    if (end > from && (end >= text.size() || text[end++] != '-')) return from;
    for (size_t i = 0; i < digits; ++i, ++end) {
      if (end >= text.size() || std::isxdigit(static_cast<unsigned char>(text[end])) == 0) {
        return from;
      }
    }
  }
  return end;
}

size_t HexEnd(std::string_view text, size_t from) {
  if (text.substr(from, 2) != "0x") return from;
  size_t end = from + 2;
  while (end < text.size() && std::isxdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
  return end == from + 2 ? from : end;
}

bool IsAddress(std::string_view text, size_t from, size_t end) {
  constexpr size_t kFewestDigits = 9;
  return end - from >= 2 + kFewestDigits || text.substr(0, from).ends_with(" at ");
}

std::string WithProject(std::string text, std::string_view folder) {
  constexpr std::string_view kProject = "<project>";
  if (folder.empty()) return text;
  for (size_t at = text.find(folder); at != text.npos; at = text.find(folder, at)) {
    text.replace(at, folder.size(), kProject);
    at += kProject.size();
  }
  return text;
}

std::string WithoutPlaces(std::string_view text, std::string_view folder) {
  const std::string plain = WithProject(std::string(text), folder);
  std::string result;
  for (size_t i = 0; i < plain.size();) {
    const size_t end = HexEnd(plain, i);
    if (end > i && IsAddress(plain, i, end)) {
      result += "<address>";
      i = end;
    } else {
      result += plain[i++];
    }
  }
  return result;
}

}  // namespace transplt
