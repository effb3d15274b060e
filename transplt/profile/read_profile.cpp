// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "transplt/base/encoding.h"
#include "transplt/dump/byte_source.h"
#include "transplt/profile/profile.h"

namespace transplt {
namespace {

constexpr size_t kHead = 1 << 20;  // in which the form of a text shows

bool IsJson(std::string_view text) {
  if (text.starts_with(kUtf8Bom)) text.remove_prefix(kUtf8Bom.size());
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
  const Result<std::unique_ptr<ByteSource>> file = OpenFile(path);
  if (!file) return file.error();
  const uint64_t size = (*file)->size();
  const std::string text = (*file)->Text(0, size);
  if (text.size() != size) return Error{Error::Code::kIo, path, Say("cannot be read", "无法读取")};
  Result<Profile> profile = ReadText(path, text);
  if (profile) profile->path = path;
  return profile;
}

}  // namespace transplt
