// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/default_argument.h"

#include <fmt/format.h>

#include <algorithm>

#include "transplt/base/one_of.h"
#include "transplt/facts/receiver.h"

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

bool IsHandedTo(Node call, const std::vector<std::string>& methods, const FileContext& file) {
  Node value = call;
  while (value.parent().Is(NodeKind::kSubscript) && value.field() == Field::kValue) {
    value = value.parent();
  }
  const Node taker = value.parent().parent();
  if (!value.parent().Is(NodeKind::kArgumentList) || !taker.Is(NodeKind::kCall)) return false;
  if (ArgumentsOf(taker).front().value != value) return false;
  const Node callee = taker.Child(Field::kFunction);
  if (!callee.Is(NodeKind::kAttribute)) return false;
  const std::string_view method = callee.Child(Field::kAttribute).text();
  Text ignored;
  return IsOneOf(method, methods) &&
         !IsForeignReceiver(callee.Child(Field::kObject), method, file.code(), &ignored);
}

}  // namespace transplt
