// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/analysis/api_support.h"
#include "transplt/engine/file_context.h"

namespace transplt {

/// One place where a program uses an API that is not simply supported.
struct ApiUse {
  std::string file;
  uint32_t start_line = 1;
  uint32_t end_line = 1;
  std::string api;  ///< its full name
  Support support = Support::kUnknown;
};

/// The uses of torch in one file, in the order of the text. Names are resolved; of methods only
/// those are listed whose name tells that they are a tensor's. What the rules of a migration give
/// another name is supported under that name.
std::vector<ApiUse> TorchApisIn(const FileContext& file, const ApiSupport& support);

}  // namespace transplt
