// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/path_state.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

namespace transplt {
namespace {

constexpr std::string_view kPresent = "file";
constexpr std::string_view kAttributes = "attributes ";

}  // namespace

std::string FingerprintOf(std::string_view bytes) {
  uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return fmt::format("{:016x}-{}", hash, bytes.size());
}

std::string PathState(const std::string& path, Look look) {
  struct stat what {};
  if (::stat(path.c_str(), &what) != 0) return "";
  if (S_ISDIR(what.st_mode)) return "folder";
  if (look == Look::kPresence) return std::string(kPresent);
  if (look == Look::kAttributes) {
    return fmt::format("{}{} {} {}.{}", kAttributes, what.st_size, what.st_ino, what.st_mtim.tv_sec,
                       what.st_mtim.tv_nsec);
  }
  if (!S_ISREG(what.st_mode)) return "";
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  if (file) bytes << file.rdbuf();
  return file ? FingerprintOf(bytes.view()) : "";
}

std::string PathStateAsIn(const std::string& path, std::string_view state) {
  if (state.starts_with(kAttributes)) return PathState(path, Look::kAttributes);
  return PathState(path, state == kPresent || state == "folder" || state.empty() ? Look::kPresence
                                                                                 : Look::kBytes);
}

}  // namespace transplt
