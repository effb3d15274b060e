// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/default_argument.h"

#include <fmt/format.h>

#include <algorithm>

namespace transplt {

const Argument* DefaultArgument::GivenIn(const std::vector<Argument>& arguments) const {
  if (const Argument* by_keyword = FindKeyword(arguments, keyword)) return by_keyword;
  int64_t position = 0;
  for (const Argument& argument : arguments) {
    if (!argument.keyword.empty()) continue;
    if (position++ == index) return &argument;
  }
  return nullptr;
}

bool IsExcluded(const std::vector<Argument>& arguments, const std::vector<std::string>& excluded) {
  return std::ranges::any_of(arguments, [&](const Argument& argument) {
    if (argument.is_splat) return true;
    if (argument.keyword.empty()) return false;
    const std::string spelled = fmt::format("{}={}", argument.keyword, argument.value.text());
    return std::ranges::any_of(excluded, [&](const std::string& one) {
      return one == argument.keyword || one == spelled;
    });
  });
}

}  // namespace transplt
