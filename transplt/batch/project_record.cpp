// SPDX-License-Identifier: Apache-2.0
#include "transplt/batch/project_record.h"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "transplt/base/json_text.h"
#include "transplt/report/totals.h"

namespace transplt {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

struct OutcomeRow {
  ProjectOutcome outcome;
  std::string_view name;
  const char* en;
  const char* zh;
};

using enum ProjectOutcome;

constexpr std::array<OutcomeRow, kProjectOutcomes.size()> kOutcomes = {{
    {kMigrated, "migrated", "migrated", "已迁移"},
    {kUnchanged, "unchanged", "unchanged", "无需修改"},
    {kNeedsPerson, "needs_person", "needs a person", "需人工处理"},
    {kFailed, "failed", "failed", "失败"},
    {kUnreadable, "unreadable", "unreadable", "无法读取"},
    {kCrashed, "crashed", "crashed", "崩溃"},
    {kTimedOut, "timed_out", "timed out", "超时"},
    {kOutOfMemory, "out_of_memory", "out of memory", "内存不足"},
}};

const OutcomeRow& RowOf(ProjectOutcome outcome) {
  return *std::find_if(kOutcomes.begin(), kOutcomes.end(),
                       [&](const OutcomeRow& row) { return row.outcome == outcome; });
}

/// File names may hold any byte: what is not UTF-8 becomes U+FFFD instead of an exception.
std::string Dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A record that is read back; discarded if it is none.
Json ParseRecord(std::string_view line) { return ParseOrderedJson(line); }

std::string SignalName(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

/// Why a person is needed, each reason once, in the order of rule, operation and text.
Json CausesJson(const RunResult& run) {
  using Cause = std::tuple<std::string, std::string, std::string>;
  std::map<Cause, uint64_t> causes;
  for (const ChangeRecord& record : run.records) {
    if (record.applicability != Applicability::kDisplayOnly) continue;
    ++causes[Cause(record.rule_id, Name(record.operation), record.message.en)];
  }
  Json list = Json::array();
  for (const auto& [cause, places] : causes) {
    const auto& [rule, operation, reason] = cause;
    list.push_back(
        {{"rule", rule}, {"operation", operation}, {"reason", reason}, {"places", places}});
  }
  return list;
}

Json RulesOf(const RunResult& run) {
  std::map<std::string, uint64_t> rows;
  for (const ChangeRecord& record : run.records) {
    if (!record.rule_id.empty()) ++rows[record.rule_id];
  }
  Json rules = Json::object();
  for (const auto& [rule, count] : rows) rules[rule] = count;
  return rules;
}

ProjectOutcome OutcomeOf(const RunResult& run, const Totals& totals) {
  if (totals.left_open > 0 || HasUnreadParts(run)) return kNeedsPerson;
  return totals.edits > 0 ? kMigrated : kUnchanged;
}

double Rounded(double seconds) { return std::round(seconds * 1000) / 1000; }

}  // namespace

std::string_view Name(ProjectOutcome outcome) { return RowOf(outcome).name; }

Text OutcomeText(ProjectOutcome outcome) {
  const OutcomeRow& row = RowOf(outcome);
  return {row.en, row.zh};
}

std::optional<ProjectOutcome> OutcomeNamed(std::string_view name) {
  for (const OutcomeRow& row : kOutcomes) {
    if (row.name == name) return row.outcome;
  }
  return std::nullopt;
}

std::string MigrationBody(const RunResult& run, const std::string& output,
                          const std::string& digest) {
  const Totals totals = Count(run);
  Json files = Json::object();
  for (FileOutcome::Status status : kStatuses) {
    files[std::string(Name(status))] = totals.statuses.at(status);
  }
  files["ignored"] = run.ignored_files;
  Json operations = Json::object();
  for (Operation operation : kOperations) {
    operations[std::string(Name(operation))] = totals.operations.at(operation);
  }
  return Dump(
      {{"outcome", Name(OutcomeOf(run, totals))},
       {"exit_code", HasUnreadParts(run) ? 1 : 0},
       {"framework", run.framework},
       {"output", output.empty() ? Json(nullptr) : Json(output)},
       {"output_hash", digest.empty() ? Json(nullptr) : Json(digest)},
       {"files", std::move(files)},
       {"edits", {{"safe", totals.edits - totals.unsafe_edits}, {"unsafe", totals.unsafe_edits}}},
       {"left_open", totals.left_open},
       {"unsupported", totals.operations.at(Operation::kUnsupported)},
       {"operations", std::move(operations)},
       {"rules", RulesOf(run)},
       {"causes", CausesJson(run)}});
}

std::string ErrorBody(ProjectOutcome outcome, const Error& error) {
  return Dump({{"outcome", Name(outcome)},
               {"exit_code", 2},
               {"error", {{"where", error.where}, {"what", error.what.en}}}});
}

std::string AbnormalBody(ProjectOutcome outcome, int signal, const Text& what) {
  Json body = {{"outcome", Name(outcome)}, {"exit_code", nullptr}};
  if (signal != 0) body["signal"] = SignalName(signal);
  body["error"] = {{"where", ""}, {"what", what.en}};
  return Dump(body);
}

std::string RecordLine(const RecordKey& key, const std::string& body,
                       const std::optional<RunCost>& cost) {
  Json record = {{"schema_version", kSchemaVersion},
                 {"number", key.number},
                 {"name", key.name},
                 {"path", key.path},
                 {"transplt", TRANSPLT_VERSION},
                 {"rules_hash", key.rules},
                 {"inputs_hash", key.inputs}};
  record.update(ParseRecord(body));
  if (cost) {
    record["run"] = {{"wall_seconds", Rounded(cost->wall_seconds)},
                     {"cpu_seconds", Rounded(cost->cpu_seconds)},
                     {"peak_memory_bytes", cost->peak_memory}};
    if (!cost->stderr_text.empty()) record["run"]["stderr"] = cost->stderr_text;
  }
  return Dump(record) + "\n";
}

std::optional<RecordHead> ReadRecordHead(std::string_view line) {
  const Json record = ParseRecord(line);
  if (!record.is_object() || record.value("schema_version", Json()) != kSchemaVersion) {
    return std::nullopt;
  }
  const auto text = [&](const char* key) {
    const auto found = record.find(key);
    return found != record.end() && found->is_string() ? found->get<std::string>() : "";
  };
  const auto number = record.find("number");
  const auto outcome = OutcomeNamed(text("outcome"));
  if (number == record.end() || !number->is_number_unsigned() || !outcome || text("name").empty()) {
    return std::nullopt;
  }
  return RecordHead{number->get<size_t>(), text("name"), text("inputs_hash"), *outcome};
}

std::string AdaptedRecord(std::string_view line, size_t number, bool with_run) {
  Json record = ParseRecord(line);
  record["number"] = number;
  if (!with_run) record.erase("run");
  return Dump(record) + "\n";
}

}  // namespace transplt
