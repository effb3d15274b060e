// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "transplt/base/finding.h"

namespace transplt {

/// A place of a program where options can be set, and what becomes of it.
struct InjectionSite {
  TextRange range;
  std::string kind;         ///< "npu_config_proto", "Session", "NPURunConfig" ...
  Text state;               ///< "sets dump_path", "set already", why it is left
  bool is_refused = false;  ///< nothing may be injected anywhere before a person has decided
};

/// What is to be done in one file.
struct FileInjection {
  std::vector<InjectionSite> sites;
  Findings findings;
  /// The options that some place of the file takes, by their names; nothing where the framework
  /// does not say it.
  std::optional<std::set<std::string>> taken = {};
};

}  // namespace transplt
