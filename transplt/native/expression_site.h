// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "transplt/base/edit.h"
#include "transplt/native/rules.h"
#include "transplt/native/token_text.h"

namespace transplt {

/// A place where an expression is written whose rule names such places: among the arguments of a
/// function, or before a member.
struct ExpressionSite {
  TextRange taken;                 ///< makes room for the expression
  std::string call;                ///< takes its place where the expression moves: "at::zeros("
  std::optional<uint32_t> behind;  ///< the end of the arguments that the expression moves behind

  std::vector<Edit> EditsFor(const std::string& expression) const;
};

/// Whether the name that ends with a token is one of those given.
using IsOneOf = std::function<bool(size_t last, const std::vector<std::string>& names)>;

/// The place of the call whose tokens are [first, close]; nothing if the rule does not write there.
std::optional<ExpressionSite> SiteOf(const NativeRule& rule, const TokenText& text, size_t first,
                                     size_t close, const IsOneOf& is_one_of);

}  // namespace transplt
