// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/version_range.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "transplt/base/json_document.h"
#include "transplt/base/text_parts.h"

namespace transplt {
namespace {

Error RefuseRange(Text what) { return {Error::Code::kBadRule, {}, std::move(what)}; }

/// Takes "2.1.0" off the front of `text`; nothing if it does not start with a version.
std::optional<Version> TakeVersion(std::string_view& text) {
  Version version{};
  for (size_t part = 0; part < version.size(); ++part) {
    std::string_view rest = text;
    if (part > 0) {
      if (!rest.starts_with('.')) return version;
      rest.remove_prefix(1);
    }
    const size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (digits > 6 || (digits == 0 && part == 0)) return std::nullopt;
    if (digits == 0) return version;  // the dot belongs to what follows: ".post3"
    std::from_chars(rest.data(), rest.data() + digits, version[part]);
    rest.remove_prefix(digits);
    text = rest;
  }
  return version;
}

/// Takes up to `longest` digits off the front of `text`.
std::optional<uint32_t> TakeDigits(std::string_view& text, size_t longest) {
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || digits > longest) return std::nullopt;
  uint32_t number = 0;
  std::from_chars(text.data(), text.data() + digits, number);
  text.remove_prefix(digits);
  return number;
}

/// Takes "6.0.rc1" off the front of `text`. The last number of the Version tells candidates, in
/// their order, from the release itself.
std::optional<Version> TakeRelease(std::string_view& text) {
  constexpr uint32_t kFinal = 1'000'000;
  constexpr std::string_view kCandidate = "rc";
  Version release{};
  for (size_t part : {0U, 1U}) {
    const std::optional<uint32_t> number = TakeDigits(text, 6);
    if (!number || !text.starts_with('.')) return std::nullopt;
    release[part] = *number;
    text.remove_prefix(1);
  }
  const bool is_candidate = text.starts_with(kCandidate);
  if (is_candidate) text.remove_prefix(kCandidate.size());
  const std::optional<uint32_t> last = TakeDigits(text, is_candidate ? 3 : 6);
  if (!last) return std::nullopt;
  if (!is_candidate) {
    release[2] = *last;
    release[3] = kFinal;
    return release;
  }
  release[3] = *last * 100;
  if (!text.starts_with('.')) return release;
  text.remove_prefix(1);
  const std::optional<uint32_t> repeated = TakeDigits(text, 2);
  if (!repeated) return std::nullopt;
  release[3] += *repeated;
  return release;
}

}  // namespace

const VersionRange::Grammar VersionRange::kVersions = {TakeVersion, ">=2.1", ">=2.1,<2.5"};
const VersionRange::Grammar VersionRange::kReleases = {TakeRelease, ">=26.0.0", ">=6.0.rc1,<7.3.0"};

Result<Version> ParseRelease(std::string_view text) {
  std::string_view rest = text;
  const std::optional<Version> release = TakeRelease(rest);
  if (release && rest.empty()) return *release;
  return RefuseRange(Say("{} is not a release of torch_npu; write it as in 7.3.0 or 6.0.rc1",
                         "{} 不是 torch_npu 的发布版本；请写成 7.3.0 或 6.0.rc1 的形式",
                         QuoteForMessage(text)));
}

Result<Version> ParseVersion(std::string_view text) {
  std::string_view rest = text;
  const std::optional<Version> version = TakeVersion(rest);
  constexpr std::array<std::string_view, 6> kSuffixes = {"+", "a", "b", "rc", ".post", ".dev"};
  const bool known_suffix =
      rest.empty() || std::ranges::any_of(kSuffixes, [&](std::string_view suffix) {
        return rest.starts_with(suffix);
      });
  if (!version || !known_suffix) {
    return RefuseRange(Say("{} is not a version; write it as in 2.1 or 2.1.0",
                           "{} 不是版本号；请写成 2.1 或 2.1.0 的形式", QuoteForMessage(text)));
  }
  return *version;
}

Result<VersionRange::Bound> VersionRange::ParseBound(std::string_view text,
                                                     const Grammar& grammar) {
  const std::string_view bound = Trimmed(text);
  const bool lower = bound.starts_with('>');
  std::string_view rest = bound;
  const bool has_sign = lower || bound.starts_with('<');
  if (has_sign) rest.remove_prefix(1);
  const bool inclusive = has_sign && rest.starts_with('=');
  if (inclusive) rest.remove_prefix(1);
  rest = Trimmed(rest);
  const std::optional<Version> version = grammar.take(rest);
  if (!has_sign || !version || !rest.empty()) {
    return RefuseRange(
        Say("{} is not a bound of a version range; write for example \"{}\" or \"{}\"",
            "{} 不是有效的版本范围条件；请写成例如 \"{}\" 或 \"{}\"", QuoteForMessage(bound),
            grammar.one, grammar.two));
  }
  return Bound{lower, inclusive, *version};
}

Result<VersionRange> VersionRange::Parse(std::string_view text) { return Parse(text, kVersions); }

Result<VersionRange> VersionRange::ParseReleases(std::string_view text) {
  return Parse(text, kReleases);
}

Result<VersionRange> VersionRange::Parse(std::string_view text, const Grammar& grammar) {
  VersionRange range;
  std::string_view rest = text;
  while (true) {
    const size_t comma = rest.find(',');
    const Result<Bound> bound = ParseBound(rest.substr(0, comma), grammar);
    if (!bound) return bound.error();
    range.bounds_.push_back(*bound);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (range.IsEmpty()) {
    return RefuseRange(Say("no version is in the range {}; swap or correct its bounds",
                           "没有版本落在范围 {} 内；请交换或更正其边界", QuoteForMessage(text)));
  }
  return range;
}

bool VersionRange::Contains(const Version& version) const {
  return std::ranges::all_of(bounds_, [&](const Bound& bound) {
    if (version == bound.version) return bound.inclusive;
    return bound.lower == (version > bound.version);
  });
}

bool VersionRange::IsEmpty() const {
  // Versions lie densely enough that two bounds leave room unless they cross or meet.
  for (const Bound& low : bounds_) {
    for (const Bound& high : bounds_) {
      if (!low.lower || high.lower) continue;
      if (low.version > high.version) return true;
      if (low.version == high.version && !(low.inclusive && high.inclusive)) return true;
    }
  }
  return false;
}

}  // namespace transplt
