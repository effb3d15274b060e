// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "transplt/base/json_document.h"
#include "transplt/base/text.h"

namespace transplt {

/// How far a JSON text was read before the parser gave up.
struct JsonReadState {
  enum class After {
    kNothing,       ///< a value must come
    kOpenObject,    ///< a key or "}"
    kOpenList,      ///< a value or "]"
    kKey,           ///< ":" and a value
    kMember,        ///< "," and a key, or "}"
    kElement,       ///< "," and a value, or "]"
    kWholeDocument  ///< nothing may come
  };
  After after = After::kNothing;
  size_t position = 0;            ///< just after what was read last; "," and ":" do not count
  size_t stopped = 0;             ///< how many bytes the parser has looked at
  std::optional<JsonPlace> open;  ///< of the innermost "{" or "[" that is not closed
};

/// What a person has done wrong, in words that say how to repair it.
struct JsonMistake {
  size_t offset = 0;
  Text what;
};

/// Explains why `text`, which is not JSON, could not be read on. Knows the usual mistakes: a
/// trailing or missing comma, comments, single quotes, Python literals, full-width punctuation,
/// backslashes, text that is cut off.
JsonMistake FindJsonMistake(std::string_view text, const JsonReadState& state);

/// The same for a string that starts at `start` and that the parser gave up after `stopped` bytes
/// of the text: not closed, a wrong escape, a control character, not UTF-8.
JsonMistake FindStringMistake(std::string_view text, size_t start, size_t stopped);

/// The same for a text that cannot be JSON as a whole: empty, UTF-16 or UTF-32.
std::optional<JsonMistake> FindEncodingMistake(std::string_view text);

}  // namespace transplt
