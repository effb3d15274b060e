// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/python_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "transplt/base/requirement.h"
#include "transplt/engine/library_releases.h"

namespace transplt {
namespace {

constexpr std::string_view kPython = "python";

/// True if the pins admit a release of Python 3.`minor`.
bool IsAdmitted(uint32_t minor, const std::vector<Pin>& pins) {
  constexpr uint32_t kLatePatch = 99;
  return std::ranges::all_of(pins, [&](const Pin& pin) {
    return !pin.specifier || pin.specifier->Admits(Version{3, minor, 0}) ||
           pin.specifier->Admits(Version{3, minor, kLatePatch});
  });
}

/// True if Python 3.`minor` can import the releases that the project asks for.
bool CanImport(uint32_t minor, const std::vector<std::pair<std::string, Version>>& asked_for) {
  for (uint32_t each = 0; each <= minor; ++each) {
    for (const auto& [package, first] : FirstForPython(fmt::format("3.{}", each))) {
      const bool is_older = std::ranges::any_of(asked_for, [&](const auto& library) {
        return NamesPackage(package, library.first) && library.second < first;
      });
      if (is_older) return false;
    }
  }
  return true;
}

}  // namespace

std::string ChoosePython(std::string_view pythons, const std::vector<Pin>& pins) {
  if (pythons.empty()) return {};
  const size_t dash = pythons.find('-');
  const Result<Version> first = ParseVersion(pythons.substr(0, dash));
  const Result<Version> last =
      dash == std::string_view::npos ? first : ParseVersion(pythons.substr(dash + 1));
  if (!first || !last) return {};
  std::vector<uint32_t> minors;
  for (uint32_t minor = (*first)[1]; minor <= (*last)[1]; ++minor) minors.push_back(minor);
  const uint32_t best = PythonWithOldModules()[1];
  std::ranges::stable_sort(minors, {},
                           [&](uint32_t minor) { return minor <= best ? best - minor : minor; });
  const std::vector<Pin> asked_for = BindingPins(pins, kPython);
  const std::vector<std::pair<std::string, Version>> libraries = NewestVersions(pins);
  const auto admitted = std::ranges::find_if(minors, [&](uint32_t minor) {
    return IsAdmitted(minor, asked_for) && CanImport(minor, libraries);
  });
  return fmt::format("3.{}", admitted == minors.end() ? minors.front() : *admitted);
}

void LimitToPython(std::string_view python,
                   std::vector<std::pair<std::string, Version>>& libraries) {
  const Result<Version> version = ParseVersion(python);
  if (!version) return;
  std::erase_if(libraries, [](const auto& library) { return library.first == kPython; });
  libraries.emplace_back(kPython, *version);
  for (const auto& [package, newest] : NewestForPython(python)) {
    const auto known = std::ranges::find_if(
        libraries, [&](const auto& library) { return NamesPackage(package, library.first); });
    if (known == libraries.end()) {
      libraries.emplace_back(package, newest);
    } else {
      known->second = std::min(known->second, newest);
    }
  }
}

}  // namespace transplt
