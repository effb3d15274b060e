// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/rule_kind.h"

namespace transplt {

std::string Fields::String(std::string_view name, std::string_view fallback) const {
  const auto field = values_.find(name);
  return field == values_.end() ? std::string(fallback) : std::get<std::string>(field->second);
}

int64_t Fields::Integer(std::string_view name, int64_t fallback) const {
  const auto field = values_.find(name);
  return field == values_.end() ? fallback : std::get<int64_t>(field->second);
}

bool Fields::Boolean(std::string_view name, bool fallback) const {
  const auto field = values_.find(name);
  return field == values_.end() ? fallback : std::get<bool>(field->second);
}

std::vector<std::string> Fields::List(std::string_view name) const {
  const auto field = values_.find(name);
  if (field == values_.end()) return {};
  return std::get<std::vector<std::string>>(field->second);
}

}  // namespace transplt
