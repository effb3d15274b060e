// SPDX-License-Identifier: Apache-2.0
#include "transplt/native/effects.h"

#include <algorithm>
#include <array>
#include <optional>

#include "transplt/base/word_list.h"

namespace transplt {
namespace {

bool IsAmong(std::string_view token, const auto& tokens) {
  return std::ranges::find(tokens, token) != tokens.end();
}

/// True for operators and keywords that change something.
bool Changes(std::string_view token) {
  constexpr std::array kChanging = {"=",   "++",  "--",  "+=",     "-=",    "*=",       "/=",
                                    "<<=", ">>=", "new", "delete", "throw", "co_await", "co_yield"};
  return IsAmong(token, kChanging);
}

/// True for words whose operand is not evaluated.
bool OnlyNames(std::string_view token) {
  constexpr std::array kNaming = {"sizeof", "alignof", "decltype", "noexcept", "typeid"};
  return IsAmong(token, kNaming);
}

}  // namespace

NativeEffect EffectOf(const TokenText& text, size_t first, size_t behind) {
  NativeEffect effect = NativeEffect::kNone;
  for (size_t i = first; i < behind; ++i) {
    if (Changes(text.Of(i))) return NativeEffect::kSure;
    if (!text.IsName(i)) continue;
    if (OnlyNames(text.Of(i)) && text.Is(i + 1, "(")) {
      i = text.Close(i + 1).value_or(behind);
      continue;
    }
    size_t open = i + 1;
    if (text.Is(open, "<")) open = text.CloseAngle(open).value_or(i) + 1;
    if (text.Is(open, "(") && !OnlyAsks(text.Of(i))) effect = NativeEffect::kMaybe;
  }
  return effect;
}

void AddEffects(ArgumentEffects& effects, uint32_t offset, const std::vector<NativeEffect>& more) {
  std::vector<NativeEffect>& known = effects[offset];
  if (known.size() < more.size()) known.resize(more.size(), NativeEffect::kNone);
  for (size_t i = 0; i < more.size(); ++i) known[i] = std::max(known[i], more[i]);
}

bool OnlyAsks(std::string_view name) { return Words("asking-calls").Has(name); }

}  // namespace transplt
