// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/library_releases.h"

#include <fmt/format.h>

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

}  // namespace transplt
