// SPDX-License-Identifier: Apache-2.0
#include "transplt/report/run_json.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

#include "transplt/report/causes.h"
#include "transplt/report/json_items.h"
#include "transplt/report/totals.h"

namespace transplt {
namespace {

using Json = nlohmann::ordered_json;

Json Place(uint32_t number) { return number == 0 ? Json(nullptr) : Json(number); }

Json RecordJson(const ChangeRecord& record) {
  const bool whole_file = record.start_line == 0;
  const bool is_edit = record.applicability != Applicability::kDisplayOnly;
  return {{"file", record.file},
          {"start_line", Place(record.start_line)},
          {"end_line", Place(whole_file ? 0 : record.end_line)},
          {"column", Place(whole_file ? 0 : record.column)},
          {"operation", Name(record.operation)},
          {"message", record.message.en},
          {"rule_id", record.rule_id},
          {"cause", record.cause},
          {"severity", is_edit ? Json(nullptr) : Json(Name(record.severity))},
          {"programs", record.programs},
          {"settings", record.settings},
          {"applicability", Name(record.applicability)},
          {"before", record.before},
          {"after", record.after},
          {"source_line", record.source_line}};
}

Json CauseJson(const Cause& cause) {
  return {{"id", cause.id},
          {"severity", Name(cause.severity)},
          {"reason", cause.reason.en},
          {"remedy", cause.remedy.en},
          {"on_machine", cause.on_machine},
          {"places", cause.places.size()}};
}

Json ProgramJson(const ProgramOutcome& program) {
  Json optional = Json::array();
  for (const auto& [cause, settings] : program.optional) {
    optional.push_back({{"cause", cause}, {"settings", settings}});
  }
  return {{"path", program.path},
          {"trains", program.trains},
          {"verdict", Name(program.verdict)},
          {"causes", program.causes},
          {"further_causes", program.further},
          {"optional_causes", std::move(optional)},
          {"unknown_packages", program.unknown_packages},
          {"cuda_lines", program.cuda_lines}};
}

Json FileJson(const FileOutcome& file) {
  return {{"file", file.file},
          {"status", Name(file.status)},
          {"reason", file.reason.en},
          {"edits", file.edits},
          {"left_open", file.left_open}};
}

Json TotalsJson(const RunResult& run) {
  const Totals totals = Count(run);
  Json operations = Json::object();
  for (Operation operation : kOperations) {
    operations[std::string(Name(operation))] = totals.operations.at(operation);
  }
  Json statuses = Json::object();
  for (FileOutcome::Status status : kStatuses) {
    statuses[std::string(Name(status))] = totals.statuses.at(status);
  }
  statuses["ignored"] = run.ignored_files;
  return {{"edits", totals.edits},
          {"unsafe_edits", totals.unsafe_edits},
          {"left_open", totals.left_open},
          {"operations", std::move(operations)},
          {"files", std::move(statuses)}};
}

/// Prints `"key": [...]`.
template <typename Item>
void WriteList(std::string_view key, const std::vector<Item>& items, Json (*to_json)(const Item&),
               const TextSink& out) {
  out(fmt::format("  \"{}\": [", key));
  JsonItems list(out, "    ");
  for (const Item& item : items) list.Add(to_json(item));
  out(items.empty() ? "],\n" : "\n  ],\n");
}

}  // namespace

void WriteRunJson(const RunResult& run, std::string_view /*root*/, const TextSink& out) {
  const Json head = {{"schema_version", 1},
                     {"tool", {{"name", "transplt"}, {"version", run.tool_version}}},
                     {"framework", run.framework},
                     {"torch_version", run.torch_version},
                     {"torch_npu", run.torch_npu},
                     {"cann", run.cann},
                     {"versions_from", run.versions_from.en},
                     {"input", run.input},
                     {"output", run.output},
                     {"ignored_folders", run.ignored_folders}};
  out("{\n");
  for (const auto& [key, value] : head.items()) {
    out(fmt::format("  \"{}\": {},\n", key, OneLineJson(value)));
  }
  WriteList("files", run.files, FileJson, out);
  WriteList("programs", run.programs, ProgramJson, out);
  WriteList("causes", CausesOf(run), CauseJson, out);
  WriteList("records", run.records, RecordJson, out);
  out(fmt::format("  \"totals\": {}\n}}\n", OneLineJson(TotalsJson(run))));
}

}  // namespace transplt
