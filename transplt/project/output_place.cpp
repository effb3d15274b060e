// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/output_place.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "transplt/project/file_error.h"
#include "transplt/project/folder_handle.h"
#include "transplt/project/result_manifest.h"

namespace transplt {
namespace {

using Identity = std::pair<dev_t, ino_t>;

std::optional<Identity> IdentityOf(const std::filesystem::path& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return Identity(status.st_dev, status.st_ino);
}

/// `path` with all links of its existing part resolved.
Result<std::filesystem::path> Resolved(const std::string& path) {
  std::error_code error;
  std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (!error) absolute = std::filesystem::weakly_canonical(absolute, error);
  if (error) return FileError(path, Say("cannot use the path", "无法使用该路径"), error.value());
  return absolute;
}

/// True if `path`, resolved, is `folder` or lies below it.
bool IsInside(std::filesystem::path path, const Identity& folder) {
  while (true) {
    if (IdentityOf(path) == folder) return true;
    if (!path.has_relative_path()) return false;
    path = path.parent_path();
  }
}

/// True for what transplt has written, and for a folder that holds nothing.
bool MayReplace(const std::string& target) {
  const FileHandle folder = OpenFolder(target);
  std::error_code error;
  return (folder && ResultManifest::Read(folder.get())) ||
         (std::filesystem::is_empty(target, error) && !error);
}

Result<Done> CheckTaken(const std::string& target, bool force) {
  struct stat status {};
  if (lstat(target.c_str(), &status) != 0) {
    if (errno == ENOENT) return Done{};
    return FileError(target, Say("cannot use the path", "无法使用该路径"), errno);
  }
  if (!S_ISDIR(status.st_mode)) {
    return Error{Error::Code::kUsage, target,
                 Say("exists and is not a folder; remove it or choose another output folder",
                     "已存在且不是文件夹；请删除它或选择其他输出文件夹")};
  }
  if (force && MayReplace(target)) return Done{};
  if (force) {
    return Error{Error::Code::kUsage, target,
                 Say("was not written by transplt (it holds no complete {}), so --force does not "
                     "replace it; move it away or choose another output folder",
                     "不是由 transplt 写出的（其中没有完整的 {}），因此 --force "
                     "不会覆盖它；请将其移走或选择其他输出文件夹",
                     kManifestFile)};
  }
  return Error{Error::Code::kUsage, target,
               Say("exists already; give --force to replace it, or choose another output folder",
                   "已存在；请使用 --force 覆盖，或选择其他输出文件夹")};
}

}  // namespace

Result<Done> CheckOutputPlace(const std::string& out_dir, const std::string& name,
                              const std::string& input, bool force) {
  const Result<std::filesystem::path> out = Resolved(out_dir);
  if (!out) return out.error();
  const Result<std::filesystem::path> in = Resolved(input);
  if (!in) return in.error();
  const std::optional<Identity> in_identity = IdentityOf(*in);
  if (!in_identity) {
    return FileError(input, Say("cannot read the input", "无法读取输入"), errno);
  }
  if (std::filesystem::is_directory(*in) && IsInside(*out, *in_identity)) {
    return Error{Error::Code::kUsage, out_dir,
                 Say("the output folder lies in the input \"{}\"; choose one outside of it",
                     "输出文件夹位于输入 \"{}\" 之内；请选择其外部的文件夹", input)};
  }
  const std::optional<Identity> target = IdentityOf(*out / name);
  if (target && IsInside(*in, *target)) {
    return Error{Error::Code::kUsage, out_dir,
                 Say("the input \"{}\" lies in \"{}\", which would be replaced; choose another "
                     "output folder",
                     "输入 \"{}\" 位于将被替换的 \"{}\" 之内；请选择其他输出文件夹", input,
                     (*out / name).string())};
  }
  return CheckTaken((*out / name).string(), force);
}

Result<std::vector<std::string>> CreateFolders(const std::string& folder) {
  std::vector<std::string> missing;
  struct stat status {};
  std::filesystem::path path(folder);
  if (!path.has_filename()) path = path.parent_path();  // "out/"
  while (!path.empty() && stat(path.c_str(), &status) != 0 && errno == ENOENT) {
    missing.push_back(path.string());
    path = path.parent_path();
  }
  std::vector<std::string> created;
  for (auto it = missing.rbegin(); it != missing.rend(); ++it) {
    if (mkdir(it->c_str(), 0777) == 0) {
      created.push_back(*it);
    } else if (errno != EEXIST) {
      const int number = errno;
      for (auto made = created.rbegin(); made != created.rend(); ++made) rmdir(made->c_str());
      return FileError(*it, Say("cannot create the folder", "无法创建文件夹"), number);
    }
  }
  return created;
}

}  // namespace transplt
