// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/python/name_table.h"

namespace transplt {

/// Where a program will run.
struct Machine {
  std::string_view torch;             ///< "2.12.0"; empty: conditions about it are not known
  bool has_npu_alone = false;         ///< no device of another vendor: no XPU, no MPS, no ROCm
  std::string_view torchvision = {};  ///< "0.27.0"; empty: not known
  /// The versions of other packages, "2.0.0", by their names with `-`; null: none is known.
  const std::map<std::string, std::string, std::less<>>* packages = nullptr;
};

/// What the conditions of a file say that the machine settles: the version of torch, of the
/// torchvision that is built for it and of other packages, that Python is not Python 2, that there
/// is no device of another vendor. They are computed as Python does it:
/// `int(torch.__version__.split(".")[0]) < 2`, `HAS_XPU = torch.xpu.is_available()`. What asks for
/// CUDA is not among them: that is for Guards.
class SettledConditions {
 public:
  /// `names`, and the text of `machine`, must outlive this.
  SettledConditions(const NameTable& names, const Machine& machine);

  /// Whether `condition` is true; nothing if more than the machine decides it.
  std::optional<bool> Of(Node condition) const;

  /// The blocks and expressions that no run comes to, in the order of the text.
  std::vector<TextRange> DeadParts() const;

 private:
  const NameTable& names_;
  Machine machine_;
  bool may_ask_;  ///< the file spells a name that the machine settles
};

}  // namespace transplt
