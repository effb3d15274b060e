// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace transplt {

enum class Language { kEnglish, kChinese };

/// A sentence for a person, in both languages of the product. Machine formats (CSV, JSON, SARIF)
/// always write `en`.
struct Text {
  std::string en;
  std::string zh;

  const std::string& In(Language language) const {
    return language == Language::kChinese ? zh : en;
  }
  bool empty() const { return en.empty(); }
};

/// Formats the same arguments into an English and a Chinese sentence.
template <typename... Args>
Text Say(fmt::format_string<const Args&...> en, fmt::format_string<const Args&...> zh,
         const Args&... args) {
  return {fmt::format(en, args...), fmt::format(zh, args...)};
}

}  // namespace transplt
