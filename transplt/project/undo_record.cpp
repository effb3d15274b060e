// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/undo_record.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "transplt/base/json_text.h"
#include "transplt/project/folder_handle.h"
#include "transplt/project/json_path.h"

namespace transplt {
namespace {

using nlohmann::json;

constexpr int kUndoFormat = 2;

json ToJson(const FileContent& content) {
  return {{"size", content.size}, {"xxh128", content.hash}};
}

std::optional<FileContent> ContentFrom(const json& value) {
  if (!value.is_object()) return std::nullopt;
  const json size = value.value("size", json());
  const json hash = value.value("xxh128", json());
  if (!size.is_number_unsigned() || !hash.is_string()) return std::nullopt;
  return FileContent{size.get<uint64_t>(), hash.get<std::string>()};
}

std::optional<UndoEntry> EntryFrom(const json& value) {
  if (!value.is_object()) return std::nullopt;
  std::optional<std::string> path = PathFromJson(value.value("path", json()));
  std::optional<FileContent> before = ContentFrom(value.value("before", json()));
  std::optional<FileContent> after = ContentFrom(value.value("after", json()));
  if (!path || !before || !after || before == after) return std::nullopt;
  return UndoEntry{*std::move(path), *std::move(before), *std::move(after)};
}

}  // namespace

bool WriteUndoRecord(int journal, const UndoRecord& record) {
  json files = json::array();
  for (const UndoEntry& entry : record.files) {
    files.push_back({{"path", PathToJson(entry.path)},
                     {"before", ToJson(entry.before)},
                     {"after", ToJson(entry.after)}});
  }
  const json document = {
      {"format", kUndoFormat}, {"undone", record.is_undone}, {"files", std::move(files)}};
  const std::string draft = std::string(kUndoRecord) + kUnfinished;
  FileHandle file =
      OpenBelow(journal, draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK, 0600);
  return file && WriteAll(file.get(), document.dump(1) + "\n") && file.Close() &&
         renameat(journal, draft.c_str(), journal, kUndoRecord) == 0;
}

std::optional<UndoRecord> ReadUndoRecord(int journal) {
  const FileHandle file = OpenBelow(journal, kUndoRecord, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  std::string text;
  if (!file || !ReadAll(file.get(), text)) return std::nullopt;
  const json document = ParseJson(text);
  if (!document.is_object() || document.value("format", json()) != kUndoFormat) return std::nullopt;
  const json undone = document.value("undone", json());
  const json files = document.value("files", json());
  if (!undone.is_boolean() || !files.is_array()) return std::nullopt;
  UndoRecord record{{}, undone.get<bool>()};
  for (const json& file_of_run : files) {
    std::optional<UndoEntry> entry = EntryFrom(file_of_run);
    if (!entry) return std::nullopt;
    record.files.push_back(*std::move(entry));
  }
  return record;
}

std::vector<std::string> UndoNumbers(int folder, std::string_view ending) {
  std::vector<std::string> numbers;
  FileHandle handle = OpenBelow(folder, "", O_RDONLY | O_DIRECTORY);
  const std::unique_ptr<DIR, int (*)(DIR*)> list(fdopendir(handle.get()), closedir);
  if (!list) return numbers;
  handle.Release();
  while (const dirent* entry = readdir(list.get())) {
    std::string name = entry->d_name;
    if (!name.ends_with(ending)) continue;
    name.resize(name.size() - ending.size());
    const bool is_number = !name.empty() && name.size() <= 9 &&
                           name.find_first_not_of("0123456789") == std::string::npos;
    if (is_number) numbers.push_back(std::move(name));
  }
  std::sort(numbers.begin(), numbers.end(), [](const std::string& a, const std::string& b) {
    return std::atoi(a.c_str()) < std::atoi(b.c_str());
  });
  return numbers;
}

void RemoveUnfinished(int folder) {
  for (const std::string& number : UndoNumbers(folder, kUnfinished)) {
    RemoveTree(folder, number + kUnfinished);
  }
}

void RemoveUndoFolderIfEmpty(int root) {
  const FileHandle folder = OpenBelow(root, kUndoFolder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!folder) return;
  for (const char* ending : {"", kUnfinished}) {
    if (!UndoNumbers(folder.get(), ending).empty()) return;
  }
  unlinkat(folder.get(), ".gitignore", 0);
  unlinkat(root, kUndoFolder, AT_REMOVEDIR);  // unless a person has put something there
}

}  // namespace transplt
