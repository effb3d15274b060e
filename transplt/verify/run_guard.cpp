// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/run_guard.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "transplt/project/file_error.h"

namespace transplt {
namespace {

namespace fs = std::filesystem;

/// Kills each process whose environment names the folder. How many there were.
size_t KillProcessesOf(const std::string& folder) {
  const std::string mark = "TRANSPLT_SIMULATE_REPORT=" + folder + "/";
  size_t count = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "environ", std::ios::binary);
    const std::string environment((std::istreambuf_iterator<char>(file)), {});
    if (environment.find(mark) == std::string::npos) continue;
    kill(std::atoi(name.c_str()), SIGKILL);
    ++count;
  }
  return count;
}

void RemoveFolder(const fs::path& folder) {
  const FileHandle parent = OpenFolder(folder.parent_path().string());
  if (parent) RemoveTree(parent.get(), folder.filename().string());
}

/// In the guard: waits for the byte that says that all is well, or for the end of the pipe.
[[noreturn]] void Watch(int reader, const std::string& folder, bool is_kept) {
  setsid();
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) signal(number, SIG_IGN);
  if (reader != STDIN_FILENO) dup2(reader, STDIN_FILENO);
  // The pipes of whoever started the verification must not stay open.
  for (int descriptor = 1; descriptor < 1024; ++descriptor) close(descriptor);
  prctl(PR_SET_NAME, "verify-guard");
  char byte = 0;
  ssize_t got = 0;
  do got = read(STDIN_FILENO, &byte, 1);
  while (got < 0 && errno == EINTR);
  if (got > 0) _exit(0);
  for (int round = 0; round < 100 && KillProcessesOf(folder) > 0; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (!is_kept) RemoveFolder(folder);
  _exit(0);
}

}  // namespace

Result<RunGuard> RunGuard::Start(const std::string& folder, bool is_kept) {
  const auto failed = [&](int number) {
    return FileError(folder, Say("cannot start the guard of the runs", "无法启动运行守护进程"),
                     number);
  };
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return failed(errno);
  const FileHandle reader(ends[0]);
  FileHandle writer(ends[1]);
  const pid_t child = fork();
  if (child < 0) return failed(errno);
  if (child == 0) Watch(reader.get(), folder, is_kept);
  return RunGuard(child, std::move(writer));
}

RunGuard::~RunGuard() {
  if (child_ == 0) return;
  (void)!write(writer_.get(), "x", 1);
  writer_.Close();
  while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace transplt
