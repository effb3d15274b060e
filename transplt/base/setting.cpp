// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/setting.h"

namespace transplt {

bool HasInSameList(const std::vector<Setting>& settings, size_t index, std::string_view value) {
  const TextRange key = settings[index].name_range;
  const auto belongs = [&](const Setting& setting) {
    return setting.kind == Setting::Kind::kKey && setting.name_range == key;
  };
  if (key.empty() || !belongs(settings[index])) return false;
  for (size_t i = index; i < settings.size() && belongs(settings[i]); ++i) {
    if (settings[i].value == value) return true;
  }
  for (size_t i = index; i > 0 && belongs(settings[i - 1]); --i) {
    if (settings[i - 1].value == value) return true;
  }
  return false;
}

}  // namespace transplt
