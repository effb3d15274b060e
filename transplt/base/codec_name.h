// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "transplt/base/encoding.h"

namespace transplt {

/// The encoding that Python knows under `codec`, the word in a PEP 263 cookie; nullopt if none or
/// if it does not extend ASCII.
std::optional<Encoding> EncodingOfCodec(std::string_view codec);

/// The bytes that change the meaning of those after them, if the `codec` has shift states
/// (ISO-2022, HZ, UTF-7); without them its text is ASCII. Empty for all other names.
std::string_view ShiftBytesOfCodec(std::string_view codec);

}  // namespace transplt
