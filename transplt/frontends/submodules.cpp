// SPDX-License-Identifier: Apache-2.0
#include "transplt/frontends/submodules.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace transplt {
namespace {

constexpr std::string_view kBlanksOfConfig = " \t\r\n";

/// The value of `url = ...` in `line`, without blanks around it; empty for another line.
TextRange AddressIn(std::string_view text, TextRange line) {
  const std::string_view bytes = line.In(text);
  const size_t key = bytes.find_first_not_of(kBlanksOfConfig);
  const size_t equals = bytes.find('=');
  if (key == std::string_view::npos || equals == std::string_view::npos) return {};
  std::string_view name = bytes.substr(key, equals - key);
  name = name.substr(0, name.find_last_not_of(kBlanksOfConfig) + 1);
  const size_t start = bytes.find_first_not_of(kBlanksOfConfig, equals + 1);
  if (name != "url" || start == std::string_view::npos) return {};
  const size_t end = bytes.find_last_not_of(kBlanksOfConfig) + 1;
  return {line.start + static_cast<uint32_t>(start), line.start + static_cast<uint32_t>(end)};
}

/// The last part of an address: "name" of "https://host/user/name.git", "git@host:user/name".
TextRange NameIn(std::string_view text, TextRange address) {
  std::string_view url = address.In(text);
  while (url.ends_with('/')) url.remove_suffix(1);
  const size_t before = url.find_last_of("/:");
  const size_t start = before == std::string_view::npos ? 0 : before + 1;
  std::string_view name = url.substr(start);
  if (name.ends_with(".git")) name.remove_suffix(4);
  const auto at = address.start + static_cast<uint32_t>(start);
  return {at, at + static_cast<uint32_t>(name.size())};
}

}  // namespace

std::vector<Setting> SubmoduleSettings(const SourceFile& source) {
  std::vector<Setting> settings;
  const std::string_view text = source.bytes();
  for (uint32_t line = 1; line <= source.line_count(); ++line) {
    const TextRange address = AddressIn(text, source.LineRange(line));
    const TextRange name = address.empty() ? address : NameIn(text, address);
    if (name.empty()) continue;
    const std::string spelled(name.In(text));
    settings.push_back({Setting::Kind::kDependency, spelled, name, spelled, name});
    settings.back().is_extra = true;  // git fetches it, and installs nothing
  }
  return settings;
}

}  // namespace transplt
