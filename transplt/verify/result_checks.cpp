// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/result_checks.h"

#include <map>
#include <set>

#include "transplt/report/plain_text.h"
#include "transplt/verify/written_files.h"

namespace transplt {
namespace {

constexpr size_t kMostItems = 20;
constexpr size_t kShownColumns = 200;

LineOrder OrderOf(const SimulatedRun& a, const SimulatedRun& b) {
  return a.report.processes > 1 || b.report.processes > 1 ? LineOrder::kLoose : LineOrder::kKept;
}

std::string Shown(const std::string& line) { return FitColumns(OneLine(line), kShownColumns); }

/// "loss: 0.5 in the reference, 0.6 in the migrated run".
Text WhatDiffers(const PrintedDifference& difference, std::string_view stream) {
  if (difference.column.second != kWholeLine) {
    const std::string name = difference.name.empty() ? "a number" : difference.name;
    return Say("{} on {}: {} in the reference, {} here", "{} ({}): 参考为 {}, 此处为 {}", name,
               stream, difference.reference_number, difference.other_number);
  }
  return difference.other.empty()
             ? Say("a line on {} that only the reference has printed: {}",
                   "仅参考运行在 {} 上打印了此行: {}", stream, Shown(difference.reference))
             : Say("a line on {} that the reference has not printed: {}",
                   "参考运行未在 {} 上打印此行: {}", stream, Shown(difference.other));
}

/// One item for each column, with the first difference in it.
void AddDifferences(const std::vector<PrintedDifference>& differences, std::string_view stream,
                    bool is_failure, Check& check) {
  std::map<PrintedColumn, uint64_t> counts;
  for (const PrintedDifference& difference : differences) ++counts[difference.column];
  std::set<PrintedColumn> told;
  for (const PrintedDifference& difference : differences) {
    if (!told.insert(difference.column).second) continue;
    if (told.size() > kMostItems) {
      check.Add(
          {Say("... and {} more kinds of lines", "……另有 {} 类行", counts.size() - kMostItems), "",
           0, 1, is_failure});
      return;
    }
    Text what = WhatDiffers(difference, stream);
    if (!is_failure) {
      // The values are other ones in each run, so they are not told.
      what =
          Say("not reproducible, two runs of the reference differ: {} in lines like: {}",
              "不可复现, 两次参考运行不同: {}, 此类行: {}",
              difference.name.empty() ? "number" : difference.name, Shown(difference.column.first));
    }
    CheckItem item{std::move(what), "", 0, is_failure ? counts[difference.column] : 1, is_failure};
    if (is_failure) {
      item.reference = Shown(difference.reference);
      item.migrated = Shown(difference.other);
    }
    check.Add(std::move(item));
  }
}

Check CheckNumbers(ResultComparison& comparison, const std::optional<ResultComparison>& repeated) {
  Check check{"numbers", Say("printed numbers are equal", "打印的数字一致"), Check::State::kOk, {}};
  for (const auto& [stream, of] :
       {std::pair("stdout", &ResultComparison::out), std::pair("stderr", &ResultComparison::err)}) {
    OutputComparison& output = comparison.*of;
    if (repeated) {
      AddDifferences(TakeNotReproducible(output, ColumnsOf((*repeated).*of)), stream, false, check);
    }
    AddDifferences(output.differences, stream, true, check);
  }
  const size_t numbers = comparison.out.NumberCount() + comparison.err.NumberCount();
  const size_t not_finite = comparison.out.not_finite + comparison.err.not_finite;
  if (not_finite > 0) {
    check.Add({Say("{} of the equal numbers are nan or inf in both runs",
                   "{} 个相同的数字在两次运行中均为 nan 或 inf", not_finite)});
  }
  check.result = numbers == 0 ? Say("no numbers printed", "未打印数字")
                              : Say("{} compared", "比较了 {} 个", numbers);
  if (numbers == 0 && check.state == Check::State::kOk) check.state = Check::State::kNote;
  return check;
}

Check CheckFiles(ResultComparison& comparison, const std::optional<ResultComparison>& repeated) {
  Check check{"files", Say("written files are equal", "写出的文件一致"), Check::State::kOk, {}};
  std::set<std::pair<std::string, std::string>> changing;
  if (repeated) {
    for (const FileDifference& difference : repeated->file_differences) {
      changing.emplace(difference.file, difference.part);
      if (difference.part.empty()) comparison.files -= comparison.files > 0 ? 1 : 0;
    }
  }
  std::vector<FileDifference> left;
  for (FileDifference& difference : comparison.file_differences) {
    const std::string place = difference.part.empty() ? "" : difference.part + ": ";
    if (changing.contains({difference.file, difference.part}) ||
        changing.contains({difference.file, ""})) {
      check.Add({Say("{}not reproducible, two runs of the reference differ",
                     "{}不可复现, 两次参考运行不同", place),
                 difference.file});
      continue;
    }
    CheckItem item{{place + difference.what.en, place + difference.what.zh}, difference.file};
    item.is_failure = true;
    item.reference = Shown(difference.reference);
    item.migrated = Shown(difference.other);
    left.push_back(std::move(difference));
    if (left.size() <= kMostItems) check.Add(std::move(item));
  }
  if (left.size() > kMostItems) {
    check.Fail(Say("... and {} more", "……另有 {} 处", left.size() - kMostItems));
  }
  comparison.file_differences = std::move(left);
  for (const FileDifference& unread : comparison.unread_files) {
    check.Add({unread.what, unread.file});
  }
  check.result = comparison.files == 0
                     ? Say("no file written", "未写出文件")
                     : Say("{} compared, {} tensors in them", "比较了 {} 个, 其中张量 {} 个",
                           comparison.files, comparison.tensors);
  if (comparison.files == 0 && check.state == Check::State::kOk) check.state = Check::State::kNote;
  return check;
}

}  // namespace

bool ResultComparison::IsEqual() const {
  return out.differences.empty() && err.differences.empty() && file_differences.empty();
}

Result<ResultComparison> CompareRuns(const SimulatedRun& reference, const SimulatedRun& other,
                                     const ComparisonSettings& settings, OutputKind out) {
  ResultComparison comparison;
  const LineOrder order = OrderOf(reference, other);
  comparison.out = CompareOutputs(reference.out, other.out, out, order, settings.tolerance);
  comparison.err =
      CompareOutputs(reference.err, other.err, OutputKind::kLog, order, settings.tolerance);
  const Result<Done> done = CompareWrittenFiles(reference, other, settings, comparison);
  if (!done) return done.error();
  return comparison;
}

std::vector<Check> CheckResults(ResultComparison& comparison,
                                const std::optional<ResultComparison>& repeated) {
  return {CheckNumbers(comparison, repeated), CheckFiles(comparison, repeated)};
}

Check CheckCpu(const SimulatedRun& cpu, const ResultComparison& with_reference) {
  Check check{"cpu", Say("the original, no device", "原工程, 无设备"), Check::State::kOk, {}};
  if (!cpu.Succeeded()) {
    check.state = Check::State::kNote;
    const ReportedException* why =
        !cpu.report.exceptions.empty() ? &cpu.report.exceptions.front() : nullptr;
    const std::string place =
        why == nullptr || why->file.empty() ? "" : fmt::format(", {}:{}", why->file, why->line);
    check.result =
        Say("does not run there{}{}{}: no second reference, as for every script that "
            "insists on CUDA",
            "无法运行{}{}{}: 没有第二参考, 坚持使用 CUDA 的脚本均如此", why == nullptr ? "" : " (",
            why == nullptr ? "" : why->type + place, why == nullptr ? "" : ")");
    return check;
  }
  const size_t numbers = with_reference.out.NumberCount() + with_reference.err.NumberCount();
  if (with_reference.IsEqual()) {
    check.result =
        Say("equal to the reference, a check that does not rest on the simulator: {} "
            "numbers, {} files",
            "与参考一致 (不依赖模拟器的检查): {} 个数字, {} 个文件", numbers, with_reference.files);
    return check;
  }
  check.state = Check::State::kNote;
  check.result =
      Say("differs from the reference: the script branches on CUDA (this is no difference "
          "of the migration)",
          "与参考不同: 脚本按是否有 CUDA 走不同分支 (并非迁移造成的差异)");
  return check;
}

bool IsNothing(const ResultComparison& comparison) {
  return comparison.files == 0 && comparison.out.NumberCount() == 0 &&
         comparison.err.NumberCount() == 0;
}

}  // namespace transplt
