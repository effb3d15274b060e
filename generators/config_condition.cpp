// SPDX-License-Identifier: Apache-2.0
#include "generators/config_condition.h"

#include <algorithm>
#include <string>

#include "transplt/base/pattern.h"

namespace transplt {
namespace {

/// True for "5-3" and "5-5", and for a list or a text of ranges with such a one.
bool HasBackwardRange(const OrderedJson& value) {
  if (value.is_array()) return std::any_of(value.begin(), value.end(), HasBackwardRange);
  if (!value.is_string()) return false;
  static const Pattern kRange("([0-9]{1,9})-([0-9]{1,9})");
  const std::string text = value.get<std::string>();
  return std::ranges::any_of(kRange.FindAll(text), [](const PatternMatch& range) {
    return std::stol(range.groups[0]) >= std::stol(range.groups[1]);
  });
}

/// True for numbers with commas that do not ascend: "3,1", "1,1".
bool Descends(const OrderedJson& value) {
  static const Pattern kNumber("[0-9]{1,9}");
  const std::string text = value.is_string() ? value.get<std::string>() : "";
  long last = -1;
  for (const PatternMatch& match : kNumber.FindAll(text)) {
    const long number = std::stol(text.substr(match.position, match.length));
    if (number <= last) return true;
    last = number;
  }
  return false;
}

}  // namespace

const OrderedJson* ValueAt(const OrderedJson& configuration, const std::string& pointer) {
  const OrderedJson::json_pointer at(pointer);
  return configuration.contains(at) ? &configuration.at(at) : nullptr;
}

bool Meets(const OrderedJson& configuration, const OrderedJson& condition) {
  const OrderedJson* value = ValueAt(configuration, condition.at("at").get<std::string>());
  const auto wanted = [&condition](const char* name) {
    const auto found = condition.find(name);
    return found == condition.end() ? nullptr : &*found;
  };
  if (const OrderedJson* is = wanted("is")) return value != nullptr && *value == *is;
  if (const OrderedJson* other = wanted("not")) return value == nullptr || *value != *other;
  if (const OrderedJson* choices = wanted("in")) {
    return value != nullptr &&
           std::find(choices->begin(), choices->end(), *value) != choices->end();
  }
  if (const OrderedJson* given = wanted("given")) return (value != nullptr) == given->get<bool>();
  if (const OrderedJson* empty = wanted("empty")) {
    const bool is_empty = value == nullptr || value->empty() ||
                          (value->is_string() && value->get_ref<const std::string&>().empty());
    return is_empty == empty->get<bool>();
  }
  if (const OrderedJson* pattern = wanted("matches")) {
    return value != nullptr && value->is_string() &&
           Pattern(pattern->get<std::string>()).IsIn(value->get_ref<const std::string&>());
  }
  if (wanted("backwards") != nullptr) return value != nullptr && HasBackwardRange(*value);
  if (wanted("descends") != nullptr) return value != nullptr && Descends(*value);
  if (const OrderedJson* other = wanted("above")) {
    const OrderedJson* limit = ValueAt(configuration, other->get<std::string>());
    return value != nullptr && limit != nullptr && value->is_number() && limit->is_number() &&
           *value > *limit;
  }
  const OrderedJson* size = wanted("not-size");
  return size != nullptr && value != nullptr && value->size() != size->get<size_t>();
}

bool MeetsAll(const OrderedJson& configuration, const OrderedJson& conditions) {
  return std::all_of(conditions.begin(), conditions.end(),
                     [&](const OrderedJson& condition) { return Meets(configuration, condition); });
}

}  // namespace transplt
