// SPDX-License-Identifier: Apache-2.0
#include "transplt/frontends/setting_list.h"

#include <algorithm>

#include "transplt/frontends/requirements.h"
#include "transplt/frontends/shell_words.h"

namespace transplt {
namespace {

std::string_view WithoutDashes(std::string_view name) {
  return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

bool IsOption(std::string_view text) {
  return text.starts_with('-') && text.find_first_of(" \t\n") == std::string_view::npos;
}

}  // namespace

TextRange SettingList::RangeOf(const Scalar& scalar) const {
  const std::string_view bytes = source_.bytes();
  if (scalar.text.empty() || scalar.offset >= bytes.size()) return {};
  const bool quoted = bytes[scalar.offset] == '"' || bytes[scalar.offset] == '\'';
  const uint32_t start = scalar.offset + (quoted ? 1 : 0);
  const bool same = bytes.substr(start).starts_with(scalar.text);
  return same ? TextRange{start, start + static_cast<uint32_t>(scalar.text.size())} : TextRange{};
}

void SettingList::AddKey(const Scalar& key, const Scalar& value) {
  Setting setting;
  setting.name = WithoutDashes(key.text);
  setting.name_range = RangeOf(key);
  if (!setting.name_range.empty()) {
    setting.name_range.start = setting.name_range.end - static_cast<uint32_t>(setting.name.size());
  }
  setting.value = value.text;
  setting.value_range = RangeOf(value);
  if (IsCapitalName(setting.name)) setting.kind = Setting::Kind::kVariable;
  if (key.text == "python_requires" || key.text == "requires-python") {
    settings_.push_back(
        {Setting::Kind::kDependency, "python", {}, value.text, setting.value_range, value.text});
  }
  settings_.push_back(std::move(setting));
  if (key.text == "name" && IsCapitalName(value.text)) {
    settings_.push_back({Setting::Kind::kVariable, value.text, RangeOf(value), {}, {}});
  }
  AddParts(value);
}

void SettingList::AddItem(const Scalar& key, const Scalar& item, std::string_view previous) {
  // "python_packages" stands in the cog.yaml of a model.
  if (key.text == "dependencies" || key.text == "pip" || key.text == "python_packages") {
    AddDependency({item});
  }
  const bool is_value =
      IsOption(previous) && previous.find('=') == std::string_view::npos && !IsOption(item.text);
  if (is_value) {
    settings_.push_back({Setting::Kind::kOption,
                         std::string(WithoutDashes(previous)),
                         {},
                         item.text,
                         RangeOf(item)});
  } else {
    settings_.push_back({Setting::Kind::kKey, key.text, RangeOf(key), item.text, RangeOf(item)});
  }
  AddParts(item);
}

void SettingList::AddDependency(const Dependency& dependency) {
  const TextRange range = RangeOf(dependency.text);
  if (std::optional<Setting> found = DependencyIn(source_.bytes(), range)) {
    if (!dependency.versions.empty()) found->versions = dependency.versions;
    if (!dependency.marker.empty()) found->marker = dependency.marker;
    found->is_extra = dependency.is_extra;
    settings_.push_back(*std::move(found));
  }
}

void SettingList::AddParts(const Scalar& scalar) {
  const size_t equals = scalar.text.find('=');
  const TextRange range = RangeOf(scalar);
  if (equals == std::string::npos || range.empty()) return;
  const std::string_view name = std::string_view(scalar.text).substr(0, equals);
  const bool is_variable = IsCapitalName(name);
  if (!is_variable && !IsOption(name)) return;
  const auto dashes = static_cast<uint32_t>(name.size() - WithoutDashes(name).size());
  const auto middle = range.start + static_cast<uint32_t>(equals);
  settings_.push_back({is_variable ? Setting::Kind::kVariable : Setting::Kind::kOption,
                       std::string(WithoutDashes(name)),
                       {range.start + dashes, middle},
                       scalar.text.substr(equals + 1),
                       {middle + 1, range.end}});
}

}  // namespace transplt
