// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/base/text.h"
#include "transplt/engine/torch_npu_releases.h"
#include "transplt/migrate/policy.h"
#include "transplt/migrate/project_pins.h"

namespace transplt {

/// The versions that a run assumes, and who chose them.
struct AssumedPlatform {
  TorchPlatform platform;
  Text chosen_by;  ///< "--torch-version", "requirements.txt (torch==2.1.0)", "the default: ..."
  Version project_torch =
      {};                   ///< the oldest that the project asks for; all zero if it does not say
  bool is_ordered = false;  ///< an option or a policy names one of the versions
};

/// The versions of torch and torch_npu to assume: those of the options that are not empty, else
/// those of `policy`, else what `project`, the pins of all packages, says about torch, else the
/// newest. A pin that no torch_npu serves changes nothing; a rule reports it. Fails for versions of
/// the options or the policy that do not fit together.
Result<AssumedPlatform> AssumePlatform(const std::vector<Pin>& project, const Policy& policy,
                                       const std::string& torch, const std::string& torch_npu);

}  // namespace transplt
