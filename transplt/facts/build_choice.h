// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/facts/cuda_needs.h"
#include "transplt/facts/guard_signatures.h"
#include "transplt/facts/guards.h"
#include "transplt/python/name_table.h"

namespace transplt {

/// What conditions of a file choose between where it builds C++ and CUDA sources: "ops.cu",
/// "-DWITH_CUDA", `extra_cuda_cflags`. `names` and `signatures` must outlive it.
class BuildChoices {
 public:
  BuildChoices(const NameTable& names, const GuardSignatures& signatures);

  /// The first place where the condition of `guard` chooses how sources are built. Nothing if it
  /// chooses none of that, and in a file that has nothing to do with building them.
  std::optional<CudaNeed> Of(const Guard& guard) const;

 private:
  bool IsOfBuilders(std::string_view name) const;
  Node OptionThatTakes(Node answer) const;
  Node SignIn(TextRange part, bool is_with) const;
  bool IsSign(Node node, bool is_with) const;
  bool IsSourceOrFlag(std::string_view text, bool is_with) const;
  bool HoldsSources(Node name) const;

  const NameTable& names_;
  const GuardSignatures& signatures_;
  std::vector<std::string> modules_;  // that have the builders
  bool is_about_builds_;
};

}  // namespace transplt
