// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "transplt/analysis/affinity.h"
#include "transplt/analysis/mode.h"
#include "transplt/base/plain_text.h"

namespace transplt {
namespace {

constexpr size_t kPlacesOfLibrary = 4;

using Definitions = std::vector<std::pair<std::string, const AffinityEntry*>>;

std::string_view TypeOf(const AffinityEntry& entry) {
  if (entry.what == "function" || entry.what == "method" || entry.what == "class") {
    return entry.what;
  }
  return entry.what == "store_by_mask" ? "expression" : "torch api";
}

void AppendEntry(const AffinityEntry& entry, const std::vector<AffinityUse>& uses, Text& page) {
  std::vector<const AffinityUse*> places;
  std::set<std::string_view> files;
  for (const AffinityUse& use : uses) {
    if (use.entry != &entry) continue;
    places.push_back(&use);
    files.insert(use.file);
  }
  if (places.empty()) return;
  Append(page, Say("\n{} -> {}: {} places, {} files\n", "\n{} -> {}: {} 处, {} 个文件\n",
                   entry.names.front(), entry.affinity, places.size(), files.size()));
  if (!entry.note.empty()) {
    Append(page, Text{"   note: " + entry.note.en + "\n", "   说明: " + entry.note.zh + "\n"});
  }
  for (size_t i = 0; i < std::min(places.size(), kPlacesOfLibrary); ++i) {
    Append(page, fmt::format("     {}:{}: {}\n", OneLine(places[i]->file), places[i]->start_line,
                             FitColumns(OneLine(ValidUtf8(places[i]->call)), 80)));
  }
  if (places.size() > kPlacesOfLibrary) {
    Append(page,
           Say("     ... and {} more: affinity_api_call.csv\n",
               "     ... 另有 {} 处: affinity_api_call.csv\n", places.size() - kPlacesOfLibrary));
  }
}

}  // namespace

Result<ModeResult> RunAffinityApis(const AnalyzedProject& project) {
  const Result<AffinityTable> table = AffinityTable::Load();
  if (!table) return table.error();
  const std::vector<Definitions> found = project.ForEachFile<Definitions>(
      "def ", [&](const FileContext& file) { return AffinityDefinitionsIn(file, *table); });
  AffinityDefinitions definitions;
  for (size_t i = 0; i < found.size(); ++i) {
    for (const auto& [name, entry] : found[i]) {
      definitions.emplace(DefinitionPlace(project.python_files()[i], name), entry);
    }
  }
  std::vector<std::vector<AffinityUse>> by_file = project.ForEachFile<std::vector<AffinityUse>>(
      "import", [&](const FileContext& file) { return AffinityUsesIn(file, *table, definitions); });
  std::vector<AffinityUse> uses;
  for (std::vector<AffinityUse>& file : by_file) {
    std::move(file.begin(), file.end(), std::back_inserter(uses));
  }
  ModeResult result;
  if (uses.empty()) Append(result.page, Say("nothing found\n", "未发现可替换的接口\n"));
  for (const AffinityEntry& entry : table->entries()) AppendEntry(entry, uses, result.page);
  ResultTable calls{
      "affinity_api_call.csv",
      {"File", "Start Line", "End Line", "Api Type", "Api Call Name", "Affinity Api Name"},
      {}};
  for (const AffinityUse& use : uses) {
    calls.rows.push_back({TextCell(use.file), PlaceCell(use.start_line), PlaceCell(use.end_line),
                          TextCell(TypeOf(*use.entry)), TextCell(use.call),
                          TextCell(use.entry->affinity)});
  }
  result.tables.push_back(std::move(calls));
  return result;
}

}  // namespace transplt
