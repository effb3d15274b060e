// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "transplt/base/json_document.h"
#include "transplt/engine/rule_kind.h"

namespace transplt {

/// The value of a field of a rule, checked against its type. The Error names the place of the
/// value, or of the list element, that is wrong.
Result<Fields::Value> ReadField(const JsonDocument& document, const FieldSpec& spec,
                                const JsonValue& value);

/// "must be a string, not the number 1; ..." as an Error at `value`, the field `name`.
Error WrongType(const JsonDocument& document, std::string_view name, FieldType wanted,
                const JsonValue& value, bool required = false);

/// "the string "0"", "a list", ...: what stands where something else was wanted.
Text DescribeValue(const JsonValue& value);

/// The Error of a rule file at `where`.
Error BadRule(std::string where, Text what);

/// What a dotted name looks like, as a regular expression for the schema. The loader also refuses
/// blanks and punctuation beyond ASCII.
inline constexpr std::string_view kDottedNamePattern =
    "^[^\\x00-@\\[-^`{-\\x7F][^\\x00-/:-@\\[-^`{-\\x7F]*"
    "([.][^\\x00-@\\[-^`{-\\x7F][^\\x00-/:-@\\[-^`{-\\x7F]*)*$";

/// A regular expression longer than this is refused: compiling it could exhaust the stack.
inline constexpr size_t kMaxRegexBytes = 1000;

}  // namespace transplt
