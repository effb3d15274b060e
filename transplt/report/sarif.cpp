// SPDX-License-Identifier: Apache-2.0
#include "transplt/report/sarif.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "transplt/base/plain_text.h"
#include "transplt/report/causes.h"
#include "transplt/report/fingerprints.h"
#include "transplt/report/json_items.h"
#include "transplt/report/record_place.h"
#include "transplt/report/totals.h"

// The sections that comments name are those of the OASIS standard SARIF 2.1.0.
namespace transplt {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
constexpr std::string_view kRoot = "%SRCROOT%";
constexpr size_t kShortColumns = 200;

std::string_view LevelOf(Severity severity) {
  switch (severity) {
    case Severity::kStopsImport:
    case Severity::kStopsRun:
      return "error";
    case Severity::kMayGoWrong:
      return "warning";
    case Severity::kSlower:
    case Severity::kNoEffect:
    case Severity::kNote:
      return "note";
  }
  return "none";
}

bool IsEdit(const ChangeRecord& record) {
  return record.applicability != Applicability::kDisplayOnly;
}

std::string_view LevelOf(const ChangeRecord& record) {
  return IsEdit(record) ? "note" : LevelOf(record.severity);
}

/// A plain text message: braces are doubled, because a single one begins a placeholder (3.11.5),
/// and "[x](y)" in code is kept from being read as a link (3.11.6). No message is empty (3.11.8).
Json Message(std::string_view text, std::string_view if_empty) {
  std::string message;
  for (const char c : ValidUtf8(text.empty() ? if_empty : text)) {
    if (c == '(' && message.ends_with(']')) message.push_back(' ');
    if (c == '{' || c == '}') message.push_back(c);
    message.push_back(c);
  }
  return {{"text", std::move(message)}};
}

Json ArtifactLocation(std::string_view root, const std::string& file) {
  return {{"uri", PercentEncoded(std::string(root) + file)}, {"uriBaseId", kRoot}};
}

Json RegionJson(const TextRegion& region) {
  return {{"startLine", region.start.line},
          {"startColumn", region.start.column},
          {"endLine", region.end.line},
          {"endColumn", region.end.column}};
}

/// What is known of the place: without an end column a region reaches to the end of its last line
/// (3.30.8).
Json PlaceJson(const ChangeRecord& record, const std::optional<TextRegion>& exact) {
  if (exact) return RegionJson(*exact);
  Json region = {{"startLine", record.start_line}};
  if (const uint32_t column = ColumnInFile(record); column > 0) region["startColumn"] = column;
  if (record.end_line > record.start_line) region["endLine"] = record.end_line;
  return region;
}

Json Location(std::string_view root, const ChangeRecord& record,
              const std::optional<TextRegion>& exact) {
  Json place = {{"artifactLocation", ArtifactLocation(root, record.file)}};
  if (record.start_line > 0) place["region"] = PlaceJson(record, exact);
  return {{"physicalLocation", std::move(place)}};
}

Json FixJson(std::string_view root, const ChangeRecord& record, const TextRegion& region) {
  Json replacement = {{"deletedRegion", RegionJson(region)},
                      {"insertedContent", {{"text", record.after}}}};
  Json change = {{"artifactLocation", ArtifactLocation(root, record.file)},
                 {"replacements", Json::array({std::move(replacement)})}};
  return {{"description", Message(record.message.en, record.rule_id)},
          {"artifactChanges", Json::array({std::move(change)})}};
}

/// The rules of a run, the worst causes first, then what only edits.
class Rules {
 public:
  explicit Rules(const RunResult& run) {
    for (const Cause& cause : CausesOf(run)) {
      Add(cause.id, LevelOf(cause.severity), cause.reason.en, cause.remedy.en);
    }
    for (const ChangeRecord& record : run.records) {
      if (!indexes_.contains(record.cause)) Add(record.cause, "note", record.message.en, "");
    }
  }

  const std::vector<Json>& rules() const { return rules_; }
  size_t IndexOf(const std::string& id) const { return indexes_.at(id); }

 private:
  void Add(const std::string& id, std::string_view level, const std::string& reason,
           const std::string& remedy) {
    indexes_.emplace(id, rules_.size());
    rules_.push_back({{"id", ValidUtf8(id)},
                      {"shortDescription", Message(FitColumns(OneLine(reason), kShortColumns), id)},
                      {"fullDescription", Message(reason, id)},
                      {"help", Message(remedy.empty() ? reason : remedy, id)},
                      {"defaultConfiguration", {{"level", level}}}});
  }

  std::vector<Json> rules_;
  std::unordered_map<std::string, size_t> indexes_;
};

Json ResultJson(const ChangeRecord& record, size_t rule, std::string_view root, bool with_fix,
                std::string fingerprint) {
  const std::optional<TextRegion> exact = ExactRegion(record);
  Json properties = {{"operation", Name(record.operation)},
                     {"applicability", Name(record.applicability)},
                     {"ruleId", record.rule_id}};
  if (!IsEdit(record)) properties["severity"] = Name(record.severity);
  Json result = {{"ruleId", ValidUtf8(record.cause)},
                 {"ruleIndex", rule},
                 {"level", LevelOf(record)},
                 {"message", Message(record.message.en, record.rule_id)},
                 {"locations", Json::array({Location(root, record, exact)})},
                 {"partialFingerprints", {{"transplt/v1", std::move(fingerprint)}}}};
  if (with_fix && IsEdit(record) && exact) {
    result["fixes"] = Json::array({FixJson(root, record, *exact)});
  }
  result["properties"] = std::move(properties);
  return result;
}

Json Invocation(const RunResult& run, std::string_view root) {
  bool is_successful = true;
  Json notifications = Json::array();
  for (const FileOutcome& file : run.files) {
    if (!IsNotLookedAt(file)) continue;
    const bool has_failed = file.status == FileOutcome::Status::kFailed;
    if (has_failed) is_successful = false;
    const Json place = {{"artifactLocation", ArtifactLocation(root, file.file)}};
    notifications.push_back({{"descriptor", {{"id", Name(file.status)}}},
                             {"level", has_failed ? "error" : "warning"},
                             {"message", Message(file.reason.en, Name(file.status))},
                             {"locations", Json::array({{{"physicalLocation", place}}})}});
  }
  return {{"executionSuccessful", is_successful},
          {"toolExecutionNotifications", std::move(notifications)}};
}

/// A file that was not looked at is a notification, not a result.
bool IsResult(const ChangeRecord& record) {
  return record.operation != Operation::kSkipped && record.operation != Operation::kFailed;
}

void WriteTool(const RunResult& run, const Rules& rules, const TextSink& out) {
  out(fmt::format("\"tool\": {{\"driver\": {{\"name\": \"transplt\", \"version\": {}, \"rules\": [",
                  OneLineJson(run.tool_version)));
  JsonItems items(out, "      ");
  for (const Json& rule : rules.rules()) items.Add(rule);
  out("]}},\n");
}

}  // namespace

void WriteSarif(const RunResult& run, std::string_view root, const TextSink& out) {
  const Rules rules(run);
  out(fmt::format("{{\n  \"$schema\": \"{}\",\n  \"version\": \"2.1.0\",\n  \"runs\": [{{\n    ",
                  kSchema));
  WriteTool(run, rules, out);
  // No `uri`: the log shall be the same wherever the checkout is (3.14.14).
  const Json base = {{"description",
                      {{"text",
                        "the folder in which transplt was started, or the project if it "
                        "is outside of it"}}}};
  const Json head = {{"invocations", Json::array({Invocation(run, root)})},
                     {"originalUriBaseIds", {{std::string(kRoot), base}}},
                     {"columnKind", "unicodeCodePoints"},
                     // A lone CR counts as a line end too.
                     {"newlineSequences", {"\r\n", "\n", "\r"}}};
  for (const auto& [key, value] : head.items()) {
    out(fmt::format("    \"{}\": {},\n", key, OneLineJson(value)));
  }
  out("    \"results\": [");
  JsonItems items(out, "      ");
  Fingerprints fingerprints;
  for (const ChangeRecord& record : run.records) {
    if (!IsResult(record)) continue;
    items.Add(ResultJson(record, rules.IndexOf(record.cause), root, !run.in_place,
                         fingerprints.Next(record)));
  }
  out("]\n  }]\n}\n");
}

}  // namespace transplt
