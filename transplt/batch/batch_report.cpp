// SPDX-License-Identifier: Apache-2.0
#include "transplt/batch/batch_report.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "transplt/base/json_text.h"
#include "transplt/project/file_error.h"
#include "transplt/project/folder_handle.h"
#include "transplt/report/change_list_csv.h"

namespace transplt {
namespace {

/// A member of a record that may be missing, such as those of a project that crashed.
uint64_t NumberAt(const nlohmann::json& record, const char* pointer) {
  const nlohmann::json::json_pointer at(pointer);
  if (!record.contains(at) || !record.at(at).is_number_unsigned()) return 0;
  return record.at(at).get<uint64_t>();
}

double SecondsAt(const nlohmann::json& record, const char* pointer) {
  const nlohmann::json::json_pointer at(pointer);
  return record.contains(at) && record.at(at).is_number() ? record.at(at).get<double>() : 0;
}

std::string TextAt(const nlohmann::json& record, const char* pointer) {
  const nlohmann::json::json_pointer at(pointer);
  if (!record.contains(at) || !record.at(at).is_string()) return "";
  return record.at(at).get<std::string>();
}

size_t IndexOf(ProjectOutcome outcome) {
  const auto* const found = std::find(kProjectOutcomes.begin(), kProjectOutcomes.end(), outcome);
  return static_cast<size_t>(found - kProjectOutcomes.begin());
}

/// True if the migration gave a result.
bool HasResult(ProjectOutcome outcome) {
  return outcome == ProjectOutcome::kMigrated || outcome == ProjectOutcome::kUnchanged ||
         outcome == ProjectOutcome::kNeedsPerson;
}

std::string TroubleText(const nlohmann::json& record) {
  std::string text;
  for (const char* part : {"/signal", "/error/where", "/error/what"}) {
    const std::string value = TextAt(record, part);
    if (!value.empty()) text += (text.empty() ? "" : ": ") + value;
  }
  return text;
}

class Reader {
 public:
  explicit Reader(bool with_times) : with_times_(with_times) {}

  std::optional<Error> Add(const RecordHead& head, std::string_view line, const RecordPlace& place,
                           const std::vector<std::string>& files, size_t file) {
    const auto [earlier, is_new] = files_by_name_.emplace(head.name, file);
    if (!is_new) {
      return Error{Error::Code::kUsage, files[file],
                   Say("holds a record of {}, and so does {}: give each record once",
                       "含有 {} 的记录, {} 中亦有: 每条记录只应出现一次", head.name,
                       files[earlier->second])};
    }
    report_.sources.push_back({place, head.name, file});
    AddRecord(head, ParseJson(line));
    return std::nullopt;
  }

  BatchReport Finish() {
    std::sort(report_.sources.begin(), report_.sources.end(), [](const auto& a, const auto& b) {
      return std::tie(a.place.number, a.name) < std::tie(b.place.number, b.name);
    });
    std::sort(troubles_.begin(), troubles_.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [number, trouble] : troubles_) report_.troubles.push_back(std::move(trouble));
    return std::move(report_);
  }

 private:
  void AddRecord(const RecordHead& head, const nlohmann::json& record) {
    ++report_.outcomes.at(IndexOf(head.outcome));
    if (!HasResult(head.outcome)) {
      troubles_.emplace_back(head.number,
                             BatchReport::Trouble{head.name, head.outcome, TroubleText(record)});
    } else {
      AddCounts(record);
    }
    if (with_times_ && record.contains("run")) AddTimes(head, record);
  }

  void AddCounts(const nlohmann::json& record) {
    for (const char* status : {"migrated", "unchanged", "copied", "skipped", "failed"}) {
      report_.files += NumberAt(record, fmt::format("/files/{}", status).c_str());
    }
    report_.migrated_files += NumberAt(record, "/files/migrated");
    report_.safe_edits += NumberAt(record, "/edits/safe");
    report_.unsafe_edits += NumberAt(record, "/edits/unsafe");
    report_.unsupported += NumberAt(record, "/unsupported");
    const uint64_t open = NumberAt(record, "/left_open");
    report_.left_open += open;
    const auto* const effort =
        std::find_if(kEffortClasses.begin(), kEffortClasses.end(),
                     [&](const EffortClass& known) { return open <= known.most; });
    AddTo(report_.effort.at(static_cast<size_t>(effort - kEffortClasses.begin())), open);
    if (record.contains("rules") && record["rules"].is_object()) {
      for (const auto& [rule, rows] : record["rules"].items()) {
        AddTo(report_.rules[rule], rows.is_number_unsigned() ? rows.get<uint64_t>() : 0);
      }
    }
    if (!record.contains("causes") || !record["causes"].is_array()) return;
    for (const nlohmann::json& cause : record["causes"]) {
      AddTo(report_.reasons[{TextAt(cause, "/rule"), TextAt(cause, "/reason")}],
            NumberAt(cause, "/places"));
    }
  }

  static void AddTo(Spread& spread, uint64_t places) {
    ++spread.projects;
    spread.places += places;
  }

  void AddTimes(const RecordHead& head, const nlohmann::json& record) {
    report_.has_times = true;
    report_.cpu_seconds += SecondsAt(record, "/run/cpu_seconds");
    auto& slowest = report_.slowest;
    const BatchReport::Slow slow{SecondsAt(record, "/run/wall_seconds"), head.name};
    const auto is_slower = [](const auto& a, const auto& b) {
      return a.wall_seconds != b.wall_seconds ? a.wall_seconds > b.wall_seconds : a.name < b.name;
    };
    slowest.insert(std::upper_bound(slowest.begin(), slowest.end(), slow, is_slower), slow);
    if (slowest.size() > BatchReport::kSlowest) slowest.pop_back();
  }

  const bool with_times_;
  BatchReport report_;
  std::vector<std::pair<size_t, BatchReport::Trouble>> troubles_;
  std::unordered_map<std::string, size_t> files_by_name_;
};

}  // namespace

Result<BatchReport> ReadBatchReport(const std::vector<std::string>& files, bool with_times) {
  Reader reader(with_times);
  for (size_t file = 0; file < files.size(); ++file) {
    const Result<Done> done = ReadResults(
        files[file], [&](const RecordHead& head, std::string_view line, const RecordPlace& place) {
          return reader.Add(head, line, place, files, file);
        });
    if (!done) return done.error();
  }
  return reader.Finish();
}

void CompareWithManifest(BatchReport& report, const Manifest& manifest) {
  std::unordered_set<std::string_view> recorded;
  for (const BatchReport::Source& source : report.sources) recorded.insert(source.name);
  std::unordered_set<std::string_view> wanted;
  for (const BatchProject& project : manifest.projects) {
    wanted.insert(project.name);
    if (!recorded.contains(project.name)) report.missing.push_back(project.name);
  }
  for (const BatchReport::Source& source : report.sources) {
    if (!wanted.contains(source.name)) report.unknown.push_back(source.name);
  }
}

Result<Done> ForEachRecord(
    const BatchReport& report, const std::vector<std::string>& files,
    const std::function<void(const RecordPlace& place, const std::string& line)>& take) {
  std::vector<FileHandle> opened;
  for (const std::string& file : files) {
    opened.emplace_back(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  }
  std::string line;
  for (const BatchReport::Source& source : report.sources) {
    line.resize(source.place.size);
    const ssize_t got = pread(opened[source.file].get(), line.data(), line.size(),
                              static_cast<off_t>(source.place.offset));
    if (got != static_cast<ssize_t>(line.size())) {
      return FileError(files[source.file], Say("cannot read the results", "无法读取结果记录"),
                       got < 0 ? errno : EIO);
    }
    take(source.place, line);
  }
  return Done();
}

std::string ProjectCsvHeader(bool with_times) {
  std::string header =
      "Number,Name,Path,Outcome,Exit Code,Files,Migrated Files,Safe Edits,Unsafe Edits,"
      "Left For A Person,Unsupported,Output,Output Hash,Error";
  if (with_times) header += ",Wall Seconds,CPU Seconds,Peak Memory Bytes";
  return header + "\n";
}

std::string ProjectCsvRow(std::string_view line, bool with_times) {
  const nlohmann::json record = ParseJson(line);
  uint64_t files = 0;
  for (const char* status : {"migrated", "unchanged", "copied", "skipped", "failed"}) {
    files += NumberAt(record, fmt::format("/files/{}", status).c_str());
  }
  const bool has_code = record.contains("exit_code") && record["exit_code"].is_number_unsigned();
  TableRow row = {TableCell(NumberAt(record, "/number")),
                  TextCell(TextAt(record, "/name")),
                  TextCell(TextAt(record, "/path")),
                  TextCell(TextAt(record, "/outcome")),
                  has_code ? TableCell(NumberAt(record, "/exit_code")) : TableCell(),
                  TableCell(files),
                  TableCell(NumberAt(record, "/files/migrated")),
                  TableCell(NumberAt(record, "/edits/safe")),
                  TableCell(NumberAt(record, "/edits/unsafe")),
                  TableCell(NumberAt(record, "/left_open")),
                  TableCell(NumberAt(record, "/unsupported")),
                  TextCell(TextAt(record, "/output")),
                  TextCell(TextAt(record, "/output_hash")),
                  TextCell(TroubleText(record))};
  if (with_times) {
    row.push_back(TextCell(fmt::format("{:.3f}", SecondsAt(record, "/run/wall_seconds"))));
    row.push_back(TextCell(fmt::format("{:.3f}", SecondsAt(record, "/run/cpu_seconds"))));
    row.push_back(TableCell(NumberAt(record, "/run/peak_memory_bytes")));
  }
  std::string csv;
  AppendCsvRow(csv, row);
  return csv;
}

}  // namespace transplt
