// SPDX-License-Identifier: Apache-2.0
#include "transplt/report/wording.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "transplt/base/plain_text.h"

namespace transplt {

Text AssumedVersions(const std::string& torch, const std::string& torch_npu,
                     const std::string& cann, const Text& chosen_by) {
  const Text known = cann.empty() ? Say(" (newer than the releases that transplt knows)",
                                        "（比 transplt 所知的发布版本更新）")
                                  : Say(" (CANN {})", " (CANN {})", cann);
  return {fmt::format("assumed: torch {} with torch_npu {}{}, from {}", torch, torch_npu, known.en,
                      chosen_by.en),
          fmt::format("假定使用 torch {} 与 torch_npu {}{}，依据：{}", torch, torch_npu, known.zh,
                      chosen_by.zh)};
}

Text StatusText(FileOutcome::Status status) {
  const std::string en(Name(status));
  switch (status) {
    case FileOutcome::Status::kMigrated:
      return {en, "已迁移"};
    case FileOutcome::Status::kUnchanged:
      return {en, "无需修改"};
    case FileOutcome::Status::kCopied:
      return {en, "原样复制"};
    case FileOutcome::Status::kSkipped:
      return {en, "已跳过"};
    case FileOutcome::Status::kFailed:
      return {en, "迁移失败"};
  }
  return {};
}

Text FilesLine(const Totals& totals, uint64_t ignored_files) {
  Text line{"Files: ", "文件："};
  for (FileOutcome::Status status : kStatuses) {
    const Text name = StatusText(status);
    line.en += fmt::format("{} {}, ", totals.statuses.at(status), name.en);
    line.zh += fmt::format("{} {}，", name.zh, totals.statuses.at(status));
  }
  line.en += fmt::format("{} ignored", ignored_files);
  line.zh += fmt::format("已忽略 {}", ignored_files);
  return line;
}

Text EditsLine(const Totals& totals) {
  return Say(
      "Edits: {}, of which {} are worth a look (unsafe: the name matched, its object is not "
      "known)",
      "修改：{} 处，其中 {} 处建议复核（unsafe：名称匹配，但无法确定所属对象）", totals.edits,
      totals.unsafe_edits);
}

Text LeftOpenLine(const Totals& totals) {
  const uint64_t unsupported = totals.operations.at(Operation::kUnsupported);
  const uint64_t unknown = totals.operations.at(Operation::kUnknown);
  const uint64_t unparsed = totals.operations.at(Operation::kUnparsed);
  return Say("Left for a person: {}, of which {} unsupported, {} unknown, {} not parsed",
             "待人工处理：{} 处，其中不支持 {} 处，未知 {} 处，无法解析 {} 处", totals.left_open,
             unsupported, unknown, unparsed);
}

namespace {

Text DefaultVerdictOf(const ProgramOutcome& program, const Text& causes, const Text& further) {
  switch (program.verdict) {
    case ProgramOutcome::Verdict::kStarts:
      return Say("nothing was found that stops it", "未发现会使其中断的内容");
    case ProgramOutcome::Verdict::kStops:
      return program.further.empty()
                 ? Say("will not run before this is done: {0}", "处理以下各项之前无法运行: {1}",
                       causes.en, causes.zh)
                 : Say("will not run before this is done: {0}; stops after that where it gets to: "
                       "{1}",
                       "处理以下各项之前无法运行: {2}; 此后执行到以下各项时会中断: {3}", causes.en,
                       further.en, causes.zh, further.zh);
    case ProgramOutcome::Verdict::kUnknown:
      return Say("stops where it gets to: {0}", "执行到以下各项时会中断: {1}", causes.en,
                 causes.zh);
    case ProgramOutcome::Verdict::kLeftOut:
      return Say("not looked at: it is a program of another framework, and stays as it is",
                 "未检查: 该程序属于其他框架, 保持原样");
  }
  return {};
}

/// A few of `settings`, those that a command line takes first: each of them alone is enough.
std::string FewOf(const std::set<std::string>& settings) {
  constexpr size_t kMost = 3;
  std::vector<std::string> few(settings.begin(), settings.end());
  std::ranges::stable_sort(few, std::greater(), [](const std::string& setting) {
    return setting.starts_with('-') ? 2 : setting.find_first_of(" (") == std::string::npos ? 1 : 0;
  });
  const bool is_cut = few.size() > kMost;
  if (is_cut) few.resize(kMost);
  return OneLine(fmt::format("{}{}", fmt::join(few, " / "), is_cut ? " / ..." : ""));
}

}  // namespace

Text VerdictOf(const ProgramOutcome& program,
               const std::function<Text(const std::vector<std::string>& ids)>& name) {
  Text verdict = DefaultVerdictOf(program, name(program.causes), name(program.further));
  std::map<std::set<std::string>, std::vector<std::string>> by_settings;
  for (const auto& [cause, settings] : program.optional) by_settings[settings].push_back(cause);
  for (const auto& [settings, ids] : by_settings) {
    const std::string set = FewOf(settings);
    const Text causes = name(ids);
    const Text part =
        Say("; stops with {0}: {1}", "; 设置 {0} 时会中断: {2}", set, causes.en, causes.zh);
    verdict.en += part.en;
    verdict.zh += part.zh;
  }
  if (!program.cuda_lines.empty()) {
    const Text causes = name(program.cuda_lines);
    const Text part =
        Say("; has lines for CUDA alone: {0}", "; 含有仅面向 CUDA 的行: {1}", causes.en, causes.zh);
    verdict.en += part.en;
    verdict.zh += part.zh;
  }
  if (!program.unknown_packages.empty()) {
    const std::string packages =
        OneLine(fmt::format("{}", fmt::join(program.unknown_packages, ", ")));
    const Text part = Say("; nothing is known of {}", "; 对 {} 一无所知", packages);
    verdict.en += part.en;
    verdict.zh += part.zh;
  }
  return verdict;
}

}  // namespace transplt
