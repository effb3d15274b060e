// SPDX-License-Identifier: Apache-2.0
#include "transplt/commands/rule_files.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "transplt/project/file_error.h"

namespace transplt {

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
    std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (in.bad()) return FileError(path, what, EIO, Error::Code::kUsage);
    files.push_back({path, std::move(text), false});
  }
  return files;
}

}  // namespace transplt
