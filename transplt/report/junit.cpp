// SPDX-License-Identifier: Apache-2.0
#include "transplt/report/junit.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "transplt/base/plain_text.h"
#include "transplt/report/causes.h"
#include "transplt/report/record_place.h"
#include "transplt/report/totals.h"

namespace transplt {
namespace {

/// Text of an element or an attribute. What XML 1.0 cannot hold at all becomes U+FFFD.
std::string XmlText(std::string_view text) {
  const std::string valid = ValidUtf8(text);
  std::string escaped;
  for (size_t position = 0; position < valid.size();) {
    const size_t start = position;
    const char32_t character = NextCharacter(valid, position).value_or(0);
    const bool is_line_end = character == '\n' || character == '\r' || character == '\t';
    const bool is_syntax = character == '&' || character == '<' || character == '>' ||
                           character == '"' || character == '\'';
    if (is_line_end || is_syntax) {
      escaped += fmt::format("&#{};", static_cast<uint32_t>(character));
    } else if (character < 0x20 || character == 0xFFFE || character == 0xFFFF) {
      escaped += "\uFFFD";
    } else {
      escaped.append(valid, start, position - start);
    }
  }
  return escaped;
}

bool Fails(const Cause& cause) { return cause.severity <= Severity::kStopsRun; }

/// The causes of the test cases. Files that were not looked at have test cases of their own.
std::vector<Cause> CausesInFiles(const RunResult& run) {
  std::vector<Cause> causes = CausesOf(run);
  std::erase_if(causes, [](const Cause& cause) {
    return std::ranges::all_of(cause.places, [](const ChangeRecord* record) {
      return record->operation == Operation::kSkipped || record->operation == Operation::kFailed;
    });
  });
  return causes;
}

void WriteTestCase(const Cause& cause, std::string_view root, const TextSink& out) {
  const std::string_view element = Fails(cause) ? "failure" : "system-out";
  out(fmt::format("    <testcase classname=\"transplt.{}\" name=\"{}\">\n      <{}",
                  Name(cause.severity), XmlText(cause.id), element));
  if (Fails(cause)) {
    out(fmt::format(" type=\"{}\" message=\"{}\"", Name(cause.severity), XmlText(cause.reason.en)));
  }
  out(">");
  if (!cause.remedy.empty()) out(XmlText(cause.remedy.en) + "\n");
  for (const ChangeRecord* record : cause.places) {
    out(fmt::format("{}: {}\n", XmlText(PlaceOf(root, *record)),
                    XmlText(OneLine(record->message.en))));
  }
  out(fmt::format("</{}>\n    </testcase>\n", element));
}

void WriteUnreadFile(const FileOutcome& file, std::string_view root, const TextSink& out) {
  out(fmt::format(
      "    <testcase classname=\"transplt.files\" name=\"{}\">\n"
      "      <error type=\"{}\" message=\"{}\"/>\n    </testcase>\n",
      XmlText(OneLine(std::string(root) + file.file)), Name(file.status), XmlText(file.reason.en)));
}

}  // namespace

void WriteJunit(const RunResult& run, std::string_view root, const TextSink& out) {
  const std::vector<Cause> causes = CausesInFiles(run);
  const auto failures = std::ranges::count_if(causes, Fails);
  const auto errors = std::ranges::count_if(run.files, IsNotLookedAt);
  // Programs that read JUnit XML take a file without any test case for a mistake.
  const bool is_empty = causes.empty() && errors == 0;
  const size_t tests = is_empty ? 1 : causes.size() + static_cast<size_t>(errors);
  const std::string counts = fmt::format(
      "name=\"transplt\" tests=\"{}\" failures=\"{}\" errors=\"{}\"", tests, failures, errors);
  out(
      fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {0}>\n"
                  "  <testsuite {0} skipped=\"0\">\n",
                  counts));
  for (const Cause& cause : causes) WriteTestCase(cause, root, out);
  for (const FileOutcome& file : run.files) {
    if (IsNotLookedAt(file)) WriteUnreadFile(file, root, out);
  }
  if (is_empty) {
    out("    <testcase classname=\"transplt\" name=\"nothing is left for a person\"/>\n");
  }
  out("  </testsuite>\n</testsuites>\n");
}

}  // namespace transplt
