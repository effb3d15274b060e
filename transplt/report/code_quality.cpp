// SPDX-License-Identifier: Apache-2.0
#include "transplt/report/code_quality.h"

#include <algorithm>
#include <string>
#include <utility>

#include "transplt/report/fingerprints.h"
#include "transplt/report/json_items.h"

namespace transplt {
namespace {

using Json = nlohmann::ordered_json;

std::string_view SeverityOf(Severity severity) {
  switch (severity) {
    case Severity::kStopsImport:
      return "blocker";
    case Severity::kStopsRun:
      return "critical";
    case Severity::kMayGoWrong:
      return "major";
    case Severity::kSlower:
      return "minor";
    case Severity::kNoEffect:
    case Severity::kNote:
      return "info";
  }
  return "info";
}

Json Issue(const ChangeRecord& record, std::string_view root, std::string fingerprint) {
  // GitLab demands a line also of what is about a whole file.
  const uint32_t first = std::max(record.start_line, 1U);
  const Json lines = {{"begin", first}, {"end", std::max(record.end_line, first)}};
  return {{"description", record.message.en},
          {"check_name", record.cause},
          {"fingerprint", std::move(fingerprint)},
          {"severity", SeverityOf(record.severity)},
          {"location", {{"path", std::string(root) + record.file}, {"lines", lines}}}};
}

}  // namespace

void WriteCodeQuality(const RunResult& run, std::string_view root, const TextSink& out) {
  out("[");
  JsonItems items(out, "  ");
  Fingerprints fingerprints;
  for (const ChangeRecord& record : run.records) {
    std::string fingerprint = fingerprints.Next(record);
    if (record.applicability != Applicability::kDisplayOnly) continue;
    items.Add(Issue(record, root, std::move(fingerprint)));
  }
  out(items.empty() ? "]\n" : "\n]\n");
}

}  // namespace transplt
