// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/served_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <string>

namespace transplt {
namespace {

constexpr std::string_view kServedProgram = "served-program";

}  // namespace

void LeaveToServedProgram(const SourceFile& source, Findings& findings) {
  constexpr size_t kMostLines = 12;
  std::map<uint32_t, TextRange> places;  // by line
  for (const Finding& finding : findings) {
    const bool matters = !finding.fix.empty() || finding.operation == Operation::kUnsupported;
    if (matters) places.try_emplace(source.Locate(finding.range.start).line, finding.range);
  }
  findings.clear();
  if (places.empty()) return;
  std::string lines;
  for (const auto& [line, range] : places | std::views::take(kMostLines)) {
    lines += (lines.empty() ? "" : ", ") + std::to_string(line);
  }
  if (places.size() > kMostLines) lines += ", ...";
  findings.push_back(RowAt(places.begin()->second, kServedProgram, {lines, lines}));
}

void MergeServedPrograms(const ProjectCode& code, std::vector<ChangeRecord>& records) {
  constexpr size_t kShownFiles = 20;
  struct Program {
    size_t record = 0;               // that stands for the program
    std::vector<std::string> files;  ///< with their lines
  };
  std::map<std::string, Program> programs;  // by folder
  std::vector<ChangeRecord> kept;
  for (ChangeRecord& record : records) {
    if (record.rule_id != kServedProgram) {
      kept.push_back(std::move(record));
      continue;
    }
    const auto [found, is_new] = programs.try_emplace(code.RootOf(record.file));
    Program& program = found->second;
    program.files.push_back(fmt::format("{} ({})", record.file, record.message.en));
    if (!is_new) continue;
    program.record = kept.size();
    kept.push_back(std::move(record));
  }
  for (auto& [root, program] : programs) {
    const size_t count = program.files.size();
    // The files with most lines first.
    std::ranges::stable_sort(program.files, [](const std::string& a, const std::string& b) {
      return std::ranges::count(a, ',') > std::ranges::count(b, ',');
    });
    if (count > kShownFiles) program.files.resize(kShownFiles);
    const std::string files =
        fmt::format("{}{}", fmt::join(program.files, ", "), count > kShownFiles ? ", ..." : "");
    ChangeRecord& record = kept[program.record];
    record.message =
        Say("the program serves the NPU already (see {}) and stays as it is; {} of its files have "
            "lines for CUDA alone: {}; where an NPU gets there, let them ask for the device that "
            "the program has chosen; with --extend-npu-support they are migrated one by one",
            "程序已支持 NPU (见 {}), 保持原样; 其中 {} 个文件含仅面向 CUDA 的行: {}; 若 NPU "
            "会执行到此, 请改用程序已选定的设备; 使用 --extend-npu-support 可逐处迁移",
            code.ServedBy(record.file), count, files);
  }
  records = std::move(kept);
}

}  // namespace transplt
