// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/older_releases.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "transplt/base/requirement.h"
#include "transplt/engine/library_releases.h"

namespace transplt {
namespace {

/// From which release on a rule holds: 2.0 of "pandas>=2.0".
struct Since {
  std::string package;
  std::string text;
  Version version{};
};

std::optional<Since> SinceOf(const LoadedRule& rule) {
  constexpr std::string_view kFrom = ">=";
  if (rule.notes.libraries.size() != 1) return std::nullopt;
  const LibraryRange& range = rule.notes.libraries.front();
  const size_t sign = range.text.find(kFrom);
  if (sign == std::string::npos || range.text.find(',') != std::string::npos) return std::nullopt;
  std::string text = range.text.substr(sign + kFrom.size());
  const Result<Version> version = ParseVersion(text);
  if (!version) return std::nullopt;
  return Since{range.package, std::move(text), *version};
}

}  // namespace

std::vector<Text> NotesAboutOlderReleases(const RuleSet& rules, const RunResult& run,
                                          std::string_view python) {
  std::map<std::string, size_t> places;  // by rule
  for (const ChangeRecord& record : run.records) {
    const bool stops =
        record.severity == Severity::kStopsImport || record.severity == Severity::kStopsRun;
    if (stops && record.after.empty()) ++places[record.rule_id];
  }
  std::vector<Text> notes;
  for (const OlderRelease& older : OlderReleasesFor(python)) {
    std::optional<Since> first;  // of what the oldest release that installs still has
    size_t count = 0;
    for (const LoadedRule& rule : rules.rules()) {
      const auto found = places.find(rule.rule->id());
      if (found == places.end()) continue;
      std::optional<Since> since = SinceOf(rule);
      const bool is_meant =
          since && NamesPackage(older.package, since->package) && older.oldest < since->version;
      if (!is_meant) continue;
      count += found->second;
      if (!first || since->version < first->version) first = std::move(since);
    }
    if (count < 2) continue;
    std::string pin = fmt::format("\"{}<{}\"", first->package, first->text);
    // One that was built for NumPy 1 does not load beside NumPy 2.
    if (first->version <= older.numpy_2) pin += " \"numpy<2\"";
    notes.push_back(
        Say("{1} places are there because newer releases of {0} have taken away what the project "
            "uses: pip install {2} installs beside Python {3}, and takes all of them away; ask for "
            "it in the requirements, and migrate again",
            "有 {1} 处源于新版 {0} 去除了项目所用的接口: pip install {2} 可安装于 Python {3}, "
            "并消除这些位置; 请写入依赖文件并重新迁移",
            first->package, count, pin, python));
  }
  return notes;
}

}  // namespace transplt
