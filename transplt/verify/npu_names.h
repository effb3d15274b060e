// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/engine/file_context.h"

namespace transplt {

/// The names that one version of torch_npu has.
class NpuNames {
 public:
  /// `version` is one of torch ("2.1", "2.1.0"). An Error names those that are known.
  static Result<NpuNames> Of(const std::string& version);

  /// "2.1".
  const std::string& version() const { return version_; }
  /// True if the table speaks of the module of `name` (a name that only torch_npu can have), and
  /// does not have the name. `name` is qualified: "torch.npu.synchronize".
  bool Lacks(std::string_view name) const;
  /// True if the table has the name.
  bool Has(std::string_view name) const;

 private:
  std::string version_;
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> modules_;
};

/// A name of torch.npu or torch_npu that stands in a file.
struct NpuNameUse {
  std::string name;
  uint32_t offset = 0;  ///< where it stands
};

/// All of them, imported or used, in the order of the text. One that is only asked about
/// (`getattr(torch.npu, "x", None)`) is none.
std::vector<NpuNameUse> NpuNamesIn(const FileContext& file);

}  // namespace transplt
