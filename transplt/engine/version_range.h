// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/result.h"

namespace transplt {

/// The numbers of a release: 2.1 is {2, 1, 0, 0}.
using Version = std::array<uint32_t, 4>;

/// Reads "2.1", "2.1.0" and what packages append to it ("2.1.0+cpu", "2.3.0a0", "2.1.0.post3"),
/// which does not count. The Error has no `where`.
Result<Version> ParseVersion(std::string_view text);

/// Versions between bounds, written as ">=2.1,<2.5". Without bounds: every version.
class VersionRange {
 public:
  VersionRange() = default;
  /// Bounds are ">=", ">", "<=" or "<" and a version, joined by commas. A range that no version
  /// can be in is refused. The Error has no `where`.
  static Result<VersionRange> Parse(std::string_view text);

  bool Contains(const Version& version) const;

  /// What `Parse` accepts, but for the empty range, as a regular expression for the schema.
  static constexpr std::string_view kPattern =
      "^ *(>=|<=|>|<) *[0-9]{1,6}([.][0-9]{1,6}){0,3} *"
      "(, *(>=|<=|>|<) *[0-9]{1,6}([.][0-9]{1,6}){0,3} *)*$";

 private:
  struct Bound {
    bool lower;  // the version must be above it
    bool inclusive;
    Version version;
  };

  static Result<Bound> ParseBound(std::string_view text);
  bool IsEmpty() const;

  std::vector<Bound> bounds_;
};

}  // namespace transplt
