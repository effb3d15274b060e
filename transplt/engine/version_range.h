// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/result.h"

namespace transplt {

/// The numbers of a release: 2.1 is {2, 1, 0, 0}.
using Version = std::array<uint32_t, 4>;

/// Newer than any release.
inline constexpr Version kNewestVersion = {999999, 999999, 999999, 999999};

/// Reads "2.1", "2.1.0" and what packages append to it ("2.1.0+cpu", "2.3.0a0", "2.1.0.post3"),
/// which does not count. The Error has no `where`.
Result<Version> ParseVersion(std::string_view text);

/// Reads a release of torch_npu: "7.3.0", "6.0.rc1", "5.0.rc2.1". Releases have an order of their
/// own: "6.0.rc1" comes before "6.0.0". The Error has no `where`.
Result<Version> ParseRelease(std::string_view text);

/// Versions between bounds, written as ">=2.1,<2.5". Without bounds: every version.
class VersionRange {
 public:
  VersionRange() = default;
  /// Bounds are ">=", ">", "<=" or "<" and a version, joined by commas. A range that no version
  /// can be in is refused. The Error has no `where`.
  static Result<VersionRange> Parse(std::string_view text);

  /// The same for releases: ">=6.0.rc1,<7.3.0".
  static Result<VersionRange> ParseReleases(std::string_view text);

  bool Contains(const Version& version) const;

  /// What `Parse` accepts, but for the empty range, as a regular expression for the schema.
  static constexpr std::string_view kPattern =
      "^ *(>=|<=|>|<) *[0-9]{1,6}([.][0-9]{1,6}){0,3} *"
      "(, *(>=|<=|>|<) *[0-9]{1,6}([.][0-9]{1,6}){0,3} *)*$";
  /// The same for `ParseReleases`.
  static constexpr std::string_view kReleasePattern =
      "^ *(>=|<=|>|<) *[0-9]{1,6}[.][0-9]{1,6}[.]([0-9]{1,6}|rc[0-9]{1,3}([.][0-9]{1,2})?) *"
      "(, *(>=|<=|>|<) *[0-9]{1,6}[.][0-9]{1,6}[.]([0-9]{1,6}|rc[0-9]{1,3}([.][0-9]{1,2})?) *)*$";

 private:
  struct Bound {
    bool lower;  // the version must be above it
    bool inclusive;
    Version version;
  };

  /// What stands after the sign of a bound, taken off the front of a text.
  using TakeNumber = std::optional<Version> (*)(std::string_view& text);
  struct Grammar {
    TakeNumber take;
    std::string_view one;  ///< an example for messages
    std::string_view two;
  };
  static const Grammar kVersions;
  static const Grammar kReleases;

  static Result<VersionRange> Parse(std::string_view text, const Grammar& grammar);
  static Result<Bound> ParseBound(std::string_view text, const Grammar& grammar);
  bool IsEmpty() const;

  std::vector<Bound> bounds_;
};

}  // namespace transplt
