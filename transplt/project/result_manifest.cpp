// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/result_manifest.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "transplt/base/json_text.h"
#include "transplt/project/folder_handle.h"
#include "transplt/project/json_path.h"

namespace transplt {
namespace {

using nlohmann::json;

constexpr int kManifestFormat = 1;

/// Written by Python whenever a result is run, and again when it is missing.
bool IsPythonCache(std::string_view path) {
  return path.ends_with(".pyc") && LastName(ParentOf(path)) == "__pycache__";
}

}  // namespace

void ResultManifest::AddFile(const std::string& path, FileContent content) {
  entries_[path] = {content.size, std::move(content.hash), 0, {}};
}

void ResultManifest::AddLargeFile(const std::string& path, uint64_t size, int64_t modified) {
  entries_[path] = {size, {}, modified, {}};
}

void ResultManifest::AddLink(const std::string& path, const std::string& target) {
  entries_[path] = {0, {}, 0, target};
}

std::string ResultManifest::ToJson() const {
  std::string text = json{{"format", kManifestFormat}, {"tool", "transplt"}}.dump();
  text.pop_back();
  text += ",\"files\":[";
  for (const char* end = "\n"; const auto& [path, entry] : entries_) {
    json file = {{"path", PathToJson(path)}};
    if (entry.link) {
      file["link"] = PathToJson(*entry.link);
    } else {
      file["size"] = entry.size;
      if (entry.hash.empty()) file["modified_ns"] = entry.modified;
      if (!entry.hash.empty()) file["xxh128"] = entry.hash;
    }
    text += std::exchange(end, ",\n") + file.dump();
  }
  return text + "\n]}\n";
}

std::optional<ResultManifest> ResultManifest::Read(int folder) {
  const FileHandle file = OpenBelow(folder, kManifestFile, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  std::string text;
  if (!file || !ReadAll(file.get(), text)) return std::nullopt;
  const json document = ParseJson(text);
  if (!document.is_object() || document.value("format", json()) != kManifestFormat)
    return std::nullopt;
  const json files = document.value("files", json());
  if (!files.is_array()) return std::nullopt;
  ResultManifest manifest;
  for (const json& item : files) {
    if (!item.is_object()) return std::nullopt;
    const std::optional<std::string> path = PathFromJson(item.value("path", json()));
    const json size = item.value("size", json());
    const json hash = item.value("xxh128", json(""));
    const json modified = item.value("modified_ns", json(0));
    if (!path) return std::nullopt;
    if (item.contains("link")) {
      std::optional<std::string> target = BytesFromJson(item["link"]);
      if (!target) return std::nullopt;
      manifest.AddLink(*path, *target);
      continue;
    }
    if (!size.is_number_unsigned() || !hash.is_string() || !modified.is_number_integer()) {
      return std::nullopt;
    }
    manifest.entries_[*path] = {
        size.get<uint64_t>(), hash.get<std::string>(), modified.get<int64_t>(), {}};
  }
  return manifest;
}

bool ResultManifest::IsAsWritten(int folder, const std::string& path) const {
  if (path == kManifestFile || IsPythonCache(path)) return true;
  const auto known = entries_.find(path);
  const Place place = OpenParentBelow(folder, path);
  struct stat status {};
  if (known == entries_.end() || !place.folder ||
      fstatat(place.folder.get(), place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return false;
  }
  const Entry& entry = known->second;
  if (S_ISLNK(status.st_mode)) {
    std::string target;
    return ReadLink(place.folder.get(), place.name, target) && entry.link == target;
  }
  if (entry.link || !S_ISREG(status.st_mode) ||
      static_cast<uint64_t>(status.st_size) != entry.size) {
    return false;
  }
  if (entry.hash.empty()) return ModifiedAt(status) == entry.modified;
  const FileHandle file =
      OpenBelow(place.folder.get(), place.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  std::string bytes;
  return file && ReadAll(file.get(), bytes) && ContentOf(bytes).hash == entry.hash;
}

void ResultManifest::Walk(int folder,
                          const std::function<bool(const std::string&, bool is_read)>& visit) {
  std::vector<std::string> folders = {""};
  while (!folders.empty()) {
    const std::string path = std::move(folders.back());
    folders.pop_back();
    FileHandle handle = OpenBelow(folder, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    const std::unique_ptr<DIR, int (*)(DIR*)> list(fdopendir(handle.get()), closedir);
    if (!list && !visit(path, false)) return;
    if (!list) continue;
    handle.Release();
    while (true) {
      errno = 0;
      const dirent* entry = readdir(list.get());
      if (entry == nullptr && errno != 0 && !visit(path, false)) return;
      if (entry == nullptr) break;
      const std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      struct stat status {};
      const bool is_read =
          fstatat(dirfd(list.get()), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0;
      if (is_read && S_ISDIR(status.st_mode)) {
        folders.push_back(Joined(path, name));
      } else if (!visit(Joined(path, name), is_read)) {
        return;
      }
    }
  }
}

bool ResultManifest::HasForeignContent(int folder) const {
  bool has = false;
  Walk(folder, [&](const std::string& path, bool is_read) {
    has = !is_read || !IsAsWritten(folder, path);
    return !has;
  });
  return has;
}

std::vector<std::string> ResultManifest::Differences(int folder) const {
  std::set<std::string> missing;
  for (const auto& [path, entry] : entries_) missing.insert(path);
  std::set<std::string> different;
  Walk(folder, [&](const std::string& path, bool is_read) {
    missing.erase(path);
    if (!is_read || !IsAsWritten(folder, path)) different.insert(path);
    return true;
  });
  different.merge(missing);
  return {different.begin(), different.end()};
}

}  // namespace transplt
