// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/file_content.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "transplt/base/cancelled.h"
#include "transplt/base/plain_text.h"
#include "transplt/project/folder_handle.h"

namespace transplt {
namespace {

constexpr off_t kBlock = off_t{1} << 20;
constexpr uintmax_t kLongestText = uintmax_t{16} << 20;

/// Where the next data of the file begins; its size if only a hole is left.
off_t NextData(int file, off_t from, off_t size) {
  const off_t found = lseek(file, from, SEEK_DATA);
  if (found >= 0) return found;
  return errno == ENXIO ? size : from;  // a file system that knows no holes
}

/// The block at `from`; an end or an error leaves it shorter.
size_t ReadBlock(int file, off_t from, std::vector<char>& block) {
  size_t filled = 0;
  while (filled < block.size()) {
    const ssize_t got = pread(file, block.data() + filled, block.size() - filled,
                              from + static_cast<off_t>(filled));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    filled += static_cast<size_t>(got);
  }
  return filled;
}

off_t SizeOf(int file) {
  struct stat status {};
  return fstat(file, &status) == 0 ? status.st_size : -1;
}

}  // namespace

bool HasEqualBytes(const std::string& first, const std::string& second,
                   const std::atomic<bool>* cancelled) {
  const FileHandle a(open(first.c_str(), O_RDONLY | O_CLOEXEC));
  const FileHandle b(open(second.c_str(), O_RDONLY | O_CLOEXEC));
  if (!a || !b) return false;
  const off_t size = SizeOf(a.get());
  if (size < 0 || SizeOf(b.get()) != size) return false;
  std::vector<char> of_a(kBlock);
  std::vector<char> of_b(kBlock);
  for (off_t at = 0; at < size; at += kBlock) {
    at = std::min(NextData(a.get(), at, size), NextData(b.get(), at, size));
    if (at >= size) return true;
    if (IsCancelled(cancelled)) return false;
    const size_t wanted = static_cast<size_t>(std::min(kBlock, size - at));
    if (ReadBlock(a.get(), at, of_a) < wanted || ReadBlock(b.get(), at, of_b) < wanted ||
        std::memcmp(of_a.data(), of_b.data(), wanted) != 0) {
      return false;
    }
  }
  return true;
}

std::optional<std::string> ReadText(const std::string& path) {
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(path, error);
  if (error || size > kLongestText) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::string text(size, '\0');
  file.read(text.data(), static_cast<std::streamsize>(size));
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.find('\0') != text.npos) return std::nullopt;
  for (size_t at = 0; at < text.size();) {
    if (!NextCharacter(text, at)) return std::nullopt;
  }
  return text;
}

}  // namespace transplt
