// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/json_document.h"
#include "transplt/base/result.h"

namespace transplt {

/// Ends the program: a table that travels in it is broken, which the first test that runs finds.
[[noreturn]] void RefuseOwnTable(const Error& error);

/// Reads a row of one of the product's own tables, field by field; the first mistake is kept.
/// Derived classes name the fields.
class JsonObjectReader {
 protected:
  JsonObjectReader(const JsonDocument& document, const JsonValue& object)
      : document_(document), object_(object) {}

  void Fail(const JsonValue& value, Text what);
  /// Null, and a mistake, if it has another type or is required and missing.
  const JsonValue* Member(std::string_view key, JsonValue::Type type, bool required);
  std::string String(std::string_view key, bool required = true);
  std::vector<std::string> Strings(std::string_view key, bool required = false);
  /// A field that nobody has asked for is a mistake.
  void RefuseUnknown();

  const JsonValue& object() const { return object_; }
  const std::optional<Error>& error() const { return error_; }

 private:
  const JsonDocument& document_;
  const JsonValue& object_;
  std::vector<std::string> seen_;
  std::optional<Error> error_;
};

}  // namespace transplt
