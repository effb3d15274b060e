// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/served_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <ranges>
#include <string>

namespace transplt {
namespace {

constexpr std::string_view kServedProgram = "served-program";

}  // namespace

void LeaveToServedProgram(const SourceFile& source, const std::vector<std::string>& cuda_words,
                          Findings& findings) {
  constexpr size_t kMostLines = 12;
  std::map<uint32_t, TextRange> places;  // by line
  for (const Finding& finding : findings) {
    const uint32_t line = source.Locate(finding.range.start).line;
    const std::string_view line_text = source.LineRange(line).In(source.bytes());
    const bool is_of_cuda = !finding.fix.empty() && HasDeviceWord(line_text, cuda_words);
    if (is_of_cuda || finding.operation == Operation::kUnsupported) {
      places.try_emplace(line, finding.range);
    }
  }
  std::erase_if(findings, [](const Finding& finding) {
    return !finding.fix.empty() || SeverityOf(finding) > Severity::kStopsRun;
  });
  if (places.empty()) return;
  std::string lines;
  for (const auto& [line, range] : places | std::views::take(kMostLines)) {
    lines += (lines.empty() ? "" : ", ") + std::to_string(line);
  }
  if (places.size() > kMostLines) lines += ", ...";
  findings.push_back(RowAt(places.begin()->second, kServedProgram, {lines, lines}));
}

namespace {

void Append(Text& text, const Text& more) {
  text.en += more.en;
  text.zh += more.zh;
}

/// The files of one program with lines for CUDA alone, each as "path (lines)".
struct ServedProgram {
  std::vector<std::string> code;
  std::vector<std::string> settings;
  size_t tests = 0;

  void Add(const std::string& path, const std::string& lines) {
    if (IsTestFile(path)) {
      ++tests;
    } else {
      (path.ends_with(".py") ? code : settings).push_back(fmt::format("{} ({})", path, lines));
    }
  }

  /// What is worth the look: code, then settings, then tests.
  Text Places() const {
    Text places;
    const auto add = [&](const Text& part) {
      if (!places.en.empty()) Append(places, {"; ", "; "});
      Append(places, part);
    };
    if (!code.empty()) add(Say("code ({}): {}", "代码 ({}): {}", code.size(), First(code, 8)));
    if (!settings.empty()) {
      add(Say("settings and scripts ({}): {}", "配置与脚本 ({}): {}", settings.size(),
              First(settings, 3)));
    }
    if (tests > 0) add(Say("tests ({})", "测试 ({})", tests));
    return places;
  }

 private:
  /// The `count` files with most lines.
  static std::string First(std::vector<std::string> files, size_t count) {
    const auto commas = [](const std::string& file) { return std::ranges::count(file, ','); };
    std::ranges::stable_sort(files, std::greater(), commas);
    const bool is_cut = files.size() > count;
    if (is_cut) files.resize(count);
    return fmt::format("{}{}", fmt::join(files, ", "), is_cut ? ", ..." : "");
  }
};

/// The row about a program at `evidence`, "path:line".
ChangeRecord ServedProgramRow(const ServedProgram& program, const std::string& evidence) {
  const size_t colon = evidence.rfind(':');
  const Text places = program.Places();
  ChangeRecord record;
  record.file = evidence.substr(0, colon);
  record.start_line = static_cast<uint32_t>(std::stoul(evidence.substr(colon + 1)));
  record.end_line = record.start_line;
  record.column = 1;
  record.operation = Operation::kSuggestion;
  record.applicability = Applicability::kDisplayOnly;
  record.rule_id = record.cause = kServedProgram;
  record.message =
      Say("the program serves the NPU already, as this shows, and stays as it is; for CUDA alone "
          "are lines in ",
          "程序已支持 NPU (见此处), 保持原样; 仅面向 CUDA 的行位于: ");
  Append(record.message, places);
  Append(record.message,
         Say("; where an NPU gets there, let them ask for the device that the program has chosen; "
             "with --extend-npu-support they are migrated one by one",
             "; 若 NPU 会执行到此, 请改用程序已选定的设备; 使用 --extend-npu-support 可逐处迁移"));
  return record;
}

/// Makes the row of a file that people start say so.
void DescribeStarted(const std::string& evidence, ChangeRecord& record) {
  const std::string lines = record.message.en;
  record.cause = kServedProgramLines;
  record.severity = Severity::kMayGoWrong;
  record.message = Say(
      "lines for CUDA alone ({}) in a program that people start, although the project serves the "
      "NPU "
      "(see {}): where an NPU gets there, let them ask for the device that the program has "
      "chosen; --extend-npu-support migrates them",
      "可启动的程序中仅面向 CUDA 的行 ({}), 尽管项目其他部分已支持 NPU (见 {}): 若 NPU 会执行到此, "
      "请改用程序已选定的设备; --extend-npu-support 可迁移这些行",
      lines, evidence);
}

}  // namespace

void MergeServedPrograms(const ProjectCode& code, const std::set<std::string>& started,
                         std::vector<ChangeRecord>& records) {
  std::map<std::string, ServedProgram> programs;  // by the place that shows it
  std::vector<ChangeRecord> kept;
  for (ChangeRecord& record : records) {
    if (record.rule_id == kServedProgram) {
      const std::string evidence = code.ServedBy(record.file);
      programs[evidence].Add(record.file, record.message.en);
      if (!started.contains(record.file) || IsTestFile(record.file)) continue;
      DescribeStarted(evidence, record);
      kept.push_back(std::move(record));
    } else {
      kept.push_back(std::move(record));
    }
  }
  for (const auto& [evidence, program] : programs)
    kept.push_back(ServedProgramRow(program, evidence));
  SortRecords(kept);
  records = std::move(kept);
}

bool IsOfServedProgram(const ProjectCode& code, const ChangeRecord& record) {
  const bool is_row_of_file = record.rule_id != kServedProgram && record.start_line > 0;
  return is_row_of_file && !code.ServedBy(record.file).empty();
}

}  // namespace transplt
