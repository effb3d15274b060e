// SPDX-License-Identifier: Apache-2.0
#include "transplt/commands/rule_files.h"

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "transplt/project/file_error.h"

namespace transplt {
namespace {

constexpr size_t kMostBytes = size_t{10} << 20;  // as in ms_fmk_transplt

}  // namespace

Result<std::vector<RuleFile>> ReadRuleFiles(const std::vector<std::string>& paths) {
  std::vector<RuleFile> files;
  for (const std::string& path : paths) {
    const Text what = Say("cannot read the rule file", "无法读取规则文件");
    std::error_code ignored;  // a path that cannot be asked cannot be opened either
    if (std::filesystem::is_directory(path, ignored)) {
      return FileError(path, what, EISDIR, Error::Code::kUsage);
    }
    std::ifstream in(path, std::ios::binary);
    if (!in) return FileError(path, what, errno, Error::Code::kUsage);
    std::string text(kMostBytes + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<size_t>(in.gcount()));
    if (text.size() > kMostBytes) {
      return Error{Error::Code::kUsage,
                   path,
                   {"is larger than 10 MiB; give a file of rules", "大于 10 MiB；请给出规则文件"}};
    }
    if (in.bad()) return FileError(path, what, EIO, Error::Code::kUsage);
    files.push_back({path, std::move(text), false});
  }
  return files;
}

}  // namespace transplt
