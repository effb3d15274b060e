// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "transplt/profile/profile.h"

namespace transplt {
namespace {

constexpr size_t kHead = 1 << 20;  // in which the form of a text shows

bool IsJson(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const auto skip = [&] {
    const size_t at = text.find_first_not_of(" \t\r\n");
    text.remove_prefix(std::min(at, text.size()));
  };
  skip();
  if (text.starts_with('{')) return true;
  if (!text.starts_with('[')) return false;
  text.remove_prefix(1);
  skip();
  return text.empty() || text.front() == '{' || text.front() == ']';
}

Result<std::string> ReadAll(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    return Error{Error::Code::kIo, path,
                 Say("cannot be read: {}", "无法读取：{}", std::generic_category().message(errno))};
  }
  if (!S_ISREG(status.st_mode)) {
    return Error{Error::Code::kIo, path, Say("is no plain file", "不是普通文件")};
  }
  std::ifstream file(path, std::ios::binary);
  std::string text(static_cast<size_t>(status.st_size), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file) return Error{Error::Code::kIo, path, Say("cannot be read", "无法读取")};
  return text;
}

Result<Profile> ReadTrace(Result<Trace> trace, ProfileForm form) {
  if (!trace) return trace.error();
  Profile profile = AnalyzeTrace(*trace);
  profile.form = form;
  return profile;
}

Result<Profile> ReadText(const std::string& path, std::string_view text) {
  const std::string_view head = text.substr(0, kHead);
  if (head.starts_with("\x1F\x8B")) {
    return Error{
        Error::Code::kBadInput, path,
        Say("is compressed: unpack it first, with gunzip", "是压缩文件：请先用 gunzip 解压")};
  }
  if (IsJson(head)) return ReadTrace(ReadChromeTrace(path, text), ProfileForm::kTrace);
  const std::string_view first = head.substr(0, head.find('\n'));
  if (first.find("Duration(us)") != first.npos) {
    return ReadTrace(ReadKernelTable(path, text), ProfileForm::kKernels);
  }
  if (head.find("Self CPU") != head.npos) return ReadProfilerTable(path, text);
  if (head.find("ASCENDCL") != head.npos) return ReadHostLog(path, text);
  return Error{Error::Code::kBadInput, path,
               Say("is no profile that is known: a trace in JSON (export_chrome_trace, "
                   "trace_view.json), kernel_details.csv, op_summary.csv, the printed table of a "
                   "profiler, or a host log (plog) with the level info",
                   "不是已知的性能数据：应为 JSON trace (export_chrome_trace、trace_view.json)、"
                   "kernel_details.csv、op_summary.csv、profiler 打印的表格，或 info 级别的 "
                   "host 日志 (plog)")};
}

}  // namespace

Result<Profile> ReadProfile(const std::string& path) {
  const Result<std::string> text = ReadAll(path);
  if (!text) return text.error();
  Result<Profile> profile = ReadText(path, *text);
  if (profile) profile->path = path;
  return profile;
}

}  // namespace transplt
