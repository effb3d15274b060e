// SPDX-License-Identifier: Apache-2.0
// Runs a program on given processors and tells what it has used.
//
//   bench_measure RESULT CPUS PROGRAM ARGUMENTS...    CPUS: "0" or "0,1"
//
// Writes "user system wall peak-KiB status" to the file RESULT; status is the exit code, or 128
// plus the signal. A program of its own, because a child's peak memory starts with that of the
// process that started it, and a Python interpreter is larger than some of what is measured.
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// False if `list` is not a list of numbers or the system does not give these processors.
bool StayOn(const char* list) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const char* at = list;;) {
    char* end = nullptr;
    const long cpu = std::strtol(at, &end, 10);
    if (end == at || cpu < 0 || cpu >= CPU_SETSIZE) return false;
    CPU_SET(static_cast<size_t>(cpu), &set);
    if (*end == '\0') break;
    if (*end != ',') return false;
    at = end + 1;
  }
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: bench_measure RESULT CPUS PROGRAM ARGUMENTS...\n", stderr);
    return 2;
  }
  if (!StayOn(argv[2])) {
    std::fprintf(stderr, "bench_measure: cannot run on the processors %s\n", argv[2]);
    return 2;
  }
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    execvp(argv[3], argv + 3);
    std::perror(argv[3]);
    _exit(127);
  }
  int status = 0;
  struct rusage usage {};
  if (child < 0 || wait4(child, &status, 0, &usage) != child) {
    std::perror("bench_measure");
    return 2;
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  std::FILE* result = std::fopen(argv[1], "w");
  if (result == nullptr) {
    std::perror(argv[1]);
    return 2;
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  std::fprintf(result, "%.6f %.6f %.6f %ld %d\n", Seconds(usage.ru_utime), Seconds(usage.ru_stime),
               wall.count(), usage.ru_maxrss, code);
  return std::fclose(result) == 0 ? 0 : 2;
}
