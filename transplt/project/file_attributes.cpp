// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/file_attributes.h"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace transplt {
namespace {

/// Only root may give a file away, and one may give it only to a group of one's own: anyone else
/// becomes the owner of the new content, as with every editor that writes this way.
bool CopyOwner(const struct stat& from, int to) {
  if (fchown(to, from.st_uid, from.st_gid) == 0) return true;
  return fchown(to, static_cast<uid_t>(-1), from.st_gid) == 0 && from.st_uid == geteuid();
}

/// Calls `read` until what it reads fits; false if it fails.
template <typename Read>
bool ReadWhole(const Read& read, std::string& value) {
  while (true) {
    const ssize_t size = read(nullptr, 0);
    if (size <= 0) return size == 0;
    value.resize(static_cast<std::size_t>(size));
    const ssize_t got = read(value.data(), value.size());
    if (got >= 0) value.resize(static_cast<std::size_t>(got));
    if (got >= 0 || errno != ERANGE) return got >= 0;
  }
}

bool CopyAttribute(int from, int to, const char* name) {
  std::string value;
  const auto read = [&](char* buffer, std::size_t size) {
    return fgetxattr(from, name, buffer, size);
  };
  if (!ReadWhole(read, value)) return errno == ENODATA;  // removed meanwhile
  return fsetxattr(to, name, value.data(), value.size(), 0) == 0;
}

/// What the user or an access control list has set. The rest belongs to the system (security.*,
/// trusted.*, system.nfs4_acl ...), which may refuse it.
bool IsOfUser(std::string_view name) {
  return name.starts_with("user.") || name.starts_with("system.posix_acl_");
}

}  // namespace

std::optional<std::string> CopyAttributes(int from, int to) {
  struct stat status {};
  if (fstat(from, &status) != 0) return "mode";
  // A program that runs as its owner must not come to run as somebody else.
  const mode_t bits = CopyOwner(status, to) ? 07777 : 01777;
  std::string names;
  const auto list = [&](char* buffer, std::size_t size) { return flistxattr(from, buffer, size); };
  if (!ReadWhole(list, names) && errno != ENOTSUP) return "xattr";
  for (std::size_t at = 0; at < names.size(); at += std::string_view(&names[at]).size() + 1) {
    const char* name = &names[at];
    if (!CopyAttribute(from, to, name) && IsOfUser(name)) return name;
  }
  // Last, because the steps before may take bits of it away.
  if (fchmod(to, status.st_mode & bits) != 0) return "mode";
  return std::nullopt;
}

}  // namespace transplt
