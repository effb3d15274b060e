// SPDX-License-Identifier: Apache-2.0
#include "transplt/dump/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace transplt {
namespace {

class FileSource : public ByteSource {
 public:
  FileSource(int file, uint64_t size) : file_(file), size_(size) {}
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  ~FileSource() override { close(file_); }

  uint64_t size() const override { return size_; }

  bool Read(uint64_t offset, void* to, size_t size) const override {
    auto* at = static_cast<char*>(to);
    while (size > 0) {
      const ssize_t got = pread(file_, at, size, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      at += got;
      offset += static_cast<uint64_t>(got);
      size -= static_cast<size_t>(got);
    }
    return true;
  }

 private:
  int file_;
  uint64_t size_;
};

}  // namespace

std::string ByteSource::Text(uint64_t offset, size_t size) const {
  if (offset >= this->size()) return {};
  std::string text(std::min<uint64_t>(size, this->size() - offset), '\0');
  if (!Read(offset, text.data(), text.size())) text.clear();
  return text;
}

Result<std::unique_ptr<ByteSource>> OpenFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  if (file < 0 || fstat(file, &status) != 0) {
    const std::string why = std::generic_category().message(errno);
    if (file >= 0) close(file);
    return Error{Error::Code::kIo, path, Say("cannot be read: {}", "无法读取：{}", why)};
  }
  if (!S_ISREG(status.st_mode)) {
    close(file);
    return Error{Error::Code::kIo, path, Say("is no plain file", "不是普通文件")};
  }
  return std::unique_ptr<ByteSource>(
      std::make_unique<FileSource>(file, static_cast<uint64_t>(status.st_size)));
}

bool MemorySource::Read(uint64_t offset, void* to, size_t size) const {
  if (offset > bytes_.size() || size > bytes_.size() - offset) return false;
  if (size > 0) std::memcpy(to, bytes_.data() + offset, size);
  return true;
}

}  // namespace transplt
