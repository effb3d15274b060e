// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/json_object_reader.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace transplt {

void RefuseOwnTable(const Error& error) {
  std::fprintf(stderr, "%s: %s\n", error.where.c_str(), error.what.en.c_str());
  std::abort();
}

void JsonObjectReader::Fail(const JsonValue& value, Text what) {
  if (!error_) error_ = Error{Error::Code::kBadInput, document_.Where(value), std::move(what)};
}

const JsonValue* JsonObjectReader::Member(std::string_view key, JsonValue::Type type,
                                          bool required) {
  seen_.emplace_back(key);
  const JsonValue* value = object_.Find(key);
  if (value == nullptr && required) Fail(object_, Say("{} is missing", "缺少 {}", key));
  if (value != nullptr && value->type() != type) {
    Fail(*value, Say("{} has the wrong type", "{} 的类型不对", key));
    return nullptr;
  }
  return value;
}

std::string JsonObjectReader::String(std::string_view key, bool required) {
  const JsonValue* value = Member(key, JsonValue::Type::kString, required);
  return value == nullptr ? std::string() : value->string();
}

std::vector<std::string> JsonObjectReader::Strings(std::string_view key, bool required) {
  std::vector<std::string> strings;
  const JsonValue* list = Member(key, JsonValue::Type::kList, required);
  if (list == nullptr) return strings;
  for (const JsonValue* item : list->children()) {
    if (item->type() == JsonValue::Type::kString) {
      strings.push_back(item->string());
    } else {
      Fail(*item, Say("must be a string", "必须是字符串"));
    }
  }
  return strings;
}

void JsonObjectReader::RefuseUnknown() {
  for (const JsonValue* member : object_.children()) {
    if (std::find(seen_.begin(), seen_.end(), member->key()) == seen_.end()) {
      Fail(*member, Say("unknown field \"{}\"", "未知字段 \"{}\"", member->key()));
    }
  }
}

}  // namespace transplt
