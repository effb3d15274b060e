// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/finding.h"

#include <utility>

namespace transplt {

Finding RowAt(TextRange range, std::string_view rule_id, Text message, Operation operation,
              std::optional<Severity> severity) {
  Finding finding;
  finding.range = range;
  finding.rule_id = rule_id;
  Leave(finding, std::move(message));
  finding.operation = operation;
  finding.severity = severity;
  return finding;
}

Severity SeverityOf(const Finding& finding) {
  if (finding.severity) return *finding.severity;
  switch (finding.operation) {
    case Operation::kUnsupported:
    case Operation::kUnknown:
      return Severity::kStopsRun;
    default:
      return Severity::kMayGoWrong;
  }
}

void Leave(Finding& finding, Text message) {
  finding.fix = {};
  finding.operation = Operation::kSuggestion;
  finding.applicability = Applicability::kDisplayOnly;
  finding.message = std::move(message);
}

std::string_view Name(Applicability applicability) {
  switch (applicability) {
    case Applicability::kSafe:
      return "safe";
    case Applicability::kUnsafe:
      return "unsafe";
    case Applicability::kDisplayOnly:
      return "display-only";
  }
  return "";
}

std::string_view Name(Operation operation) {
  switch (operation) {
    case Operation::kInsert:
      return "INSERT";
    case Operation::kModify:
      return "MODIFY";
    case Operation::kDelete:
      return "DELETE";
    case Operation::kUnsupported:
      return "UNSUPPORTED";
    case Operation::kUnknown:
      return "UNKNOWN";
    case Operation::kSuggestion:
      return "SUGGESTION";
    case Operation::kUnparsed:
      return "UNPARSED";
    case Operation::kSkipped:
      return "SKIPPED";
    case Operation::kFailed:
      return "FAILED";
  }
  return "";
}

}  // namespace transplt
