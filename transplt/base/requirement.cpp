// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/requirement.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "transplt/base/ascii.h"
#include "transplt/base/word_list.h"

namespace transplt {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
/// What may have an affix: "pypi" is not pi.
constexpr size_t kShortestPart = 3;

bool IsNameByte(char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; }

char Canonical(char c) { return c == '_' || c == '.' ? '-' : ToLower(c); }

TextRange Range(size_t start, size_t end) {
  return {static_cast<uint32_t>(start), static_cast<uint32_t>(end)};
}

size_t EndOfName(std::string_view text, size_t at) {
  while (at < text.size() && IsNameByte(text[at])) ++at;
  return at;
}

/// The part of an address that names a package: behind `#egg=`, or its last part without version,
/// revision and suffix.
TextRange NameInAddress(std::string_view text, TextRange address) {
  const std::string_view url = address.In(text);
  if (const size_t egg = url.find("egg="); egg != std::string_view::npos) {
    const size_t start = address.start + egg + 4;
    return Range(start, EndOfName(text, start));
  }
  std::string_view path = url.substr(0, url.find_first_of("#?"));
  // `user@host` stands before a slash, a revision behind the last one.
  if (const size_t at = path.rfind('@'); at > path.rfind('/')) path = path.substr(0, at);
  while (path.ends_with('/')) path.remove_suffix(1);
  const size_t start = path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1;
  std::string_view name = path.substr(start);
  if (name.ends_with(".git")) name.remove_suffix(4);
  if (name.ends_with(".whl")) {
    name = name.substr(0, name.find('-'));
  }
  return Range(address.start + start, address.start + start + name.size());
}

/// Behind the options that stand before an address or a package: `-e`, `--extra-index-url`.
size_t SkipOptions(std::string_view text, size_t at) {
  while (at < text.size() && text[at] == '-') {
    at = std::min(text.find_first_of(" \t=", at), text.size());
    at = std::min(text.find_first_not_of(" \t=", at), text.size());
  }
  return at;
}

/// True for "igl" and "libigl", "patool" and "patoolib": an affix tells them apart, of which the
/// shorter one may have a part.
bool IsSamePart(std::string_view one, std::string_view other) {
  const std::string_view longer = one.size() < other.size() ? other : one;
  const std::string_view shorter = one.size() < other.size() ? one : other;
  if (longer == shorter) return true;
  if (shorter.size() < kShortestPart) return false;
  return std::ranges::any_of(
      Words("affixes-of-distributions").words(), [&](const std::string& pattern) {
        const size_t most = shorter.size() + pattern.size() - 1;
        const std::string_view affix = std::string_view(pattern).substr(pattern[0] == '*' ? 1 : 0);
        if (longer.size() > most) return false;
        if (affix != pattern) return longer.starts_with(shorter) && longer.ends_with(affix);
        return longer.ends_with(shorter) && longer.starts_with(affix.substr(0, affix.size() - 1));
      });
}

std::vector<std::string> PartsOfDistribution(std::string_view name) {
  std::vector<std::string> parts(1);
  for (char c : name) {
    if (Canonical(c) == '-') {
      parts.emplace_back();
    } else {
      parts.back() += ToLower(c);
    }
  }
  std::erase(parts, "");
  return parts;
}

}  // namespace

std::optional<Requirement> ParseRequirement(std::string_view text) {
  const size_t first = std::min(text.find_first_not_of(kBlanks), text.size());
  const bool is_option = first < text.size() && text[first] == '-';
  size_t start = SkipOptions(text, first);
  if (start == text.size() || text[start] == '#') return std::nullopt;
  size_t end = std::min(text.find(" #", start), text.size());
  TextRange marker;
  if (const size_t semicolon = text.find(';', start); semicolon < end) {
    marker = Range(semicolon + 1, end);
    end = semicolon;
  }
  if (const size_t option = text.find(" -", start); option < end) end = option;  // ` --hash=...`
  end = text.find_last_not_of(kBlanks, end - 1) + 1;
  const std::string_view spec = text.substr(start, end - start);
  const size_t scheme = spec.find("://");
  size_t name_end = EndOfName(text, start);
  const bool has_name = name_end > start && name_end < end && text[name_end] == '@';
  if (!has_name && scheme != std::string_view::npos && spec.find_first_of(kBlanks) > scheme) {
    const TextRange address =
        Range(start, start + std::min(spec.find_first_of(kBlanks), spec.size()));
    const TextRange name = NameInAddress(text, address);
    return Requirement{name.empty() ? address : name, address, {}, marker};
  }
  if (is_option) return std::nullopt;  // `-r other.txt`
  if (const size_t channel = spec.find("::"); channel != std::string_view::npos) {
    start += channel + 2;
    name_end = EndOfName(text, start);
  }
  if (name_end == start || !IsAlphanumeric(text[start])) return std::nullopt;
  const bool is_whole =
      name_end >= end || text[name_end] == '@' ||
      std::string_view(" \t[(<>=!~,").find(text[name_end]) != std::string_view::npos;
  if (!is_whole) return std::nullopt;
  end = std::max(end, name_end);
  size_t versions = name_end;
  TextRange extras;
  if (versions < end && text[versions] == '[') {
    versions = std::min(text.find(']', versions), end - 1) + 1;
    extras = Range(name_end + 1, versions - 1);
  }
  return Requirement{Range(start, name_end), Range(start, end), Range(versions, end), marker,
                     extras};
}

bool NamesPackage(std::string_view pattern, std::string_view name) {
  // Where the last `*` stands, and what it has taken so far.
  size_t star = std::string_view::npos;
  size_t taken = 0;
  size_t p = 0;
  size_t n = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() && Canonical(pattern[p]) == Canonical(name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool NamesWithExtra(std::string_view pattern, std::string_view name, std::string_view extras) {
  const size_t bracket = pattern.find('[');
  if (!NamesPackage(pattern.substr(0, bracket), name)) return false;
  if (bracket == std::string_view::npos) return true;
  const std::string_view extra = pattern.substr(bracket + 1, pattern.size() - bracket - 2);
  while (!extras.empty()) {
    const size_t end = std::min(extras.find(','), extras.size());
    std::string_view one = extras.substr(0, end);
    one.remove_prefix(std::min(one.find_first_not_of(kBlanks), one.size()));
    one = one.substr(0, one.find_last_not_of(kBlanks) + 1);
    if (NamesPackage(extra, one)) return true;
    extras.remove_prefix(std::min(end + 1, extras.size()));
  }
  return false;
}

bool MayProvide(std::string_view distribution, std::string_view module) {
  const std::vector<std::string> whole = PartsOfDistribution(distribution);
  const std::vector<std::string> parts = PartsOfDistribution(module);
  if (parts.empty() || parts.size() > whole.size()) return false;
  const std::span all(whole);
  // "wikipedia-api" brings wikipediaapi.
  if (parts.size() == 1 && std::accumulate(whole.begin(), whole.end(), std::string()) == parts[0]) {
    return true;
  }
  return std::ranges::equal(parts, all.first(parts.size()), IsSamePart) ||
         std::ranges::equal(parts, all.last(parts.size()), IsSamePart);
}

}  // namespace transplt
