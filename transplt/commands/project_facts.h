// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/base/framework.h"
#include "transplt/base/result.h"

namespace transplt {

/// What can be read in a project without running it.
struct ProjectFacts {
  Framework framework = Framework::kPytorch;
  /// "package.module:Class" of the models that no other model of the project is built of, sorted.
  std::vector<std::string> models;
};

Result<ProjectFacts> ReadProjectFacts(const std::string& input);

}  // namespace transplt
