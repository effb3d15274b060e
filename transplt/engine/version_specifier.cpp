// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/version_specifier.h"

#include <algorithm>
#include <utility>

#include "transplt/base/text_parts.h"

namespace transplt {
namespace {

/// How many numbers stand at the start of `text`: 2 in "2.1", "2.1.*" and "2.1+cu118".
size_t PartsOf(std::string_view text) {
  const std::string_view numbers = text.substr(0, text.find_first_not_of("0123456789."));
  const auto dots = static_cast<size_t>(std::ranges::count(numbers, '.'));
  return numbers.ends_with('.') ? dots : dots + 1;
}

/// The newest of those that begin with `parts` numbers of `version`: 2.1.x for two of 2.1.0.
Version LastWith(Version version, size_t parts) {
  std::copy(kNewestVersion.begin() + static_cast<std::ptrdiff_t>(parts), kNewestVersion.end(),
            version.begin() + static_cast<std::ptrdiff_t>(parts));
  return version;
}

/// The newest that is older than `version`: 1.x for 2.0, 2.0.x for 2.1.
Version LastBefore(Version version) {
  size_t parts = version.size();
  while (parts > 0 && version[parts - 1] == 0) --parts;
  if (parts == 0) return version;
  --version[parts - 1];
  return LastWith(version, parts);
}

}  // namespace

std::optional<VersionSpecifier> VersionSpecifier::Parse(std::string_view text) {
  VersionSpecifier specifier;
  for (std::string_view rest = text;;) {
    const size_t comma = rest.find(',');
    if (!specifier.AddClause(Trimmed(rest.substr(0, comma)))) return std::nullopt;
    if (comma == std::string_view::npos) return specifier;
    rest.remove_prefix(comma + 1);
  }
}

bool VersionSpecifier::AddClause(std::string_view text) {
  using enum Clause::Kind;
  const size_t sign_end = std::min(text.find_first_not_of("=<>!~^"), text.size());
  const std::string_view sign = text.substr(0, sign_end);
  std::string_view number = Trimmed(text.substr(sign_end));
  const bool is_conda = sign == "=" || sign.empty();
  if (is_conda) number = number.substr(0, number.find('='));  // `=1.12.1=py3.9_cuda11.3`
  const bool has_star = number.ends_with(".*");
  if (has_star) number.remove_suffix(2);
  const Result<Version> version = ParseVersion(number);
  if (!version) return false;
  const size_t parts = PartsOf(number);
  const auto add = [&](Clause::Kind kind, size_t counted = 0) {
    clauses_.push_back({kind, *version, counted});
    return true;
  };
  if (has_star) return (is_conda || sign == "==") && add(kPrefix, parts);
  if (sign == "==" || sign == "===") return add(kEqual);
  if (is_conda) return add(kPrefix, parts);
  if (sign == "!=") return add(kNotEqual);
  if (sign == "<") return add(kLess);
  if (sign == "<=") return add(kLessOrEqual);
  if (sign == ">") return add(kGreater);
  if (sign == ">=") return add(kGreaterOrEqual);
  // Poetry's `^0.3` leaves 0.x, its `~2.1` leaves 2.1.x, pip's `~=2.1.0` too.
  if (sign == "^") return add(kGreaterOrEqual) && add(kPrefix, (*version)[0] == 0 ? 2 : 1);
  if (sign == "~") return add(kGreaterOrEqual) && add(kPrefix, std::min<size_t>(parts, 2));
  return sign == "~=" && parts > 1 && add(kGreaterOrEqual) && add(kPrefix, parts - 1);
}

bool VersionSpecifier::Admits(const Clause& clause, const Version& version) {
  using enum Clause::Kind;
  switch (clause.kind) {
    case kEqual:
      return version == clause.version;
    case kNotEqual:
      return version != clause.version;
    case kLess:
      return version < clause.version;
    case kLessOrEqual:
      return version <= clause.version;
    case kGreater:
      return version > clause.version;
    case kGreaterOrEqual:
      return version >= clause.version;
    case kPrefix:
      return std::equal(version.begin(),
                        version.begin() + static_cast<std::ptrdiff_t>(clause.parts),
                        clause.version.begin());
  }
  return false;
}

Version VersionSpecifier::newest() const {
  std::vector<Version> candidates = {kNewestVersion};
  for (const Clause& clause : clauses_) {
    using enum Clause::Kind;
    if (clause.kind == kLess) {
      candidates.push_back(LastBefore(clause.version));
    } else if (clause.kind == kPrefix) {
      candidates.push_back(LastWith(clause.version, clause.parts));
    } else {
      candidates.push_back(clause.version);
    }
  }
  std::erase_if(candidates, [&](const Version& version) { return !Admits(version); });
  return candidates.empty() ? kNewestVersion : *std::ranges::max_element(candidates);
}

bool VersionSpecifier::Admits(const Version& version) const {
  return std::ranges::all_of(clauses_,
                             [&](const Clause& clause) { return Admits(clause, version); });
}

}  // namespace transplt
