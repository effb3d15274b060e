// SPDX-License-Identifier: Apache-2.0
// The floor that a migration is compared with: tree-sitter parses each file of a list, nothing is
// looked at. Reads with read() into one buffer, which was measured to be the fastest way.
//
//   bench_parse_only LIST    LIST: the paths, a NUL after each
//
// Prints its own CPU seconds, the bytes and the files.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <tree_sitter/api.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

extern "C" const TSLanguage* tree_sitter_python(void);

namespace {

[[noreturn]] void Die(const char* what, const char* path) {
  std::perror((std::string(what) + " " + path).c_str());
  std::exit(2);
}

/// The content of a file, valid until the next call; `buffer` only ever grows.
std::string_view ReadInto(std::string& buffer, const char* path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (file < 0 || fstat(file, &status) != 0) Die("cannot open", path);
  const auto size = static_cast<size_t>(status.st_size);
  if (buffer.size() < size) buffer.resize(size);
  size_t done = 0;
  while (done < size) {
    const ssize_t got = read(file, buffer.data() + done, size - done);
    if (got <= 0) Die("cannot read", path);
    done += static_cast<size_t>(got);
  }
  close(file);
  return std::string_view(buffer).substr(0, size);
}

double CpuSeconds() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: bench_parse_only LIST\n", stderr);
    return 2;
  }
  std::string list_buffer;
  const std::string list(ReadInto(list_buffer, argv[1]));
  if (!list.empty() && list.back() != '\0') {
    std::fputs("bench_parse_only: the list must end with a NUL\n", stderr);
    return 2;
  }
  TSParser* parser = ts_parser_new();
  if (!ts_parser_set_language(parser, tree_sitter_python())) return 2;
  std::string buffer;
  uint64_t bytes = 0;
  uint64_t files = 0;
  for (size_t at = 0; at < list.size(); at = list.find('\0', at) + 1) {
    const std::string_view text = ReadInto(buffer, list.c_str() + at);
    ts_tree_delete(
        ts_parser_parse_string(parser, nullptr, text.data(), static_cast<uint32_t>(text.size())));
    bytes += text.size();
    ++files;
  }
  ts_parser_delete(parser);
  std::printf("%.6f %llu %llu\n", CpuSeconds(), static_cast<unsigned long long>(bytes),
              static_cast<unsigned long long>(files));
  return 0;
}
