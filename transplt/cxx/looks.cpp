// SPDX-License-Identifier: Apache-2.0
#include "transplt/cxx/looks.h"

#include <link.h>
#include <llvm/Support/MemoryBuffer.h>

#include <memory>
#include <utility>

#include "transplt/base/path_state.h"

namespace transplt {
namespace {

constexpr std::string_view kPresent = "file";

int AddLibrary(dl_phdr_info* library, size_t, void* looks) {
  const std::string path = library->dlpi_name;
  if (path.find('/') != std::string::npos) {
    static_cast<Looks*>(looks)->Add(path, PathState(path, Look::kAttributes));
  }
  return 0;
}

class NotedFile : public llvm::vfs::File {
 public:
  NotedFile(std::unique_ptr<llvm::vfs::File> file, std::string path, Looks& looks)
      : file_(std::move(file)), path_(std::move(path)), looks_(looks) {}

  llvm::ErrorOr<llvm::vfs::Status> status() override { return file_->status(); }
  llvm::ErrorOr<std::string> getName() override { return file_->getName(); }
  std::error_code close() override { return file_->close(); }

  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine& name,
                                                               int64_t size, bool terminated,
                                                               bool is_volatile) override {
    auto buffer = file_->getBuffer(name, size, terminated, is_volatile);
    if (buffer) {
      looks_.Add(path_, FingerprintOf({(*buffer)->getBufferStart(), (*buffer)->getBufferSize()}));
    }
    return buffer;
  }

 private:
  std::unique_ptr<llvm::vfs::File> file_;
  const std::string path_;
  Looks& looks_;
};

class NotedFileSystem : public llvm::vfs::ProxyFileSystem {
 public:
  explicit NotedFileSystem(Looks& looks)
      : ProxyFileSystem(llvm::vfs::getRealFileSystem()), looks_(looks) {}

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& path) override {
    auto found = ProxyFileSystem::status(path);
    looks_.Add(path.str(), !found ? "" : found->isDirectory() ? "folder" : std::string(kPresent));
    return found;
  }

  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(
      const llvm::Twine& path) override {
    auto file = ProxyFileSystem::openFileForRead(path);
    // Clang opens a file to see whether it is there.
    if (!file) {
      static_cast<void>(status(path));
      return file;
    }
    looks_.Add(path.str(), std::string(kPresent));
    return std::make_unique<NotedFile>(std::move(*file), path.str(), looks_);
  }

 private:
  Looks& looks_;
};

}  // namespace

void Looks::Add(std::string_view path, std::string state) {
  const auto [known, is_new] = states_.emplace(path, state);
  if (is_new || known->second == state || state == kPresent) return;
  // Whoever looks whether there is a file may then read it.
  agree_ = agree_ && known->second == kPresent;
  known->second = std::move(state);
}

void Looks::AddLibraries() { dl_iterate_phdr(AddLibrary, this); }

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> NotedDisk(Looks& looks) {
  return llvm::makeIntrusiveRefCnt<NotedFileSystem>(looks);
}

}  // namespace transplt
