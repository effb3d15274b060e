// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "transplt/report/text_sink.h"

namespace transplt {

/// A value on one line. File names may hold any byte: what is not UTF-8 becomes U+FFFD instead of
/// an exception.
inline std::string OneLineJson(const nlohmann::ordered_json& value) {
  using Json = nlohmann::ordered_json;
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The items of a JSON array, one per line, made and printed one by one.
class JsonItems {
 public:
  /// `indent` stands before each item. The brackets are written by the caller.
  JsonItems(const TextSink& out, std::string_view indent) : out_(out), indent_(indent) {}

  void Add(const nlohmann::ordered_json& item) {
    std::string text(is_empty_ ? "\n" : ",\n");
    out_(text.append(indent_).append(OneLineJson(item)));
    is_empty_ = false;
  }
  bool empty() const { return is_empty_; }

 private:
  const TextSink& out_;
  std::string_view indent_;
  bool is_empty_ = true;
};

}  // namespace transplt
