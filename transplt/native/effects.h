// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "transplt/native/token_text.h"

namespace transplt {

/// What evaluating an argument does besides giving its value. An edit that writes such an argument
/// twice, or leaves it out, would change the program.
enum class NativeEffect : uint8_t {
  kNone,     ///< nothing: it may be written as often as one likes
  kUnknown,  ///< the declarations do not show it; its words have to do
  kMaybe,    ///< it calls what nobody can look into
  kSure,     ///< it changes something: `i++`, `a = b`, `queue.pop()`
};

/// The effect of the tokens [first, behind) by their spelling alone. A call counts as kMaybe,
/// unless it only converts or asks: `int64_t(n)`, `x.numel()`.
NativeEffect EffectOf(const TokenText& text, size_t first, size_t behind);

/// Of calls, by the offset of the function's name: what evaluating each argument does.
using ArgumentEffects = std::map<uint32_t, std::vector<NativeEffect>>;

/// Adds `more` to what is known of the call at `offset`.
void AddEffects(ArgumentEffects& effects, uint32_t offset, const std::vector<NativeEffect>& more);

/// True if a function or method of this name changes nothing, wherever it is declared.
bool OnlyAsks(std::string_view name);

}  // namespace transplt
