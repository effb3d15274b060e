// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include "transplt/base/result.h"

namespace transplt {

/// A folder that lives as long as the test.
class TempFolder {
 public:
  TempFolder() {
    std::string name = testing::TempDir() + "transplt_test_XXXXXX";
    if (mkdtemp(name.data()) == nullptr) abort();
    path_ = std::filesystem::canonical(name).string();
    chmod(path_.c_str(), 0755);  // for tests that become another user
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& relative) const { return path_ + "/" + relative; }

  void Write(const std::string& relative, const std::string& text = "x = 1\n",
             mode_t mode = 0644) const {
    const std::filesystem::path file = *this / relative;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    ASSERT_EQ(chmod(file.c_str(), mode), 0) << file;
  }
  void MakeFolder(const std::string& relative) const {
    std::filesystem::create_directories(*this / relative);
  }
  void Link(const std::string& target, const std::string& relative) const {
    const std::filesystem::path link = *this / relative;
    std::filesystem::create_directories(link.parent_path());
    ASSERT_EQ(symlink(target.c_str(), link.c_str()), 0) << link;
  }
  std::string Read(const std::string& relative) const {
    std::ifstream file(*this / relative, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  bool Exists(const std::string& relative) const {
    return std::filesystem::exists(std::filesystem::symlink_status(*this / relative));
  }
  mode_t Mode(const std::string& relative) const {
    struct stat status {};
    EXPECT_EQ(lstat((*this / relative).c_str(), &status), 0) << relative;
    return status.st_mode & 07777;
  }

  /// Runs git in the folder `relative`, without the settings of the machine.
  void Git(const std::string& arguments, const std::string& relative = ".",
           const std::string& output = "/dev/null") const {
    const std::string command =
        "GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null XDG_CONFIG_HOME=/dev/null git -c "
        "user.name=t -c "
        "user.email=t@example.org -c protocol.file.allow=always -C '" +
        *this / relative + "' " + arguments + " > '" + output + "' 2> /dev/null";
    ASSERT_EQ(system(command.c_str()), 0) << command;
  }

 private:
  std::string path_;
};

/// What `work` returns when it runs in a process of its own, which may change its user or its
/// limits.
inline std::string InChild(const std::function<std::string()>& work) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const std::string answer = work();
    const bool sent =
        write(ends[1], answer.data(), answer.size()) == static_cast<ssize_t>(answer.size());
    _exit(sent ? 0 : 1);
  }
  close(ends[1]);
  std::string answer;
  char buffer[4096];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0;) {
    answer.append(buffer, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? answer : "the child failed";
}

/// As InChild, as a user for whom permissions count: root becomes nobody.
inline std::string AsOrdinaryUser(const std::function<std::string()>& work) {
  return InChild([&work]() -> std::string {
    constexpr unsigned kNobody = 65534;
    if (geteuid() == 0 &&
        (setresgid(kNobody, kNobody, kNobody) != 0 || setresuid(kNobody, kNobody, kNobody) != 0)) {
      return "cannot become another user";
    }
    return work();
  });
}

inline void ExpectDone(const Result<Done>& result) {
  EXPECT_TRUE(result) << result.error().where << ": " << result.error().what.en;
}

}  // namespace transplt
