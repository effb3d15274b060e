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
  uint32_t node = 0;  ///< its id in the tree of the file
  uint32_t start_line = 1;
  uint32_t end_line = 1;
  std::string api;  ///< its full name
  Support support = Support::kUnknown;
  std::string rule_id;  ///< of the rule that says what to do instead, if one does
};

/// The uses of torch in one file, in the order of the text. Names are resolved; a method counts
/// where its name is one that only tensors and modules have, and nothing says that the object is
/// another one's. What the rules of a migration give another name is supported under that name.
/// An import, an annotation and a test for a class are no uses.
std::vector<ApiUse> TorchApisIn(const FileContext& file, const ApiSupport& support);

}  // namespace transplt
