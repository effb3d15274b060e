// SPDX-License-Identifier: Apache-2.0
#include "runtime/src/own_process.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <mutex>
#include <new>
#include <set>
#include <utility>

namespace transplt::capture {
namespace {

constexpr size_t kPage = 4096;

char* NewPage() {
  void* page = ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) throw std::bad_alloc();
  *static_cast<char*>(page) = 1;
  return static_cast<char*>(page);
}

/// What children close. The handlers of fork() are functions without an argument, so that there
/// is one list for the process.
struct Unshared {
  std::mutex mutex;
  std::set<int> files;
};

Unshared& TheUnshared() {
  static Unshared unshared;
  return unshared;
}

void BeforeFork() { TheUnshared().mutex.lock(); }
void AfterForkInParent() { TheUnshared().mutex.unlock(); }
void AfterForkInChild() {
  for (const int file : TheUnshared().files) ::close(file);
  TheUnshared().files.clear();
  TheUnshared().mutex.unlock();
}

}  // namespace

void OwnProcess::UnmapPage::operator()(char* page) const { ::munmap(page, kPage); }

OwnProcess::OwnProcess()
    : page_(NewPage()),
      is_wiped_(::madvise(page_.get(), kPage, MADV_WIPEONFORK) == 0),
      process_(::getpid()) {}

bool OwnProcess::is_here() const { return is_wiped_ ? *page_ != 0 : ::getpid() == process_; }

void UnsharedDescriptor::Reset(FileDescriptor file) {
  Close();
  static std::once_flag once;
  std::call_once(once, [] { ::pthread_atfork(BeforeFork, AfterForkInParent, AfterForkInChild); });
  const std::lock_guard lock(TheUnshared().mutex);
  file_ = std::move(file);
  if (file_.is_open()) TheUnshared().files.insert(file_.get());
}

void UnsharedDescriptor::Close() {
  if (!file_.is_open()) return;
  const std::lock_guard lock(TheUnshared().mutex);
  TheUnshared().files.erase(file_.get());
  file_ = FileDescriptor();
}

}  // namespace transplt::capture
