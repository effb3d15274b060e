// SPDX-License-Identifier: Apache-2.0
#include "transplt/frontends/requirements.h"

#include <algorithm>
#include <string>

#include "transplt/base/requirement.h"

namespace transplt {
namespace {

/// The package of `https://host/channel/linux-64/pytorch-0.4.0-py36_cuda8.0.tar.bz2`: name, version
/// and build stand in the name of the file, and the name alone may have more hyphens.
std::optional<Setting> CondaPackageIn(std::string_view text, TextRange range) {
  std::string_view line = range.In(text);
  line = line.substr(0, line.find_last_not_of(" \t\r\n") + 1);
  const size_t scheme = line.find("://");
  if (scheme == std::string_view::npos) return std::nullopt;
  line = line.substr(0, line.find('#', scheme));  // the checksum
  std::string_view file = line.substr(line.rfind('/') + 1);
  const auto start = range.start + static_cast<uint32_t>(file.data() - range.In(text).data());
  const bool is_package = file.ends_with(".tar.bz2") || file.ends_with(".conda");
  const size_t build = file.rfind('-');
  if (!is_package || build == std::string_view::npos || build == 0) return std::nullopt;
  const size_t version = file.rfind('-', build - 1);
  if (version == std::string_view::npos || version == 0) return std::nullopt;
  const std::string_view name = file.substr(0, version);
  const std::string number(file.substr(version + 1, build - version - 1));
  return Setting{Setting::Kind::kDependency,
                 std::string(name),
                 {start, start + static_cast<uint32_t>(name.size())},
                 std::string(file.substr(0, build)),
                 {start, start + static_cast<uint32_t>(build)},
                 "==" + number};
}

/// True for NAME=VERSION=BUILD.
bool IsExported(std::string_view line) {
  return std::ranges::count(line, '=') == 2 && line.find("==") == std::string_view::npos &&
         line.find_first_of(" \t<>!~#") == std::string_view::npos;
}

}  // namespace

std::optional<Setting> DependencyIn(std::string_view text, TextRange range) {
  const std::optional<Requirement> found = ParseRequirement(range.In(text));
  if (!found) return std::nullopt;
  const TextRange name{range.start + found->name.start, range.start + found->name.end};
  const TextRange whole{range.start + found->whole.start, range.start + found->whole.end};
  return Setting{Setting::Kind::kDependency,
                 std::string(name.In(text)),
                 name,
                 std::string(whole.In(text)),
                 whole,
                 std::string(found->versions.In(range.In(text))),
                 std::string(found->marker.In(range.In(text)))};
}

std::vector<Setting> RequirementSettings(const SourceFile& source) {
  std::vector<Setting> settings;
  for (uint32_t line = 1; line <= source.line_count(); ++line) {
    const TextRange range = source.LineRange(line);
    std::optional<Setting> found = CondaPackageIn(source.bytes(), range);
    if (!found) found = DependencyIn(source.bytes(), range);
    if (found) settings.push_back(*std::move(found));
  }
  return settings;
}

std::vector<Setting> CondaListSettings(const SourceFile& source) {
  std::vector<Setting> settings;
  for (uint32_t line = 1; line <= source.line_count(); ++line) {
    const TextRange range = source.LineRange(line);
    std::string_view text = range.In(source.bytes());
    text = text.substr(0, text.find_last_not_of("\r\n") + 1);
    std::optional<Setting> found = CondaPackageIn(source.bytes(), range);
    if (!found && IsExported(text)) found = DependencyIn(source.bytes(), range);
    if (found) settings.push_back(*std::move(found));
  }
  return settings;
}

}  // namespace transplt
