// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "transplt/base/result.h"

namespace transplt {

/// Where something stands in a JSON text. Line and column count from 1, the column in characters.
struct JsonPlace {
  uint32_t offset = 0;  ///< in bytes, a byte order mark included
  uint32_t line = 1;
  uint32_t column = 1;
};

/// One value of a JSON text, with the place where it stands. Lives as long as its document.
class JsonValue {
 public:
  enum class Type { kNull, kBoolean, kInteger, kNumber, kString, kList, kObject };

  JsonValue() = default;
  JsonValue(const JsonValue&) = delete;
  JsonValue& operator=(const JsonValue&) = delete;

  Type type() const { return type_; }
  JsonPlace place() const { return place_; }
  /// RFC 6901: "/rules/ArgsModifyRule/2", "" for the root.
  std::string pointer() const;

  /// Each of these may be asked only of a value of that type.
  bool boolean() const { return std::get<bool>(scalar_); }
  int64_t integer() const { return std::get<int64_t>(scalar_); }
  double number() const { return std::get<double>(scalar_); }
  const std::string& string() const { return std::get<std::string>(scalar_); }

  /// The elements of a list, or the values of an object, in the order of the text.
  const std::vector<const JsonValue*>& children() const { return children_; }
  /// The member `key` of an object, or null.
  const JsonValue* Find(std::string_view key) const;
  /// What this value is called in the object that holds it, and where the name stands.
  const std::string& key() const { return key_; }
  JsonPlace key_place() const { return key_place_; }
  /// Null for the root.
  const JsonValue* parent() const { return parent_; }

 private:
  friend class JsonBuilder;
  friend class JsonUnpacker;

  Type type_ = Type::kNull;
  std::variant<std::monostate, bool, int64_t, double, std::string> scalar_;
  JsonPlace place_;
  JsonPlace key_place_;
  std::string key_;
  uint32_t index_ = 0;  // among the children of `parent_`
  const JsonValue* parent_ = nullptr;
  std::vector<const JsonValue*> children_;
};

/// A JSON text (RFC 8259, UTF-8 with or without byte order mark), read strictly and with places,
/// for files that people write by hand. Never changed after parsing.
class JsonDocument {
 public:
  static constexpr size_t kMaxBytes = size_t{10} << 20;
  static constexpr size_t kMaxDepth = 64;
  static constexpr size_t kMaxValues = 500'000;

  /// `name` is what messages call the text. Fails with kBadInput, naming line, column and remedy,
  /// for what is not JSON, for a key that an object has twice, and beyond the limits above.
  static Result<JsonDocument> Parse(std::string name, std::string_view text);

  JsonDocument(JsonDocument&&) = default;
  JsonDocument& operator=(JsonDocument&&) = default;

  const std::string& name() const { return name_; }
  const JsonValue& root() const { return values_.front(); }

  /// "rules/my.json:12:5: #/rules/ArgsModifyRule/2", for Error::where.
  std::string Where(const JsonValue& value) const;
  /// The same for a member that should not be there: the place of its key in its object.
  std::string WhereKey(const JsonValue& member) const;

 private:
  friend class JsonUnpacker;

  JsonDocument() = default;

  std::string name_;
  std::deque<JsonValue> values_;  // in the order of the text; never empty
};

/// `text` as a JSON string in quotes, to be shown in a message: control characters escaped and
/// what is longer than `max_bytes` cut off with "...".
std::string QuoteForMessage(std::string_view text, size_t max_bytes = 60);

}  // namespace transplt
