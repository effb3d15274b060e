// SPDX-License-Identifier: Apache-2.0
#include "transplt/frontends/requirements.h"

#include "transplt/base/requirement.h"

namespace transplt {

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
                 std::string(found->versions.In(range.In(text)))};
}

std::vector<Setting> RequirementSettings(const SourceFile& source) {
  std::vector<Setting> settings;
  for (uint32_t line = 1; line <= source.line_count(); ++line) {
    std::optional<Setting> found = DependencyIn(source.bytes(), source.LineRange(line));
    if (found) settings.push_back(*std::move(found));
  }
  return settings;
}

}  // namespace transplt
