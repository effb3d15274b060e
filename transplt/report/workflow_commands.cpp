// SPDX-License-Identifier: Apache-2.0
#include "transplt/report/workflow_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "transplt/base/plain_text.h"
#include "transplt/report/causes.h"
#include "transplt/report/record_place.h"

namespace transplt {
namespace {

enum Kind : size_t { kError, kWarning, kNotice };
constexpr std::array<std::string_view, 3> kCommands = {"error", "warning", "notice"};
// One notice less than GitHub shows: the last one says what was left out.
constexpr std::array<size_t, 3> kMost = {10, 10, 9};

Kind KindOf(Severity severity) {
  if (severity <= Severity::kStopsRun) return kError;
  return severity == Severity::kMayGoWrong ? kWarning : kNotice;
}

/// The text of a command, or, with more to escape, the value of one of its properties.
std::string CommandText(std::string_view text, bool is_property) {
  std::string escaped;
  for (const char c : ValidUtf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_special = c == '%' || c == '\r' || c == '\n';
    if (is_special || (is_property && (c == ':' || c == ','))) {
      escaped += fmt::format("%{:02X}", byte);
    } else if ((byte < 0x20 && c != '\t') || byte == 0x7F) {
      escaped += "\uFFFD";  // it could move the cursor of who reads the log
    } else {
      escaped.push_back(c);
    }
  }
  return escaped;
}

std::string Command(const Cause& cause, const ChangeRecord& record, std::string_view root) {
  std::string command = fmt::format("::{} file={}", kCommands[KindOf(record.severity)],
                                    CommandText(std::string(root) + record.file, true));
  if (record.start_line > 0) {
    command += fmt::format(",line={}", record.start_line);
    if (const uint32_t column = ColumnInFile(record); column > 0) {
      command += fmt::format(",col={}", column);
    }
  }
  const std::string title = fmt::format("{} ({})", TitleOf(record.severity).en, cause.id);
  return fmt::format("{},title={}::{}\n", command, CommandText(title, true),
                     CommandText(record.message.en, false));
}

/// Calls `take` for one place of each cause, then for a second one, and so on.
template <typename Take>
void ForEachInTurn(const std::vector<Cause>& causes, size_t most_turns, const Take& take) {
  for (size_t turn = 0; turn < most_turns; ++turn) {
    for (const Cause& cause : causes) {
      if (turn < cause.places.size()) take(cause, *cause.places[turn]);
    }
  }
}

}  // namespace

void WriteWorkflowCommands(const RunResult& run, std::string_view root, const TextSink& out) {
  const std::vector<Cause> causes = CausesOf(run);
  std::array<size_t, 3> left = {};
  for (const Cause& cause : causes) {
    for (const ChangeRecord* record : cause.places) ++left[KindOf(record->severity)];
  }
  std::array<std::vector<std::string>, 3> commands;
  ForEachInTurn(causes, kMost[kError], [&](const Cause& cause, const ChangeRecord& record) {
    const Kind kind = KindOf(record.severity);
    if (commands[kind].size() < kMost[kind]) {
      commands[kind].push_back(Command(cause, record, root));
      --left[kind];
    }
  });
  for (const auto& of_kind : commands) {
    for (const std::string& command : of_kind) out(command);
  }
  if (left[kError] + left[kWarning] + left[kNotice] == 0) return;
  out(
      fmt::format("::notice title=transplt::not shown here: {} more errors, {} more warnings, {} "
                  "more notices; `transplt migrate --list causes` prints them all\n",
                  left[kError], left[kWarning], left[kNotice]));
}

}  // namespace transplt
