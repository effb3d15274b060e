// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/run_report.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "transplt/base/json_text.h"
#include "transplt/base/plain_text.h"
#include "transplt/project/file_error.h"

namespace transplt {
namespace {

using Json = nlohmann::json;

std::string EventText(const Json& event, const char* key) {
  const auto found = event.find(key);
  return found != event.end() && found->is_string() ? ValidUtf8(found->get<std::string>()) : "";
}

uint64_t NumberOf(const Json& event, const char* key, uint64_t otherwise) {
  const auto found = event.find(key);
  return found != event.end() && found->is_number_unsigned() ? found->get<uint64_t>() : otherwise;
}

bool FlagOf(const Json& event, const char* key, bool otherwise) {
  const auto found = event.find(key);
  return found != event.end() && found->is_boolean() ? found->get<bool>() : otherwise;
}

uint32_t LineOf(const Json& event) { return static_cast<uint32_t>(NumberOf(event, "line", 0)); }

ReportedPlace PlaceOf(const Json& event) {
  return {EventText(event, "what"),    EventText(event, "file"),         LineOf(event),
          NumberOf(event, "count", 1), FlagOf(event, "harmless", false), EventText(event, "now")};
}

ReportedOperator OperatorOf(const Json& event) {
  ReportedOperator seen{EventText(event, "op"),      {},
                        EventText(event, "file"),    LineOf(event),
                        NumberOf(event, "count", 1), EventText(event, "support"),
                        EventText(event, "note")};
  const auto types = event.find("dtype");
  if (types != event.end() && types->is_array()) {
    for (const Json& type : *types) {
      if (type.is_string()) seen.types.push_back(ValidUtf8(type.get<std::string>()));
    }
  }
  return seen;
}

/// Joins what differs in its count alone.
template <typename T>
void Join(const T& item, std::vector<T>& all) {
  const auto found = std::find_if(all.begin(), all.end(), [&](T known) {
    known.count = item.count;
    return known == item;
  });
  if (found == all.end()) {
    all.push_back(item);
  } else {
    found->count += item.count;
  }
}

template <typename T>
void SortByPlace(std::vector<T>& items) {
  std::sort(items.begin(), items.end(), [](const T& a, const T& b) {
    return std::tie(a.file, a.line) != std::tie(b.file, b.line)
               ? std::tie(a.file, a.line) < std::tie(b.file, b.line)
               : a < b;
  });
}

void AddWork(const Json& event, RunReport& report) {
  ReportedWork& work = event.contains("index") ? report.device_work : report.cpu_work;
  work.operators += NumberOf(event, "operators", 0);
  work.backwards += NumberOf(event, "backwards", 0);
  if (work.file.empty()) {
    work.file = EventText(event, "file");
    work.line = LineOf(event);
  }
}

/// The number of steps is the smallest of those after which processes were ended.
void AddSteps(const Json& event, RunReport& report) {
  const uint64_t count = NumberOf(event, "count", 0);
  report.is_late = report.is_late || FlagOf(event, "late", false);
  if (report.steps == 0 || count < report.steps) {
    report.steps = count;
    report.ended_trainers = 0;
  }
  if (count == report.steps) ++report.ended_trainers;
}

void AddEvent(const std::string& kind, const Json& event, RunReport& report) {
  if (kind == "torch") {
    report.torch = EventText(event, "version");
    report.torch_supported = report.torch_supported && FlagOf(event, "supported", true);
  } else if (kind == "steps") {
    AddSteps(event, report);
  } else if (kind == "trains") {
    ++report.trainers;
  } else if (kind == "device") {
    report.used_device = true;
  } else if (kind == "short_of_data") {
    report.short_of_data = true;
  } else if (kind == "batches") {
    report.largest_batch = std::max(report.largest_batch, NumberOf(event, "count", 0));
  } else if (kind == "slow_step") {
    report.is_slow = true;
    report.has_few_data = report.has_few_data || FlagOf(event, "short_of_data", false);
  } else if (kind == "wants_devices") {
    report.wanted_devices = std::max(report.wanted_devices, NumberOf(event, "count", 0));
  } else if (kind == "work") {
    AddWork(event, report);
  } else if (kind == "exit") {
    const auto code = event.find("code");
    if (code != event.end() && code->is_number_integer() && code->get<int64_t>() != 0) {
      report.failed_exits.push_back(code->get<int64_t>());
    }
  } else if (kind == "residual") {
    Join(PlaceOf(event), report.residual);
  } else if (EventText(event, "kind") == "cpu_only") {
    Join(PlaceOf(event), report.cpu_only);
  } else if (kind == "stand_in") {
    Join(PlaceOf(event), report.stand_ins);
  } else if (kind == "fake_download") {
    Join(PlaceOf(event), report.fake_downloads);
  } else if (kind == "fake_weights") {
    Join(PlaceOf(event), report.fake_weights);
  } else if (kind == "old_spelling") {
    Join(PlaceOf(event), report.old_spellings);
  } else if (kind == "violation") {
    Join(PlaceOf(event), report.violations);
  } else if (kind == "unsimulated") {
    Join(PlaceOf(event), report.unsimulated);
  } else if (kind == "op") {
    Join(OperatorOf(event), report.operators);
  } else if (kind == "exception") {
    report.exceptions.push_back({EventText(event, "type"), EventText(event, "message"),
                                 EventText(event, "file"), LineOf(event),
                                 EventText(event, "process"), false});
  }
}

}  // namespace

void AddReport(std::string_view lines, RunReport& report) {
  bool started = false;
  bool ended = false;
  std::set<uint64_t> indices;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    const Json event = ParseJson(line);
    if (event.is_object()) {
      const std::string kind = EventText(event, "event");
      started = started || kind == "start";
      ended = ended || kind == "exit";
      if (kind == "device") indices.insert(NumberOf(event, "index", 0));
      AddEvent(kind, event, report);
    } else if (!line.empty() && !lines.empty()) {
      ++report.unreadable;  // the last line of a process that was killed may be cut off
    }
  }
  report.processes += started ? 1 : 0;
  report.unfinished += started && !ended ? 1 : 0;
  if (!indices.empty()) report.device_indices.push_back(std::move(indices));
  std::sort(report.device_indices.begin(), report.device_indices.end());
  std::sort(report.failed_exits.begin(), report.failed_exits.end());
  SortByPlace(report.residual);
  SortByPlace(report.violations);
  SortByPlace(report.unsimulated);
  SortByPlace(report.cpu_only);
  SortByPlace(report.stand_ins);
  SortByPlace(report.fake_weights);
  SortByPlace(report.fake_downloads);
  SortByPlace(report.old_spellings);
  SortByPlace(report.operators);
  std::sort(report.exceptions.begin(), report.exceptions.end());
}

Result<RunReport> ReadRunReport(const std::string& folder) {
  RunReport report;
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  if (error) {
    return FileError(folder, Say("cannot read the report", "无法读取报告"), error.value());
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& path : files) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    AddReport(text.str(), report);
  }
  return report;
}

}  // namespace transplt
