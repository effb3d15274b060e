// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/machine_words.h"

#include <algorithm>
#include <array>

#include "transplt/base/word_list.h"

namespace transplt {
namespace {

template <size_t N>
bool Contains(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

bool IsRate(std::string_view unit) {
  if (IsResultName(unit)) return false;  // 0.4 loss/acc
  return unit.ends_with("/s") || unit.ends_with("/sec") || unit.ends_with("/second") ||
         unit.starts_with("s/") || unit.starts_with("sec/") || unit.starts_with("ms/");
}

bool IsResultName(std::string_view name) {
  const size_t before = name.find_last_of("_-/.");
  return Words("result-words").Has(before == name.npos ? name : name.substr(before + 1));
}

bool IsStatistic(std::string_view word) { return Words("statistics").Has(word); }

bool IsMachineName(std::string_view name) {
  if (IsResultName(name)) return false;
  if (Words("machine-words").Has(name) || IsRate(name)) return true;
  while (!name.empty()) {
    const std::string_view part = name.substr(0, name.find_first_of("_-/."));
    if (Words("machine-words").Has(part)) return true;
    name.remove_prefix(std::min(part.size() + 1, name.size()));
  }
  return false;
}

bool IsMachineUnit(std::string_view unit) { return Words("units").Has(unit); }

bool IsPartOfDuration(std::string_view unit) { return Words("parts-of-durations").Has(unit); }

bool IsSpacedMachineUnit(std::string_view unit) { return Words("spaced-units").Has(unit); }

}  // namespace transplt
