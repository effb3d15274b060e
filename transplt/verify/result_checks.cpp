// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/result_checks.h"

#include <algorithm>
#include <map>
#include <set>

#include "transplt/base/plain_text.h"
#include "transplt/verify/written_files.h"

namespace transplt {
namespace {

constexpr size_t kMostItems = 20;
constexpr size_t kShownColumns = 200;

std::string Shown(const std::string& line) { return FitColumns(OneLine(line), kShownColumns); }

/// "loss: 0.5 in the reference, 0.6 in the migrated run".
Text WhatDiffers(const PrintedDifference& difference, std::string_view stream) {
  if (difference.column.second != kWholeLine) {
    const std::string name = difference.name.empty() ? "a number" : difference.name;
    if (difference.usual_distance >= 0) {
      return Say(
          "{} on {}: {} in the reference, {} here, far more than two runs of the reference "
          "differ",
          "{} ({}): 参考为 {}, 此处为 {}, 远大于两次参考运行之间的差异", name, stream,
          difference.reference_number, difference.other_number);
    }
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
      const size_t more = counts.size() - kMostItems;
      CheckItem item{Say("... and {} more kinds of lines", "……另有 {} 类行", more)};
      item.is_failure = is_failure;
      item.not_reproducible = is_failure ? 0 : more;
      check.Add(std::move(item));
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
    } else {
      item.not_reproducible = 1;
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
      AddDifferences(TakeNotReproducible(output, (*repeated).*of), stream, false, check);
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

/// The text files that differ; what two runs of the reference do not reproduce in them is noted.
void CheckTexts(ResultComparison& comparison, const std::optional<ResultComparison>& repeated,
                Check& check) {
  for (auto& [name, text] : comparison.texts) {
    if (repeated && repeated->texts.contains(name)) {
      const OutputComparison& again = repeated->texts.at(name);
      std::set<PrintedColumn> columns;
      for (const PrintedDifference& taken : TakeNotReproducible(text, again)) {
        columns.insert(taken.column);
      }
      if (!columns.empty()) {
        CheckItem item{
            Say("not reproducible in {} kinds of lines, two runs of the reference differ",
                "有 {} 类行不可复现, 两次参考运行不同", columns.size()),
            name};
        item.not_reproducible = columns.size();
        check.Add(std::move(item));
      }
    }
    if (text.differences.empty()) continue;
    const PrintedDifference& first = text.differences.front();
    CheckItem item{
        Say("its text differs, in {} places", "文本有 {} 处不同", text.differences.size()), name};
    item.is_failure = true;
    item.reference = Shown(first.reference);
    item.migrated = Shown(first.other);
    check.Add(std::move(item));
  }
}

/// Takes out what two runs of the reference do not reproduce, with a note each.
void TakeChangingFiles(ResultComparison& comparison, const ResultComparison& repeated,
                       Check& check) {
  constexpr double kFar = 10;
  std::map<std::pair<std::string, std::string>, double> usual;
  for (const FileDifference& difference : repeated.file_differences) {
    double& most = usual[{difference.file, difference.part}];
    most = std::max(most, difference.distance);
  }
  std::vector<FileDifference> left;
  for (FileDifference& difference : comparison.file_differences) {
    const auto found = usual.find({difference.file, difference.part});
    const bool whole = usual.contains({difference.file, ""});
    difference.is_far =
        !whole && found != usual.end() && difference.distance > kFar * found->second;
    if ((!whole && found == usual.end()) || difference.is_far) {
      left.push_back(std::move(difference));
      continue;
    }
    if (difference.part.empty() && difference.is_pair && comparison.files > 0) --comparison.files;
    const std::string place = difference.part.empty() ? "" : difference.part + ": ";
    CheckItem item{Say("{}not reproducible, two runs of the reference differ",
                       "{}不可复现, 两次参考运行不同", place),
                   difference.file};
    item.not_reproducible = 1;
    check.Add(std::move(item));
  }
  comparison.file_differences = std::move(left);
}

Check CheckFiles(ResultComparison& comparison, const std::optional<ResultComparison>& repeated) {
  Check check{"files", Say("written files are equal", "写出的文件一致"), Check::State::kOk, {}};
  CheckTexts(comparison, repeated, check);
  if (repeated) TakeChangingFiles(comparison, *repeated, check);
  const std::vector<FileDifference>& left = comparison.file_differences;
  for (size_t i = 0; i < std::min(left.size(), kMostItems); ++i) {
    const std::string place = left[i].part.empty() ? "" : left[i].part + ": ";
    CheckItem item{{place + left[i].what.en, place + left[i].what.zh}, left[i].file};
    item.is_failure = true;
    item.reference = Shown(left[i].reference);
    item.migrated = Shown(left[i].other);
    check.Add(std::move(item));
  }
  if (left.size() > kMostItems) {
    check.Fail(Say("... and {} more", "……另有 {} 处", left.size() - kMostItems));
  }
  for (const std::string& name : comparison.not_compared) {
    check.Add({Say("not compared: such files tell when and where they were written",
                   "未比较: 此类文件记录写出的时间与位置"),
               name});
  }
  check.result = comparison.files == 0
                     ? Say("no file written", "未写出文件")
                     : Say("{} compared, {} tensors in them", "比较了 {} 个, 其中张量 {} 个",
                           comparison.files, comparison.tensors);
  if (comparison.files == 0 && check.state == Check::State::kOk) check.state = Check::State::kNote;
  return check;
}

}  // namespace

LineOrder OrderOf(const SimulatedRun& a, const SimulatedRun& b) {
  return a.report.processes > 1 || b.report.processes > 1 ? LineOrder::kByProcess
                                                          : LineOrder::kKept;
}

bool ResultComparison::IsEqual() const {
  return out.differences.empty() && err.differences.empty() && file_differences.empty() &&
         std::all_of(texts.begin(), texts.end(),
                     [](const auto& text) { return text.second.differences.empty(); });
}

void ResultComparison::Add(const ResultComparison& more) {
  const auto append = [](const auto& from, auto& to) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(more.out.differences, out.differences);
  append(more.err.differences, err.differences);
  append(more.file_differences, file_differences);
  for (const auto& [name, text] : more.texts) append(text.differences, texts[name].differences);
}

void ResultVariation::Add(const ResultVariation& more) {
  out.Add(more.out);
  err.Add(more.err);
  for (const auto& [name, text] : more.texts) texts[name].Add(text);
  AddVaryingNames(files, more.files);
}

bool ResultVariation::IsEmpty() const {
  return out.IsEmpty() && err.IsEmpty() && files.empty() &&
         std::all_of(texts.begin(), texts.end(),
                     [](const auto& text) { return text.second.IsEmpty(); });
}

Result<ResultComparison> CompareRuns(const SimulatedRun& reference, const SimulatedRun& other,
                                     const ComparisonSettings& settings,
                                     const ResultVariation& variation, OutputKind out) {
  ResultComparison comparison;
  const LineOrder order = OrderOf(reference, other);
  comparison.out =
      CompareOutputs(reference.out, other.out, {out, order, settings.tolerance, variation.out});
  const OutputKind err = out == OutputKind::kNumbers ? OutputKind::kOtherLog : OutputKind::kLog;
  comparison.err =
      CompareOutputs(reference.err, other.err, {err, order, settings.tolerance, variation.err});
  const Result<Done> done = CompareWrittenFiles(reference, other, settings, variation, comparison);
  if (!done) return done.error();
  return comparison;
}

ResultVariation FindResultVariation(const SimulatedRun& reference, const SimulatedRun& again,
                                    const ComparisonSettings& settings) {
  const LineOrder order = OrderOf(reference, again);
  ResultVariation variation;
  variation.out =
      FindVariation(reference.out, again.out, {OutputKind::kResults, order, settings.tolerance});
  variation.err =
      FindVariation(reference.err, again.err, {OutputKind::kLog, order, settings.tolerance});
  FindFileVariation(reference, again, settings, variation);
  return variation;
}

Check CheckBeginnings(const SimulatedRun& reference, const SimulatedRun& migrated,
                      const ComparisonSettings& settings) {
  const OutputRules rules{OutputKind::kBeginning, OrderOf(reference, migrated), settings.tolerance};
  ResultComparison comparison;
  comparison.out = CompareOutputs(reference.out, migrated.out, rules);
  comparison.err = CompareOutputs(reference.err, migrated.err, rules);
  Check check = CheckNumbers(comparison, std::nullopt);
  const Text what = check.result;
  check.result =
      Say("{}, of what both had printed before the time-out; --steps N ends both runs "
          "after N steps of the optimizers",
          "{}", what.en);
  check.result.zh =
      "超时之前双方打印的内容: " + what.zh + "; --steps N 使两次运行在 N 个优化器步骤后结束";
  return check;
}

bool MayBeChance(const ResultComparison& comparison, const SimulatedRun& reference,
                 const SimulatedRun& migrated, const ComparisonSettings& settings,
                 const ResultVariation& variation) {
  const auto has_far = [](const OutputComparison& output) {
    return std::any_of(
        output.differences.begin(), output.differences.end(),
        [](const PrintedDifference& difference) { return difference.usual_distance >= 0; });
  };
  if (has_far(comparison.out) || has_far(comparison.err) ||
      std::any_of(comparison.texts.begin(), comparison.texts.end(),
                  [&](const auto& text) { return has_far(text.second); }) ||
      std::any_of(comparison.file_differences.begin(), comparison.file_differences.end(),
                  [](const FileDifference& difference) { return difference.is_far; })) {
    return true;
  }
  const LineOrder order = OrderOf(reference, migrated);
  if (order == LineOrder::kKept) return false;
  return IsEqualInAnotherOrder(reference.out, migrated.out,
                               {OutputKind::kResults, order, settings.tolerance, variation.out}) ||
         IsEqualInAnotherOrder(reference.err, migrated.err,
                               {OutputKind::kLog, order, settings.tolerance, variation.err});
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
      Say("differs from the reference, perhaps because the script branches on CUDA: no second "
          "reference (this is no difference of the migration)",
          "与参考不同, 可能因为脚本按是否有 CUDA 走不同分支: 没有第二参考 (并非迁移造成的差异)");
  return check;
}

bool IsNothing(const ResultComparison& comparison) {
  return comparison.files == 0 && comparison.out.NumberCount() == 0 &&
         comparison.err.NumberCount() == 0;
}

}  // namespace transplt
