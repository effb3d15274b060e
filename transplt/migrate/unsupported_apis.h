// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/base/finding.h"
#include "transplt/engine/api_support.h"
#include "transplt/engine/file_context.h"

namespace transplt {

/// A row for each use of an API of torch that the documentation of torch_npu calls unsupported, and
/// of which no rule says more.
Findings CheckUnsupportedApis(const FileContext& file, const ApiSupport& support);

}  // namespace transplt
