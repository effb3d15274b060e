// SPDX-License-Identifier: Apache-2.0
#include "transplt/batch/tree_digest.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <vector>

#include "transplt/batch/digest.h"
#include "transplt/project/file_error.h"
#include "transplt/project/folder_handle.h"
#include "transplt/project/result_manifest.h"

namespace transplt {
namespace {

bool ListNames(int root, const std::string& folder, std::vector<std::string>& names) {
  FileHandle handle = OpenBelow(root, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!handle) return false;
  const std::unique_ptr<DIR, int (*)(DIR*)> list(fdopendir(handle.get()), closedir);
  if (!list) return false;
  handle.Release();
  errno = 0;
  while (const dirent* entry = readdir(list.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  std::sort(names.begin(), names.end());
  return errno == 0;
}

class Tree {
 public:
  explicit Tree(int root) : root_(root), buffer_(size_t{1} << 16, '\0') {}

  /// False: errno says why, and at() where.
  bool Add() {
    // A stack, because a tree can be deeper than any call may go.
    std::vector<std::string> waiting(1);
    while (!waiting.empty()) {
      at_ = std::move(waiting.back());
      waiting.pop_back();
      std::vector<std::string> names;
      if (!ListNames(root_, at_, names)) return false;
      const std::string folder = at_;
      for (const std::string& name : names) {
        if (folder.empty() && (name == kManifestFile || name == kReviewFile)) continue;
        at_ = Joined(folder, name);
        if (!AddEntry(waiting)) return false;
      }
    }
    return true;
  }

  const std::string& at() const { return at_; }
  std::string Text() const { return digest_.Text(); }

 private:
  bool AddEntry(std::vector<std::string>& waiting) {
    const Place place = OpenParentBelow(root_, at_);
    struct stat status {};
    if (!place.folder ||
        fstatat(place.folder.get(), place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      return false;
    }
    digest_.AddField(at_);
    if (S_ISDIR(status.st_mode)) {
      digest_.AddField("folder");
      waiting.push_back(at_);
      return true;
    }
    if (S_ISLNK(status.st_mode)) {
      std::string target;
      if (!ReadLink(place.folder.get(), place.name, target)) return false;
      digest_.AddField("link");
      digest_.AddField(target);
      return true;
    }
    digest_.AddField((status.st_mode & S_IXUSR) != 0 ? "program" : "file");
    digest_.AddField(std::to_string(status.st_size));
    return AddContent(place);
  }

  bool AddContent(const Place& place) {
    const FileHandle file(
        openat(place.folder.get(), place.name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!file) return false;
    while (true) {
      const ssize_t got = read(file.get(), buffer_.data(), buffer_.size());
      if (got == 0) return true;
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return false;
      digest_.Add(std::string_view(buffer_).substr(0, static_cast<size_t>(got)));
    }
  }

  const int root_;
  std::string buffer_;
  std::string at_;
  Digest digest_;
};

}  // namespace

Result<std::string> DigestOfTree(const std::string& folder) {
  const Text what = Say("cannot read the result", "无法读取结果");
  const FileHandle root = OpenFolder(folder);
  if (!root) return FileError(folder, what, errno);
  Tree tree(root.get());
  if (!tree.Add()) return FileError(Joined(folder, tree.at()), what, errno);
  return tree.Text();
}

}  // namespace transplt
