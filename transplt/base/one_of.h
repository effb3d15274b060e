// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <iterator>

namespace transplt {

/// True if `value` is one of `values`, by a linear search: the fastest for the short lists that
/// this program has.
template <typename Value, typename Values>
bool IsOneOf(const Value& value, const Values& values) {
  return std::find(std::begin(values), std::end(values), value) != std::end(values);
}

}  // namespace transplt
