// SPDX-License-Identifier: Apache-2.0
// Any bytes as a notebook: its program has a place in the file for each of its own, a line that is
// inserted into the program is there when the result is read again, and nothing is left to edit
// when a migrated notebook is migrated again.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "require.h"
#include "transplt/frontends/notebook.h"
#include "transplt/migrate/other_files.h"
#include "transplt/rule_kinds/builtin_rules.h"

namespace {

using transplt::EditList;
using transplt::Notebook;

const transplt::Engine& Rules() {
  static const auto rules = transplt::LoadRules({}, true);
  REQUIRE(rules);
  static const transplt::Engine engine(*rules);
  return engine;
}

std::string Apply(const std::string& text, const std::vector<transplt::Edit>& edits) {
  EditList list;
  for (const transplt::Edit& edit : edits) REQUIRE(!list.TryAdd({{edit}}, "rule"));
  return list.ApplyTo(text);
}

void CheckPlaces(const Notebook& notebook, const std::string& json) {
  uint32_t last = 0;
  for (uint32_t at = 0; at <= notebook.python().size(); ++at) {
    const uint32_t place = notebook.ToJsonOffset(at);
    REQUIRE(place >= last && place <= json.size());
    last = place;
  }
}

void InsertALine(const Notebook& notebook, const std::string& json, size_t where) {
  const std::string& python = notebook.python();
  // A backslash may come to stand at the end of a cell, which is then masked.
  if (python.find('\\') != std::string::npos) return;
  const size_t line = python.rfind('\n', where % (python.size() + 1));
  const auto at = static_cast<uint32_t>(line == std::string::npos ? 0 : line + 1);
  const std::vector<transplt::Edit> edits{{{at, at}, "x = 1\n"}};
  const auto json_edits = notebook.ToJson(edits);
  if (!json_edits) return;
  const auto edited = Notebook::FromJson("file", Apply(json, *json_edits));
  REQUIRE(edited);
  REQUIRE(edited->python() == Apply(python, edits));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string json(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto notebook = Notebook::FromJson("file", json);
  if (!notebook) return 0;
  CheckPlaces(*notebook, json);
  InsertALine(*notebook, json, data[0]);

  transplt::Parser parser;
  const auto once = transplt::MigrateOtherFile("a.ipynb", json, Rules(), nullptr, parser, {});
  if (!once.text) return 0;
  REQUIRE(Notebook::FromJson("file", *once.text));
  const bool is_python = std::none_of(
      once.records.begin(), once.records.end(),
      [](const auto& record) { return record.operation == transplt::Operation::kUnparsed; });
  const auto twice =
      transplt::MigrateOtherFile("a.ipynb", *once.text, Rules(), nullptr, parser, {});
  REQUIRE(!twice.text || !is_python);
  return 0;
}
