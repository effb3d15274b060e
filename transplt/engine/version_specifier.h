// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "transplt/engine/version_range.h"

namespace transplt {

/// Which versions of a package a project asks for: `==2.1.0+cu118`, `>=1.7,<2`, `~=2.3.0`,
/// `==1.13.*` as pip reads them, `=2.1` and `2.1.*` as conda does, `^2.1` and `~2.1` as poetry
/// does.
class VersionSpecifier {
 public:
  /// nullopt for anything else: alternatives ("|"), versions that are not numbers, no version.
  static std::optional<VersionSpecifier> Parse(std::string_view text);

  bool Admits(const Version& version) const;

  /// The first version that it names.
  const Version& first() const { return clauses_.front().version; }
  /// The newest that it admits, as far as its clauses bound it: of "<2" 1.x with the largest x that
  /// there can be, of ">=1.4" kNewestVersion; that too where no version is admitted.
  Version newest() const;

 private:
  struct Clause {
    enum class Kind { kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual, kPrefix };
    Kind kind;
    Version version;
    size_t parts = 0;  ///< of kPrefix: how many numbers count
  };
  static bool Admits(const Clause& clause, const Version& version);
  bool AddClause(std::string_view text);

  std::vector<Clause> clauses_;
};

}  // namespace transplt
