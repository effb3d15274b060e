// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/engine/api_support.h"
#include "transplt/engine/file_context.h"

namespace transplt {

/// One place where a program uses an API that does not simply stay as it is.
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
/// another one's. What the rules of a migration give another name is kRenamed.
/// An import, an annotation and a test for a class are no uses.
std::vector<ApiUse> TorchApisIn(const FileContext& file, const ApiSupport& support);

/// The names in a file that may stand for something of another module: attributes with all that
/// is in front of them, and identifiers that an import binds.
std::vector<Node> UsedNames(const FileContext& file);

/// True for the `name` in `isinstance(m, nn.Linear)`, `type(m) is nn.Linear`, `m: nn.Linear`, and
/// in `LAYERS = {"linear": nn.Linear}`: it is asked about or listed, and nothing of it runs.
bool IsOnlyNamed(Node node, std::string_view name);

}  // namespace transplt
