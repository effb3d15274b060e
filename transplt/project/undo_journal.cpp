// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/undo_journal.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "transplt/project/file_error.h"
#include "transplt/project/in_place.h"

namespace transplt {
namespace {

using nlohmann::json;

constexpr const char* kFolder = ".transplt-undo";
constexpr const char* kJournal = "journal.json";
constexpr const char* kFiles = "files/";

std::string HashOf(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

/// JSON text is UTF-8 and a file name need not be: such a name becomes a list of bytes.
json PathToJson(const std::string& path) {
  const bool is_text =
      json::parse(json(path).dump(-1, ' ', false, json::error_handler_t::ignore)) == json(path);
  if (is_text) return path;
  return std::vector<uint8_t>(path.begin(), path.end());
}

std::optional<std::string> PathFromJson(const json& value) {
  std::string path;
  if (value.is_string()) {
    path = value.get<std::string>();
  } else if (value.is_array()) {
    for (const json& byte : value) {
      if (!byte.is_number_unsigned() || byte.get<uint64_t>() > 255) return std::nullopt;
      path += static_cast<char>(byte.get<uint8_t>());
    }
  }
  if (!IsPlainPath(path)) return std::nullopt;
  return path;
}

/// The numbered journals in a .transplt-undo folder; `sealed` leaves out unfinished ones.
std::vector<std::string> Numbers(int folder, bool sealed) {
  std::vector<std::string> numbers;
  FileHandle handle = OpenBelow(folder, "", O_RDONLY | O_DIRECTORY);
  const std::unique_ptr<DIR, int (*)(DIR*)> list(fdopendir(handle.get()), closedir);
  if (!list) return numbers;
  handle.Release();
  while (const dirent* entry = readdir(list.get())) {
    const std::string name = entry->d_name;
    if (name.find_first_not_of("0123456789") != name.npos || name.size() > 9) continue;
    const bool done = faccessat(folder, (name + "/" + kJournal).c_str(), F_OK, 0) == 0;
    if (done || !sealed) numbers.push_back(name);
  }
  std::sort(numbers.begin(), numbers.end(), [](const std::string& a, const std::string& b) {
    return std::atoi(a.c_str()) < std::atoi(b.c_str());
  });
  return numbers;
}

/// Reads the regular file `relative` below `folder`; errno says why it cannot.
bool ReadBelow(int folder, const std::string& relative, std::string& bytes) {
  const FileHandle file = OpenBelow(folder, relative, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  return file && ReadAll(file.get(), bytes);
}

bool WriteNew(int folder, const std::string& relative, std::string_view bytes) {
  FileHandle file = OpenBelow(folder, relative, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  return file && WriteAll(file.get(), bytes) && file.Close();
}

Text CannotKeep() {
  return Say("cannot keep the original for undo; nothing was changed",
             "无法为撤销操作保存原文件；未作任何修改");
}

}  // namespace

UndoJournal::UndoJournal(FileHandle root, FileHandle journals, std::string number, std::string path)
    : root_(std::move(root)),
      journals_(std::move(journals)),
      folder_(OpenBelow(journals_.get(), number, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)),
      number_(std::move(number)),
      path_(std::move(path)) {}

UndoJournal::~UndoJournal() {
  if (!journals_ || sealed_) return;
  RemoveTree(journals_.get(), number_);
  if (!Numbers(journals_.get(), false).empty()) return;
  unlinkat(journals_.get(), ".gitignore", 0);
  unlinkat(root_.get(), kFolder, AT_REMOVEDIR);
}

Result<UndoJournal> UndoJournal::Begin(const std::string& root) {
  const std::string where = root + "/" + kFolder;
  FileHandle handle = OpenFolder(root);
  if (!handle) return FileError(root, CannotKeep(), errno);
  if (mkdirat(handle.get(), kFolder, 0777) != 0 && errno != EEXIST) {
    return FileError(where, CannotKeep(), errno);
  }
  FileHandle journals = OpenBelow(handle.get(), kFolder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!journals) return FileError(where, CannotKeep(), errno);
  // So that git does not offer it for a commit.
  if (!WriteNew(journals.get(), ".gitignore", "*\n") && errno != EEXIST) {
    return FileError(where, CannotKeep(), errno);
  }
  const std::vector<std::string> numbers = Numbers(journals.get(), false);
  int next = numbers.empty() ? 1 : std::atoi(numbers.back().c_str()) + 1;
  std::string number = fmt::format("{:04}", next);
  while (mkdirat(journals.get(), number.c_str(), 0700) != 0) {
    if (errno != EEXIST) return FileError(where, CannotKeep(), errno);
    number = fmt::format("{:04}", ++next);  // another run was faster
  }
  const std::string path = where + "/" + number;
  UndoJournal journal(std::move(handle), std::move(journals), std::move(number), path);
  if (!journal.folder_) return FileError(path, CannotKeep(), errno);
  return journal;
}

Result<Done> UndoJournal::Save(const std::string& relative, std::string_view before,
                               std::string_view after) {
  std::string now;
  struct stat status {};
  const FileHandle file = OpenBelow(root_.get(), relative, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!file || fstat(file.get(), &status) != 0 || !ReadAll(file.get(), now)) {
    return FileError(relative, CannotKeep(), errno);
  }
  if (now != before) {
    return Error{Error::Code::kBadInput, relative,
                 Say("was changed while it was being migrated; run again",
                     "在迁移过程中被修改；请重新运行")};
  }
  const std::string kept = kFiles + relative;
  if (!MakeFoldersBelow(folder_.get(), ParentOf(kept), 0700) ||
      !WriteNew(folder_.get(), kept, before)) {
    return FileError(path_ + "/" + kept, CannotKeep(), errno);
  }
  kept_.push_back({relative, status.st_mode & 07777, before.size(), after.size(), HashOf(after)});
  return Done{};
}

Result<Done> UndoJournal::Seal() {
  json files = json::array();
  for (const Kept& kept : kept_) {
    files.push_back({{"path", PathToJson(kept.path)},
                     {"mode", fmt::format("{:04o}", kept.mode)},
                     {"size", kept.size},
                     {"after_size", kept.after_size},
                     {"after_xxh128", kept.after_hash}});
  }
  const std::string text = json{{"format", 1}, {"files", std::move(files)}}.dump(1) + "\n";
  const std::string draft = std::string(kJournal) + ".partial";
  if (!WriteNew(folder_.get(), draft, text) ||
      renameat(folder_.get(), draft.c_str(), folder_.get(), kJournal) != 0) {
    return FileError(path_ + "/" + kJournal, CannotKeep(), errno);
  }
  sealed_ = true;
  return Done{};
}

Result<std::vector<UndoJournal::Kept>> UndoJournal::Read(const std::string& where,
                                                         const std::string& text) {
  const Error damaged{Error::Code::kBadInput, where,
                      Say("the undo journal is damaged; the originals lie beside it in files/",
                          "撤销日志已损坏；原文件位于其旁的 files/ 中")};
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object() || document.value("format", json()) != 1) return damaged;
  const json files = document.value("files", json());
  if (!files.is_array()) return damaged;
  std::vector<Kept> result;
  for (const json& file : files) {
    if (!file.is_object()) return damaged;
    const std::optional<std::string> path = PathFromJson(file.value("path", json()));
    const json mode = file.value("mode", json());
    const json size = file.value("size", json());
    const json after_size = file.value("after_size", json());
    const json hash = file.value("after_xxh128", json());
    if (!path || !mode.is_string() || !size.is_number_unsigned() ||
        !after_size.is_number_unsigned() || !hash.is_string()) {
      return damaged;
    }
    const unsigned long bits = std::strtoul(mode.get<std::string>().c_str(), nullptr, 8);
    result.push_back({*path, static_cast<mode_t>(bits & 07777), size.get<uint64_t>(),
                      after_size.get<uint64_t>(), hash.get<std::string>()});
  }
  return result;
}

/// Puts one file back; says why not if it does not.
std::optional<Text> UndoJournal::PutBack(const std::string& root, const Kept& kept) const {
  std::string before;
  if (!ReadBelow(folder_.get(), kFiles + kept.path, before)) return SystemText(errno);
  if (before.size() != kept.size) {
    return Say("the kept original is damaged", "所保存的原文件已损坏");
  }
  std::string now;
  if (!ReadBelow(root_.get(), kept.path, now)) {
    if (errno == ENOENT) return Say("was removed since the migration", "迁移之后已被删除");
    return SystemText(errno);
  }
  if (now != before && (now.size() != kept.after_size || HashOf(now) != kept.after_hash)) {
    return Say("was changed since the migration; its original is \"{}\"",
               "迁移之后已被修改；其原文件为 \"{}\"", path_ + "/" + kFiles + kept.path);
  }
  if (now != before) {
    const Result<Done> replaced = AtomicReplace(root + "/" + kept.path, before);
    if (!replaced) return replaced.error().what;
  }
  const FileHandle file = OpenBelow(root_.get(), kept.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0) return SystemText(errno);
  if ((status.st_mode & 07777) == kept.mode) return std::nullopt;
  if (fchmod(file.get(), kept.mode) != 0) return SystemText(errno);
  return std::nullopt;
}

Result<UndoJournal::Restored> UndoJournal::Restore(const std::string& root) {
  const std::string where = root + "/" + kFolder;
  const Text cannot = Say("cannot undo", "无法撤销");
  FileHandle handle = OpenFolder(root);
  if (!handle) return FileError(root, cannot, errno);
  FileHandle journals = OpenBelow(handle.get(), kFolder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!journals && errno != ENOENT) return FileError(where, cannot, errno);
  const std::vector<std::string> numbers =
      journals ? Numbers(journals.get(), true) : std::vector<std::string>();
  if (numbers.empty()) {
    return Error{Error::Code::kUsage, where,
                 Say("there is no migration to undo here", "此处没有可撤销的迁移")};
  }
  UndoJournal journal(std::move(handle), std::move(journals), numbers.back(),
                      where + "/" + numbers.back());
  journal.sealed_ = true;  // stays, unless all goes well
  const std::string name = journal.path_ + "/" + kJournal;
  std::string text;
  if (!ReadBelow(journal.folder_.get(), kJournal, text)) return FileError(name, cannot, errno);
  const Result<std::vector<Kept>> kept = Read(name, text);
  if (!kept) return kept.error();
  Restored restored;
  std::set<std::string_view> folders;
  for (const Kept& file : *kept) {
    if (folders.insert(ParentOf(file.path)).second) {
      RemoveLeftovers(Joined(root, ParentOf(file.path)));
    }
    if (std::optional<Text> reason = journal.PutBack(root, file)) {
      restored.refusals.push_back({file.path, *std::move(reason)});
    } else {
      restored.files.push_back(file.path);
    }
  }
  journal.sealed_ = !restored.refusals.empty();
  return restored;
}

}  // namespace transplt
