// SPDX-License-Identifier: Apache-2.0
#include "transplt/lsp/file_uri.h"

#include <charconv>

#include "transplt/report/record_place.h"

namespace transplt {
namespace {

constexpr std::string_view kScheme = "file://";

/// Nothing if an escape is none, or stands for a NUL.
std::optional<std::string> Unescaped(std::string_view text) {
  constexpr size_t kDigits = 2;
  constexpr int kHexadecimal = 16;
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    if (i + kDigits >= text.size()) return std::nullopt;
    const char* digits = text.data() + i + 1;
    unsigned char byte = 0;
    const auto [end, error] = std::from_chars(digits, digits + kDigits, byte, kHexadecimal);
    if (error != std::errc() || end != digits + kDigits || byte == 0) return std::nullopt;
    plain += static_cast<char>(byte);
    i += kDigits;
  }
  return plain;
}

}  // namespace

std::optional<std::string> PathOfUri(std::string_view uri) {
  if (!uri.starts_with(kScheme)) return std::nullopt;
  uri.remove_prefix(kScheme.size());
  constexpr std::string_view kThisMachine = "localhost/";
  if (uri.starts_with(kThisMachine)) uri.remove_prefix(kThisMachine.size() - 1);
  if (!uri.starts_with('/')) return std::nullopt;
  return Unescaped(uri.substr(0, uri.find_first_of("?#")));
}

std::string UriOfPath(std::string_view path) { return std::string(kScheme) + PercentEncoded(path); }

}  // namespace transplt
