// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/severity.h"

namespace transplt {

std::string_view Name(Severity severity) {
  switch (severity) {
    case Severity::kStopsImport:
      return "stops-import";
    case Severity::kStopsRun:
      return "stops-run";
    case Severity::kMayGoWrong:
      return "may-go-wrong";
    case Severity::kSlower:
      return "slower";
    case Severity::kNoEffect:
      return "no-effect";
    case Severity::kNote:
      return "note";
  }
  return "";
}

std::optional<Severity> SeverityNamed(std::string_view name) {
  for (const Severity severity : kSeverities) {
    if (Name(severity) == name) return severity;
  }
  return std::nullopt;
}

Text TitleOf(Severity severity) {
  switch (severity) {
    case Severity::kStopsImport:
      return Say("stops import", "导入失败");
    case Severity::kStopsRun:
      return Say("stops run", "运行中断");
    case Severity::kMayGoWrong:
      return Say("may go wrong", "可能出错");
    case Severity::kSlower:
      return Say("slower", "较慢");
    case Severity::kNoEffect:
      return Say("no effect", "无效果");
    case Severity::kNote:
      return Say("note", "供参考");
  }
  return {};
}

}  // namespace transplt
