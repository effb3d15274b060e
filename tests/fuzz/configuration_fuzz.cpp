// SPDX-License-Identifier: Apache-2.0
// Any bytes as a configuration: each mistake has a place and words of ours, and what has none fits
// its schema. The same bytes as a graph: the pieces in which it arrives make no difference.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "generators/doctor.h"
#include "require.h"
#include "transplt/dump/graph_scanner.h"

namespace {

std::vector<std::string> EventsOf(std::string_view text, size_t piece) {
  std::vector<std::string> events;
  transplt::GraphScanner scanner(
      [&events](const std::string& graph) { events.push_back(graph); },
      [&events](const transplt::GraphOp& op) {
        events.push_back(op.name + " " + op.type + (op.has_no_task ? " no task" : ""));
      });
  for (size_t at = 0; at < text.size(); at += piece) scanner.Feed(text.substr(at, piece));
  return events;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::vector<std::string> kinds = transplt::DiagnosableKinds();
  const transplt::GeneratorKind* kind = transplt::FindGeneratorKind(kinds[data[0] % kinds.size()]);
  const auto diagnosis = transplt::DiagnoseJson("file.json", text, kind);
  REQUIRE(diagnosis);
  for (const transplt::Error& mistake : diagnosis->mistakes) {
    REQUIRE(mistake.where.starts_with("file.json:"));
    REQUIRE(!mistake.what.en.empty() && mistake.what.en != "does not fit the schema");
  }
  REQUIRE(EventsOf(text, text.size() + 1) == EventsOf(text, data[0] % 7 + 1U));
  return 0;
}
