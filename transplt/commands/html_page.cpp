// SPDX-License-Identifier: Apache-2.0
#include "transplt/commands/html_page.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "transplt/migrate/run_record.h"
#include "transplt/project/atomic_write.h"
#include "transplt/project/file_error.h"
#include "transplt/report/html_report.h"

namespace transplt {
namespace {

namespace fs = std::filesystem;

/// True for a page that an earlier run has written: it may be replaced.
bool IsPage(const std::string& path) {
  std::string head(512, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  return head.starts_with("<!DOCTYPE html>") &&
         head.find("<meta name=\"generator\" content=\"transplt migrate\">") != head.npos;
}

fs::path Resolved(const fs::path& path) {
  std::error_code ignored;  // what cannot be resolved is compared as it is
  const fs::path absolute = fs::absolute(path, ignored).lexically_normal();
  fs::path resolved = fs::weakly_canonical(absolute, ignored);
  return ignored ? absolute : resolved;
}

bool IsBelowFolder(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

/// The folder that a run with `options` writes.
fs::path ResultOf(const MigrationOptions& options) {
  std::error_code ignored;  // then it is not a folder
  fs::path input = fs::absolute(options.input, ignored).lexically_normal();
  if (!input.has_filename()) input = input.parent_path();  // "project/"
  const fs::path name = fs::is_directory(input, ignored) ? input.filename() : input.stem();
  return Resolved(options.output) / (name.string() + "_msft");
}

}  // namespace

std::optional<Error> CheckPagePlace(const std::string& path, const MigrationOptions& options) {
  const auto refuse = [&](Text why) { return Error{Error::Code::kUsage, path, std::move(why)}; };
  struct stat status {};
  if (stat(path.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode)) return refuse(Say("this is not a plain file", "这不是普通文件"));
    if (!options.force && !IsPage(path)) {
      return refuse(
          Say("the file exists, and it is no page of transplt; give --force to replace it",
              "文件已存在, 且不是 transplt 写出的页面; 如需替换请加 --force"));
    }
  }
  const fs::path page = Resolved(path);
  if (!options.output.empty()) {
    const fs::path result = ResultOf(options);
    if (IsBelowFolder(page, result)) {
      return refuse(
          Say("lies in the result, which `transplt review` refuses once it was changed; name a "
              "file beside it: {}",
              "位于结果文件夹内, 而 `transplt review` 会拒绝被改动过的结果; 请指定其旁边的文件: {}",
              (result.parent_path() / page.filename()).string()));
    }
    if (page.parent_path() == result.parent_path()) return std::nullopt;  // the run makes it
  }
  if (access(page.parent_path().c_str(), W_OK) != 0) {
    return FileError(path, Say("cannot write the page", "无法写入该页面"), errno);
  }
  return std::nullopt;
}

Result<Done> WritePage(const std::string& path, const MigrationResult& result, Language language,
                       bool force) {
  std::vector<uint32_t> groups;
  for (const RecordedFix& fix : FixesOf(result.run)) groups.push_back(fix.group);
  const HtmlReportParts parts{.diffs = result.diffs, .groups = groups, .language = language};
  std::string text;
  WriteHtmlReport(result.run, parts, [&](std::string_view piece) { text.append(piece); });
  const bool may_replace = force || IsPage(path);
  return AtomicWrite(path, text, 0666, may_replace ? Existing::kReplace : Existing::kRefuse);
}

}  // namespace transplt
