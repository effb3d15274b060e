// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>
#include <thread>

#include "transplt/base/cancelled.h"
#include "transplt/project/file_error.h"
#include "transplt/project/folder_handle.h"

namespace transplt {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPoll{5};
constexpr std::chrono::seconds kGrace{5};

/// The parent of every process of the machine.
std::map<pid_t, pid_t> Parents() {
  std::map<pid_t, pid_t> parents;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "stat");
    std::string text;
    std::getline(file, text);
    // "PID (NAME) STATE PARENT ...", and the name may hold anything.
    const size_t behind = text.rfind(')');
    if (behind == std::string::npos || behind + 4 > text.size()) continue;
    if (text[behind + 2] == 'Z') continue;  // dead already
    parents[std::atoi(name.c_str())] = std::atoi(text.c_str() + behind + 4);
  }
  return parents;
}

/// All processes that are below this one now, except those of `known`.
std::set<pid_t> Descendants(const std::set<pid_t>& known) {
  const std::map<pid_t, pid_t> parents = Parents();
  std::set<pid_t> found;
  std::vector<pid_t> waiting = {getpid()};
  while (!waiting.empty()) {
    const pid_t parent = waiting.back();
    waiting.pop_back();
    for (const auto& [process, of] : parents) {
      if (of != parent || known.contains(process) || !found.insert(process).second) continue;
      waiting.push_back(process);
    }
  }
  return found;
}

void Reap() {
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

/// Ends what is left below us. It may start more while it is killed, so until nothing is left.
void KillDescendants(const std::set<pid_t>& known) {
  for (int round = 0; round < 200; ++round) {
    const std::set<pid_t> left = Descendants(known);
    for (const pid_t process : left) kill(process, SIGKILL);
    Reap();
    if (left.empty()) return;
    std::this_thread::sleep_for(kPoll);
  }
}

/// True if all that the command had started ended by itself.
bool WaitForDescendants(const std::set<pid_t>& known) {
  const Clock::time_point end = Clock::now() + kGrace;
  while (Clock::now() < end) {
    Reap();
    if (Descendants(known).empty()) return true;
    std::this_thread::sleep_for(kPoll * 4);
  }
  return false;
}

/// What the child needs, made before the fork: behind it only simple calls are safe.
class Prepared {
 public:
  explicit Prepared(const Command& command) : arguments_(command.arguments) {
    for (char** entry = environ; *entry != nullptr; ++entry) {
      const std::string_view text = *entry;
      const std::string name(text.substr(0, text.find('=')));
      if (!command.environment.contains(name)) variables_.emplace_back(text);
    }
    for (const auto& [name, value] : command.environment) {
      variables_.push_back(fmt::format("{}={}", name, value));
    }
    for (std::string& text : arguments_) argument_list_.push_back(text.data());
    for (std::string& text : variables_) variable_list_.push_back(text.data());
    argument_list_.push_back(nullptr);
    variable_list_.push_back(nullptr);
  }

  char** arguments() { return argument_list_.data(); }
  char** variables() { return variable_list_.data(); }

 private:
  std::vector<std::string> arguments_;
  std::vector<std::string> variables_;
  std::vector<char*> argument_list_;
  std::vector<char*> variable_list_;
};

/// In the child: becomes the program, or tells `report` why not.
[[noreturn]] void Become(const char* program, Prepared& prepared, const Command& command, int in,
                         int out, int err, int report) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGXFSZ, SIG_DFL);
  const bool ready = dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
                     dup2(err, STDERR_FILENO) >= 0 &&
                     (command.folder.empty() || chdir(command.folder.c_str()) == 0);
  if (ready) execve(program, prepared.arguments(), prepared.variables());
  const int number = errno;
  (void)!write(report, &number, sizeof number);
  _exit(127);
}

FileHandle OpenOutput(const std::string& path) {
  // To the end, so that the lines of several processes do not overwrite each other.
  return FileHandle(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666));
}

/// Starts the command; its process id.
Result<pid_t> Start(const Command& command) {
  const auto failed = [&](int number) {
    return FileError(command.arguments.front(), Say("cannot start the program", "无法启动程序"),
                     number, Error::Code::kUsage);
  };
  const std::string program = FindProgram(command.arguments.front());
  if (program.empty()) return failed(ENOENT);
  const FileHandle in(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const FileHandle out = OpenOutput(command.out);
  const FileHandle err = OpenOutput(command.err);
  int ends[2];
  if (!in || !out || !err || pipe2(ends, O_CLOEXEC) != 0) return failed(errno);
  const FileHandle reader(ends[0]);
  FileHandle writer(ends[1]);
  Prepared prepared(command);
  const pid_t child = fork();
  if (child < 0) return failed(errno);
  if (child == 0) {
    Become(program.c_str(), prepared, command, in.get(), out.get(), err.get(), writer.get());
  }
  writer.Close();
  int number = 0;
  ssize_t got = 0;
  do got = read(reader.get(), &number, sizeof number);
  while (got < 0 && errno == EINTR);
  if (got == 0) return child;
  waitpid(child, nullptr, 0);
  return failed(number);
}

bool HasTooMuchOutput(const Command& command) {
  namespace fs = std::filesystem;
  std::error_code error;
  const auto is_large = [&](const fs::path& path) {
    const uintmax_t size = fs::is_regular_file(path, error) ? fs::file_size(path, error) : 0;
    return !error && size > command.most_output;
  };
  if (is_large(command.out) || is_large(command.err)) return true;
  if (command.more_output.empty()) return false;
  for (const auto& entry : fs::directory_iterator(command.more_output, error)) {
    if (is_large(entry.path())) return true;
  }
  return false;
}

ProcessEnd EndOf(int status) {
  if (WIFSIGNALED(status)) return {ProcessEnd::How::kSignal, WTERMSIG(status)};
  return {ProcessEnd::How::kExit, WEXITSTATUS(status)};
}

/// Makes orphans ours while it lives.
class Subreaper {
 public:
  Subreaper() { prctl(PR_SET_CHILD_SUBREAPER, 1); }
  ~Subreaper() { prctl(PR_SET_CHILD_SUBREAPER, 0); }
  Subreaper(const Subreaper&) = delete;
  Subreaper& operator=(const Subreaper&) = delete;
};

}  // namespace

std::string FindProgram(const std::string& name) {
  const auto usable = [](const std::string& path) {
    std::error_code error;
    return access(path.c_str(), X_OK) == 0 && !std::filesystem::is_directory(path, error);
  };
  if (name.empty()) return "";
  if (name.find('/') != std::string::npos) {
    const std::string path = std::filesystem::absolute(name).string();
    return usable(path) ? path : "";
  }
  const char* variable = std::getenv("PATH");
  std::string_view folders = variable == nullptr ? "/usr/bin:/bin" : variable;
  while (!folders.empty()) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    const std::string path = std::string(folder.empty() ? "." : folder) + "/" + name;
    if (usable(path)) return std::filesystem::absolute(path).string();
    folders.remove_prefix(std::min(folder.size() + 1, folders.size()));
  }
  return "";
}

Result<ProcessEnd> RunCommand(const Command& command, const std::atomic<bool>* cancelled) {
  const Subreaper subreaper;
  const std::set<pid_t> known = Descendants({});
  const Result<pid_t> child = Start(command);
  if (!child) return child.error();
  const Clock::time_point end = Clock::now() + command.timeout;
  ProcessEnd result;
  while (true) {
    int status = 0;
    const pid_t ended = waitpid(*child, &status, WNOHANG);
    if (ended == *child) {
      result = EndOf(status);
      result.had_left = !WaitForDescendants(known);
      break;
    }
    if (IsCancelled(cancelled)) result.how = ProcessEnd::How::kCancelled;
    if (Clock::now() >= end) result.how = ProcessEnd::How::kTimeout;
    if (HasTooMuchOutput(command)) result.how = ProcessEnd::How::kTooMuchOutput;
    if (result.how != ProcessEnd::How::kExit) break;
    std::this_thread::sleep_for(kPoll);
  }
  KillDescendants(known);
  return result;
}

}  // namespace transplt
