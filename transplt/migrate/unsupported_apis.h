// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "transplt/base/finding.h"
#include "transplt/engine/api_support.h"
#include "transplt/engine/file_context.h"

namespace transplt {

inline constexpr std::string_view kUnsupportedApi = "unsupported-api";  ///< the rule of its rows

/// A row for each use of an API of torch that the documentation of torch_npu calls unsupported, and
/// of which no rule says more, nor one of those that are `disabled`.
Findings CheckUnsupportedApis(const FileContext& file, const ApiSupport& support,
                              std::span<const std::string> disabled);

}  // namespace transplt
