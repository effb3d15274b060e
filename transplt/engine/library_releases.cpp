// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/library_releases.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "transplt/base/json_document.h"
#include "transplt/base/json_object_reader.h"
#include "transplt/base/requirement.h"

namespace transplt {

std::string_view LibraryReleasesText();  // generated from rules/library_releases.json

namespace {

class LibraryReleaseReader : private JsonObjectReader {
 public:
  LibraryReleaseReader(const JsonDocument& document, const JsonValue& object)
      : JsonObjectReader(document, object) {}

  Result<LibraryRelease> Read() {
    LibraryRelease release;
    release.package = String("package");
    release.text = String("version");
    release.beside = String("with", false);
    const JsonValue* last = Member("last", JsonValue::Type::kBoolean, false);
    release.is_last = last != nullptr && last->boolean();
    String("why");
    RefuseUnknown();
    const Result<Version> version = ParseVersion(release.text);
    if (!error() && !version) Fail(object(), version.error().what);
    if (error()) return *error();
    release.version = *version;
    return release;
  }
};

Result<std::vector<LibraryRelease>> ReadLibraryReleases() {
  const Result<JsonDocument> document =
      JsonDocument::Parse("rules/library_releases.json", LibraryReleasesText());
  if (!document) return document.error();
  const JsonValue* list = document->root().Find("releases");
  std::vector<LibraryRelease> releases;
  for (const JsonValue* object : list->children()) {
    Result<LibraryRelease> release = LibraryReleaseReader(*document, *object).Read();
    if (!release) return release.error();
    releases.push_back(*std::move(release));
  }
  return releases;
}

using VersionsByName =
    std::map<std::string, std::vector<std::pair<std::string, Version>>, std::less<>>;

/// Versions of packages by the Python, or another name, under which `key` has them.
Result<VersionsByName> ReadVersions(std::string_view key) {
  const Result<JsonDocument> document =
      JsonDocument::Parse("rules/library_releases.json", LibraryReleasesText());
  if (!document) return document.error();
  VersionsByName all;
  const JsonValue* pythons = document->root().Find(key);
  for (const JsonValue* python : pythons->children()) {
    for (const JsonValue* package : python->children()) {
      const Result<Version> version = ParseVersion(package->string());
      if (!version) return version.error();
      all[python->key()].emplace_back(package->key(), *version);
    }
  }
  return all;
}

}  // namespace

Text LibraryRelease::Name() const {
  if (text.empty()) {
    return Say("the newest {}", "最新的 {}", package);
  }
  const std::string pinned = fmt::format("{}=={}", package, text);
  if (beside.empty()) return {pinned, pinned};
  return Say("{} with {}", "{} 与 {}", pinned, beside);
}

std::vector<LibraryRelease> ReleasesOf(std::string_view package) {
  static const Result<std::vector<LibraryRelease>> all = ReadLibraryReleases();
  if (!all) RefuseOwnTable(all.error());
  std::vector<LibraryRelease> releases;
  for (const LibraryRelease& release : *all) {
    if (NamesPackage(release.package, package)) releases.push_back(release);
  }
  if (!releases.empty() && !releases.back().is_last) {
    releases.push_back({releases.front().package, "", kNewestVersion, ""});
  }
  return releases;
}

std::vector<std::pair<std::string, Version>> NewestForPython(std::string_view python) {
  static const Result<VersionsByName> all = ReadVersions("newest_for_python");
  if (!all) RefuseOwnTable(all.error());
  const auto found = all->find(python);
  return found == all->end() ? std::vector<std::pair<std::string, Version>>() : found->second;
}

std::vector<std::pair<std::string, Version>> FirstForPython(std::string_view python) {
  static const Result<VersionsByName> all = ReadVersions("first_for_python");
  if (!all) RefuseOwnTable(all.error());
  const auto found = all->find(python);
  return found == all->end() ? std::vector<std::pair<std::string, Version>>() : found->second;
}

Version PythonWithOldModules() {
  static const Result<Version> version = [] {
    const Result<JsonDocument> document =
        JsonDocument::Parse("rules/library_releases.json", LibraryReleasesText());
    if (!document) return Result<Version>(document.error());
    return ParseVersion(document->root().Find("python_with_old_modules")->string());
  }();
  if (!version) RefuseOwnTable(version.error());
  return *version;
}

std::vector<OlderRelease> OlderReleasesFor(std::string_view python) {
  static const Result<VersionsByName> all = ReadVersions("older_releases");
  if (!all) RefuseOwnTable(all.error());
  const auto oldest = all->find(python);
  if (oldest == all->end()) return {};
  const auto numpy_2 = all->find("numpy 2");
  std::vector<OlderRelease> releases;
  for (const auto& [package, version] : oldest->second) {
    OlderRelease release{package, version};
    const auto found = std::ranges::find_if(
        numpy_2->second, [&](const auto& built) { return built.first == release.package; });
    if (found != numpy_2->second.end()) release.numpy_2 = found->second;
    releases.push_back(std::move(release));
  }
  return releases;
}

}  // namespace transplt
