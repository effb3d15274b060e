// SPDX-License-Identifier: Apache-2.0
#include "transplt/report/run_log.h"

#include <fmt/format.h>

#include "transplt/base/plain_text.h"
#include "transplt/report/totals.h"
#include "transplt/report/wording.h"

namespace transplt {
namespace {

std::string_view Level(FileOutcome::Status status) {
  if (status == FileOutcome::Status::kFailed) return "ERROR";
  if (status == FileOutcome::Status::kSkipped) return "WARNING";
  return "INFO";
}

/// What is said about a file after its name: its status, and what belongs to it.
Text FileLine(const FileOutcome& file) {
  const Text status = StatusText(file.status);
  Text line = status;
  if (!file.reason.empty()) {
    line = Say("{0}: {2}", "{1}：{3}", status.en, status.zh, OneLine(file.reason.en),
               OneLine(file.reason.zh));
  }
  if (file.edits == 0 && file.left_open == 0) return line;
  return Say("{0}; edits: {2}; left for a person: {3}", "{1}；修改 {2} 处；待人工处理 {3} 处",
             line.en, line.zh, file.edits, file.left_open);
}

}  // namespace

std::string RunLog(const RunResult& run, Language language) {
  std::string log;
  const auto add = [&](std::string_view level, const std::string& line) {
    log.append(fmt::format("[{}] {}\n", level, line));
  };
  add("INFO", OneLine(fmt::format("transplt {}, framework {}, torch {}", run.tool_version,
                                  run.framework, run.torch_version)));
  if (!run.torch_npu.empty()) {
    const Text line =
        Say("torch_npu {0}, CANN {1}; chosen by {2}", "torch_npu {0}, CANN {1}；依据：{3}",
            run.torch_npu, run.cann.empty() ? "?" : run.cann, run.versions_from.en,
            run.versions_from.zh);
    add("INFO", OneLine(line.In(language)));
  }
  for (const std::string& folder : run.ignored_folders) {
    add("INFO", fmt::format("{}: {}", OneLine(folder),
                            Text{"ignored folder", "已忽略的目录"}.In(language)));
  }
  for (const FileOutcome& file : run.files) {
    add(Level(file.status), fmt::format("{}: {}", OneLine(file.file), FileLine(file).In(language)));
  }
  const Totals totals = Count(run);
  add("INFO", FilesLine(totals, run.ignored_files).In(language));
  add("INFO", EditsLine(totals).In(language));
  add("INFO", LeftOpenLine(totals).In(language));
  return log;
}

}  // namespace transplt
