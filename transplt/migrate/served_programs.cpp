// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/served_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "transplt/base/test_file.h"
#include "transplt/migrate/unsupported_apis.h"

namespace transplt {
namespace {

constexpr std::string_view kServedProgram = "served-program";

}  // namespace

void LeaveToServedProgram(const SourceFile& source, const std::vector<std::string>& cuda_words,
                          const std::function<bool(const Finding&)>& raises,
                          const std::function<bool(const Finding&)>& asks, Findings& findings) {
  std::map<uint32_t, TextRange> places;  // by line
  std::set<uint32_t> stops;
  std::erase_if(findings, [&](const Finding& finding) {
    if (finding.rule_id == kUnsupportedApi) return false;
    const uint32_t line = source.Locate(finding.range.start).line;
    const std::string_view text = source.LineRange(line).In(source.bytes());
    const bool is_of_cuda = HasDeviceWord(text, cuda_words);
    const bool is_edit = !finding.fix.empty();
    const bool names_cuda = is_of_cuda && is_edit && !asks(finding);
    if (names_cuda || finding.operation == Operation::kUnsupported) {
      places.try_emplace(line, finding.range);
      if (is_edit && raises(finding)) stops.insert(line);
    }
    const Severity worst = is_of_cuda ? Severity::kStopsRun : Severity::kMayGoWrong;
    // What `analyze` names stays.
    return is_edit || (SeverityOf(finding) > worst && finding.operation != Operation::kUnsupported);
  });
  for (const auto& [line, range] : places) {
    findings.push_back(RowAt(range, kServedProgram, {}));
    if (stops.contains(line)) findings.back().severity = Severity::kStopsRun;
  }
}

namespace {

void Append(Text& text, const Text& more) {
  text.en += more.en;
  text.zh += more.zh;
}

/// "3, 7, 12, ..."
std::string Numbers(const std::set<uint32_t>& lines) {
  constexpr size_t kMostLines = 12;
  const bool are_many = lines.size() > kMostLines;
  const auto stop = are_many ? std::next(lines.begin(), kMostLines) : lines.end();
  return fmt::format("{}{}", fmt::join(lines.begin(), stop, ", "), are_many ? ", ..." : "");
}

/// The files of one program with lines for CUDA alone.
struct ServedProgram {
  struct File {
    std::string path;
    std::set<uint32_t> lines;
  };
  std::vector<File> code;
  std::vector<File> settings;
  size_t tests = 0;

  void Add(const std::string& path, const std::set<uint32_t>& lines) {
    if (IsTestFile(path)) {
      ++tests;
    } else {
      (path.ends_with(".py") ? code : settings).push_back({path, lines});
    }
  }

  /// What is worth the look: code, then settings, then tests.
  Text Places() const {
    Text places;
    const auto add = [&](const Text& part) {
      if (!places.en.empty()) Append(places, {"; ", "; "});
      Append(places, part);
    };
    if (!code.empty()) add(Say("code ({}): {}", "代码 ({}): {}", code.size(), First(code)));
    if (!settings.empty()) {
      add(Say("settings and scripts ({}): {}", "配置与脚本 ({}): {}", settings.size(),
              First(settings)));
    }
    if (tests > 0) add(Say("tests ({})", "测试 ({})", tests));
    return places;
  }

 private:
  /// The files with most lines, as many as a cell of a workbook holds.
  static std::string First(std::vector<File> files) {
    constexpr size_t kMostFiles = 40;
    std::ranges::stable_sort(files, std::greater(), [](const File& f) { return f.lines.size(); });
    const bool is_cut = files.size() > kMostFiles;
    if (is_cut) files.resize(kMostFiles);
    std::vector<std::string> texts;
    for (const File& file : files) {
      texts.push_back(fmt::format("{} ({})", file.path, Numbers(file.lines)));
    }
    return fmt::format("{}{}", fmt::join(texts, ", "), is_cut ? ", ..." : "");
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

/// Makes `record`, of the first of `lines` that programs run, say so.
void DescribeRun(const std::string& evidence, const std::set<uint32_t>& lines,
                 ChangeRecord& record) {
  record.cause = kServedProgramLines;
  record.severity = Severity::kMayGoWrong;
  record.message = Say(
      "programs run lines that name CUDA alone ({}), although the project serves the NPU (see {}): "
      "where there is no CUDA they fail, or take the CPU without a word; let them ask for the "
      "device that the program has chosen; --extend-npu-support migrates them",
      "程序会运行仅指定 CUDA 的行 ({}), 尽管项目其他部分已支持 NPU (见 {}): 没有 CUDA "
      "时这些行会报错, "
      "或在无提示的情况下使用 CPU; 请改用程序已选定的设备; --extend-npu-support 可迁移这些行",
      Numbers(lines), evidence);
}

/// The same of the first of `lines` that raise.
void DescribeStop(const std::string& evidence, const std::set<uint32_t>& lines,
                  ChangeRecord& record) {
  record.cause = kServedProgramStops;
  record.severity = Severity::kStopsRun;
  record.message =
      Say("programs get to lines that raise where there is no CUDA ({}), although the project "
          "serves the NPU (see {}): let them ask for the device that the program has chosen; "
          "--extend-npu-support migrates them",
          "程序会执行到没有 CUDA 时抛出异常的行 ({}), 尽管项目其他部分已支持 NPU (见 {}): "
          "请改用程序已选定的设备; --extend-npu-support 可迁移这些行",
          Numbers(lines), evidence);
}

}  // namespace

void MergeServedPrograms(const ProjectCode& code,
                         const std::function<ServedLine(const ChangeRecord&)>& run_of,
                         std::vector<ChangeRecord>& records) {
  /// Lines of one kind, and the row of the first.
  struct Lines {
    std::set<uint32_t> lines;
    ChangeRecord first;
    void Add(ChangeRecord record) {
      lines.insert(record.start_line);
      if (lines.size() == 1) first = std::move(record);
    }
  };
  struct File {
    std::set<uint32_t> lines;
    Lines run;
    Lines stops;
  };
  std::map<std::string, File> files;  // by path
  std::vector<ChangeRecord> kept;
  for (ChangeRecord& record : records) {
    if (record.rule_id != kServedProgram) {
      kept.push_back(std::move(record));
      continue;
    }
    File& file = files[record.file];
    file.lines.insert(record.start_line);
    const ServedLine run = run_of(record);
    if (run == ServedLine::kNotReached) continue;
    const bool stops = run == ServedLine::kReached && record.severity == Severity::kStopsRun;
    (stops ? file.stops : file.run).Add(std::move(record));
  }
  std::map<std::string, ServedProgram> programs;  // by the place that shows it
  for (auto& [path, file] : files) {
    const std::string evidence = code.ServedBy(path);
    ServedProgram& program = programs[evidence];
    program.Add(path, file.lines);
    if (!file.stops.lines.empty()) {
      DescribeStop(evidence, file.stops.lines, file.stops.first);
      kept.push_back(std::move(file.stops.first));
    }
    if (!file.run.lines.empty()) {
      DescribeRun(evidence, file.run.lines, file.run.first);
      kept.push_back(std::move(file.run.first));
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
