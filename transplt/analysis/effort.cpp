// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/effort.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "transplt/analysis/libraries.h"
#include "transplt/base/word_list.h"

namespace transplt {
namespace {

/// Something that a person has to do, and how long one of it is assumed to take.
struct Task {
  std::string_view name;
  Text what;
  Text unit;  ///< what is done once, however many places there are
  uint64_t minutes;
};

enum TaskId : uint8_t { kApi, kOperator, kLibrary, kNative, kGuard, kUnsafe, kOther, kUnread };

const std::array<Task, 8>& Tasks() {
  static const std::array<Task, 8> tasks = {{
      {"unsupported_api", Say("APIs of torch that no NPU supports", "NPU 不支持的 torch 接口"),
       Say("APIs", "个接口"), 240},
      {"cuda_operator", Say("own CUDA operators that are called", "被调用的自定义 CUDA 算子"),
       Say("operators", "个算子"), 1440},
      {"library", Say("libraries that need CUDA", "依赖 CUDA 的三方库"), Say("libraries", "个库"),
       480},
      {"native_source",
       Say("C++ and CUDA sources with CUDA in them", "含 CUDA 的 C++ 与 CUDA 源码"),
       Say("files", "个文件"), 120},
      {"guard", Say("conditions that enable what only CUDA has", "启用 CUDA 专有功能的条件"),
       Say("places", "处"), 15},
      {"unsafe_edit", Say("automatic edits to look at", "需复查的自动修改"), Say("edits", "处修改"),
       3},
      {"other", Say("other things found and left alone", "其他已发现而未改动之处"),
       Say("kinds", "类"), 60},
      {"unread_file", Say("files that were not migrated", "未能迁移的文件"), Say("files", "个文件"),
       60},
  }};
  return tasks;
}

struct WorkCount {
  uint64_t places = 0;
  std::set<std::string> units;
};

using FileLine = std::pair<std::string, uint64_t>;  // file and line

std::string TextOf(const TableCell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text == nullptr ? "" : *text;
}

uint64_t NumberOf(const TableCell& cell) {
  const auto* number = std::get_if<uint64_t>(&cell);
  return number == nullptr ? 0 : *number;
}

const ResultTable* Find(const ModeResult& result, std::string_view file) {
  const auto found = std::ranges::find_if(
      result.tables, [&](const ResultTable& table) { return table.file == file; });
  return found == result.tables.end() ? nullptr : &*found;
}

bool IsNative(std::string_view file) { return Words("native-files").Has(file); }

class Counter {
 public:
  explicit Counter(const AnalyzedProject& project) {
    for (const LoadedRule& loaded : project.rules().rules()) {
      const RuleHeader& header = loaded.rule->header();
      const bool is_library = (header.kind == "LibraryReportRule" && LoadedLibrary(loaded).stops) ||
                              header.id.starts_with("apex.") || header.id.starts_with("amp_C");
      if (is_library) libraries_.insert(header.id);
    }
  }

  void AddApis(const ModeResult& torch_apis) {
    std::set<std::string> own;
    if (const ResultTable* operators = Find(torch_apis, "cuda_op_list.csv")) {
      for (const TableRow& row : operators->rows) own.insert(TextOf(row[1]));
    }
    const ResultTable* unsupported = Find(torch_apis, "unsupported_api.csv");
    if (unsupported == nullptr) return;
    for (const TableRow& row : unsupported->rows) {
      const std::string api = TextOf(row[3]);
      Add(own.contains(api) ? kOperator : kApi, api);
      counted_.insert(FileLine(TextOf(row[0]), NumberOf(row[1])));
    }
  }

  void AddMigration(const RunResult& migration) {
    for (const ChangeRecord& record : migration.records) {
      const bool is_edit = record.applicability != Applicability::kDisplayOnly;
      edits_ += is_edit ? 1 : 0;
      (is_edit ? edited_files_ : open_files_).insert(record.file);
      if (is_edit) {
        if (record.applicability == Applicability::kUnsafe) AddPlace(kUnsafe, record);
      } else if (libraries_.contains(record.rule_id)) {
        Add(kLibrary, record.rule_id.substr(0, record.rule_id.find('.')));
      } else if (IsNative(record.file)) {
        Add(kNative, record.file);
      } else if (record.rule_id == "cuda-guard") {
        AddPlace(kGuard, record);
      } else if (!counted_.contains(FileLine(record.file, record.start_line))) {
        Add(kOther, record.rule_id);
      }
    }
    for (const FileOutcome& file : migration.files) {
      const bool is_unread = file.status == FileOutcome::Status::kSkipped ||
                             file.status == FileOutcome::Status::kFailed;
      if (is_unread) Add(kUnread, file.file);
    }
  }

  const std::array<WorkCount, 8>& counts() const { return counts_; }
  size_t edits() const { return edits_; }
  size_t edited_files() const { return edited_files_.size(); }
  size_t open_files() const { return open_files_.size(); }

 private:
  void Add(TaskId task, std::string unit) {
    ++counts_.at(task).places;
    counts_.at(task).units.insert(std::move(unit));
  }
  void AddPlace(TaskId task, const ChangeRecord& record) {
    Add(task, fmt::format("{}:{}:{}", record.file, record.start_line, record.column));
  }

  std::set<std::string> libraries_;  // ids of rules about them
  std::set<FileLine> counted_;
  std::array<WorkCount, 8> counts_;
  size_t edits_ = 0;
  std::set<std::string> edited_files_;
  std::set<std::string> open_files_;
};

std::string Hours(uint64_t minutes) {
  return fmt::format("{:.1f}", static_cast<double>(minutes) / 60);
}

Text Each(uint64_t minutes) {
  if (minutes < 60) return Say("{} min", "{} 分钟", minutes);
  return Say("{} h", "{} 小时", minutes / 60);
}

}  // namespace

ModeResult EffortOf(const RunResult& migration, const AnalyzedProject& project,
                    const ModeResult& torch_apis) {
  Counter counter(project);
  counter.AddApis(torch_apis);
  counter.AddMigration(migration);
  ModeResult result;
  Append(result.page,
         Say("automatic edits: {} in {} files; files with something for a person: {}\n",
             "自动修改: {} 处, {} 个文件; 需要人工处理的文件: {}\n", counter.edits(),
             counter.edited_files(), counter.open_files()));
  ResultTable table{
      "effort.csv", {"Task", "Places", "Units", "Assumed Minutes Per Unit", "Minutes"}, {}};
  table.rows.push_back({TextCell("automatic_edit"), TableCell(uint64_t{counter.edits()}),
                        TableCell(uint64_t{counter.edits()}), TableCell(uint64_t{0}),
                        TableCell(uint64_t{0})});
  uint64_t sum = 0;
  for (size_t i = 0; i < Tasks().size(); ++i) {
    const Task& task = Tasks().at(i);
    const uint64_t units = counter.counts().at(i).units.size();
    const uint64_t places = counter.counts().at(i).places;
    table.rows.push_back({TextCell(task.name), TableCell(places), TableCell(units),
                          TableCell(task.minutes), TableCell(units * task.minutes)});
    sum += units * task.minutes;
    if (places == 0) continue;
    Append(result.page,
           Text{fmt::format("  {}: {} places, {} {} x {} = {} h\n", task.what.en, places, units,
                            task.unit.en, Each(task.minutes).en, Hours(units * task.minutes)),
                fmt::format("  {}: {} 处, {} {} x {} = {} 小时\n", task.what.zh, places, units,
                            task.unit.zh, Each(task.minutes).zh, Hours(units * task.minutes))});
  }
  Append(result.page, Say("sum: {} h. The hours per unit are assumptions and not measured: put in "
                          "your own. Tests and tuning on an NPU are not in it.\n",
                          "合计: {} 小时。单位工时为假设而非实测: 请代入自己的数值。"
                          "不含 NPU 上的测试与调优。\n",
                          Hours(sum)));
  result.tables.push_back(std::move(table));
  return result;
}

}  // namespace transplt
