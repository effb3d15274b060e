// SPDX-License-Identifier: Apache-2.0
#include "transplt/batch/archive_plugin.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <clocale>
#include <memory>
#include <utility>
#include <vector>

#include "transplt/base/plain_text.h"
#include "transplt/project/file_error.h"
#include "transplt/project/folder_handle.h"

namespace transplt {
namespace {

constexpr size_t kBlock = size_t{1} << 16;

struct CloseArchive {
  void operator()(archive* opened) const { archive_read_free(opened); }
};

/// One archive on its way to the disk. While files are written no link exists in the folder, so
/// that no path can lead out of it.
class Unpacking {
 public:
  Unpacking(const std::string& path, int root, const ArchiveLimits& limits)
      : path_(path), root_(root), limits_(limits), archive_(archive_read_new()) {}

  Result<Done> Run() {
    // Names in tar and zip archives are UTF-8, or bytes that are taken as they are.
    setlocale(LC_CTYPE, "C.UTF-8");
    archive* const from = archive_.get();
    archive_read_support_filter_gzip(from);
    archive_read_support_filter_bzip2(from);
    archive_read_support_filter_xz(from);
    archive_read_support_filter_zstd(from);
    archive_read_support_format_tar(from);
    archive_read_support_format_zip(from);
    if (archive_read_open_filename(from, path_.c_str(), kBlock) != ARCHIVE_OK) return Damaged();
    archive_entry* entry = nullptr;
    int code = ARCHIVE_OK;
    while ((code = archive_read_next_header(from, &entry)) == ARCHIVE_OK || code == ARCHIVE_WARN) {
      if (++entries_ > limits_.files) {
        return Refusal(
            Say("holds more than {} files; if it is to be trusted, raise "
                "--archive-files",
                "包含超过 {} 个文件; 如可信任, 请调高 --archive-files", limits_.files));
      }
      if (const Result<Done> done = Take(entry); !done) return done.error();
    }
    if (code != ARCHIVE_EOF) return Damaged();
    return MakeLinks();
  }

 private:
  Error Refusal(Text what) const { return {Error::Code::kBadInput, path_, std::move(what)}; }

  Error Damaged() const {
    const char* text = archive_error_string(archive_.get());
    return Refusal(
        Say("cannot be unpacked: {}", "无法解压: {}", text == nullptr ? "unknown error" : text));
  }

  Error CannotWrite(const std::string& name, int number) const {
    return FileError(
        path_, Say("cannot unpack {}", "无法解压 {}", OneLine(name)), number,
        number == EEXIST || number == ENOENT || number == ENOTDIR || number == ENAMETOOLONG
            ? Error::Code::kBadInput
            : Error::Code::kIo);
  }

  /// A path in the archive without "./" and "/" at its end; an Error if it leads out.
  Result<std::string> Inside(const char* text) const {
    if (text == nullptr) {
      return Refusal(Say("holds a name that is not UTF-8", "包含非 UTF-8 的文件名"));
    }
    std::string name = text;
    while (name.starts_with("./")) name.erase(0, 2);
    while (name.ends_with('/') && name.size() > 1) name.pop_back();
    if (name.empty() || name == ".") return std::string();
    if (IsPlainPath(name)) return name;
    return Refusal(Say("holds the path {}, which leads out of the archive: it is not unpacked",
                       "包含路径 {}, 指向压缩包之外: 不予解压", OneLine(name)));
  }

  Result<Done> Take(archive_entry* entry) {
    const Result<std::string> name = Inside(archive_entry_pathname(entry));
    if (!name) return name.error();
    if (name->empty()) return Done();
    if (const char* other = archive_entry_hardlink(entry)) return TakeHardLink(*name, other);
    switch (archive_entry_filetype(entry)) {
      case AE_IFDIR:
        if (!MakeFoldersBelow(root_, *name, 0777)) return CannotWrite(*name, errno);
        return Done();
      case AE_IFREG:
        return WriteFile(*name, entry);
      case AE_IFLNK: {
        const char* target = archive_entry_symlink(entry);
        if (target == nullptr || *target == '\0') return Damaged();
        links_.emplace_back(*name, target);
        return Done();
      }
      default:
        return Refusal(Say("holds {}, which is neither a file nor a folder nor a link",
                           "包含 {}, 既非文件, 也非文件夹或链接", OneLine(*name)));
    }
  }

  Result<Done> TakeHardLink(const std::string& name, const char* other) {
    const Result<std::string> target = Inside(other);
    if (!target) return target.error();
    const Place from = OpenParentBelow(root_, *target);
    if (!from.folder || !MakeFoldersBelow(root_, ParentOf(name), 0777)) {
      return CannotWrite(name, errno);
    }
    const Place to = OpenParentBelow(root_, name);
    if (!to.folder ||
        linkat(from.folder.get(), from.name.c_str(), to.folder.get(), to.name.c_str(), 0) != 0) {
      // What it names may be a link, which is made last.
      return CannotWrite(name, errno);
    }
    return Done();
  }

  Result<Done> WriteFile(const std::string& name, archive_entry* entry) {
    if (!MakeFoldersBelow(root_, ParentOf(name), 0777)) return CannotWrite(name, errno);
    // tar -r appends newer versions of a file; the last one counts. A hard link stays as it was.
    const Place place = OpenParentBelow(root_, name);
    if (!place.folder) return CannotWrite(name, errno);
    unlinkat(place.folder.get(), place.name.c_str(), 0);
    FileHandle file(openat(place.folder.get(), place.name.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                           (archive_entry_perm(entry) & 0777) | 0600));
    if (!file) return CannotWrite(name, errno);
    while (true) {
      const la_ssize_t got = archive_read_data(archive_.get(), block_.data(), block_.size());
      if (got < 0) return Damaged();
      if (got == 0) break;
      bytes_ += static_cast<uint64_t>(got);
      if (bytes_ > limits_.bytes) {
        return Refusal(
            Say("holds more than {} bytes; if it is to be trusted, raise "
                "--archive-size",
                "解压后超过 {} 字节; 如可信任, 请调高 --archive-size", limits_.bytes));
      }
      if (!WriteAll(file.get(), std::string_view(block_).substr(0, static_cast<size_t>(got)))) {
        return CannotWrite(name, errno);
      }
    }
    if (!file.Close()) return CannotWrite(name, errno);
    return Done();
  }

  /// First the folders of all links, then the links: none can stand on the way to another.
  Result<Done> MakeLinks() {
    for (const auto& [name, target] : links_) {
      if (!MakeFoldersBelow(root_, ParentOf(name), 0777)) return CannotWrite(name, errno);
    }
    for (const auto& [name, target] : links_) {
      const Place place = OpenParentBelow(root_, name);
      if (place.folder && symlinkat(target.c_str(), place.folder.get(), place.name.c_str()) == 0) {
        continue;
      }
      if (!place.folder || errno != EEXIST) return CannotWrite(name, errno);
      return Refusal(Say("holds {} as a link and as something else: it is not unpacked",
                         "{} 既是链接又是其他内容: 不予解压", OneLine(name)));
    }
    return Done();
  }

  const std::string& path_;
  const int root_;
  const ArchiveLimits& limits_;
  std::unique_ptr<archive, CloseArchive> archive_;
  std::vector<std::pair<std::string, std::string>> links_;  // name and target
  uint64_t entries_ = 0;
  uint64_t bytes_ = 0;
  std::string block_ = std::string(kBlock, '\0');
};

Result<Done> Unpack(const std::string& path, const std::string& folder,
                    const ArchiveLimits& limits) {
  const FileHandle root = OpenFolder(folder);
  if (!root) return FileError(folder, Say("cannot unpack into", "无法解压到"), errno);
  return Unpacking(path, root.get(), limits).Run();
}

}  // namespace
}  // namespace transplt

transplt::UnpackFunction transplt_unpack_archive() { return transplt::Unpack; }
