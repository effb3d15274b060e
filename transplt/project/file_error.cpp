// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/file_error.h"

#include <string.h>

#include <array>
#include <cerrno>

namespace transplt {
namespace {

struct Meaning {
  int number;
  const char* en;
  const char* zh;
};
constexpr std::array<Meaning, 15> kMeanings = {{
    {EACCES, "permission denied; check the permissions of the file and of its folders",
     "权限不足；请检查该文件及其所在文件夹的权限"},
    {EPERM, "not permitted; check the owner and the attributes of the file",
     "操作不被允许；请检查文件的属主和属性"},
    {ENOSPC, "no space left; free some or choose a folder on another disk",
     "磁盘空间不足；请清理空间或改用其他磁盘上的文件夹"},
    {EDQUOT, "the disk quota is used up; free some space or choose another folder",
     "磁盘配额已用尽；请清理空间或改用其他文件夹"},
    {EFBIG, "larger than the file size limit; raise it (ulimit -f) or choose another disk",
     "超过文件大小上限；请调高上限（ulimit -f）或改用其他磁盘"},
    {EROFS, "the file system is read-only; choose a folder that can be written",
     "文件系统为只读；请选择可写的文件夹"},
    {ENOENT, "there is no such file or folder; check the path", "文件或文件夹不存在；请检查路径"},
    {ENOTDIR, "a part of the path is not a folder; check the path",
     "路径中的某一部分不是文件夹；请检查路径"},
    {EISDIR, "it is a folder; check the path", "这是一个文件夹；请检查路径"},
    {EEXIST, "it exists already", "该文件或文件夹已存在"},
    {ELOOP, "too many links; remove the loop", "符号链接过多；请去除循环链接"},
    {ENAMETOOLONG, "the name is too long; shorten it", "名称过长；请缩短"},
    {EMFILE, "too many open files; raise the limit (ulimit -n)",
     "打开的文件过多；请调高上限（ulimit -n）"},
    {EIO, "input/output error; check the disk", "输入输出错误；请检查磁盘"},
    {EXDEV, "on another file system", "位于另一个文件系统"},
}};

}  // namespace

Text SystemText(int number) {
  for (const Meaning& meaning : kMeanings) {
    if (meaning.number == number) return {meaning.en, meaning.zh};
  }
  const char* description = strerrordesc_np(number);
  if (description == nullptr) description = "unknown error";
  return Say("{} (error {})", "{}（错误码 {}）", description, number);
}

Error FileError(const std::string& where, const Text& what, int number, Error::Code code) {
  const Text why = SystemText(number);
  return {code, where, {what.en + ": " + why.en, what.zh + "：" + why.zh}};
}

}  // namespace transplt
