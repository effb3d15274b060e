// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/finding.h"

namespace transplt {

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
