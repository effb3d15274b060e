// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "transplt/base/plain_text.h"
#include "transplt/batch/batch_report.h"

namespace transplt {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kShown = 20;
constexpr size_t kReasonColumns = 100;

/// The entries of a map of Spread, those of most projects first, then of most places.
template <typename Map>
std::vector<const typename Map::value_type*> Ranked(const Map& map) {
  std::vector<const typename Map::value_type*> entries;
  for (const auto& entry : map) entries.push_back(&entry);
  std::stable_sort(entries.begin(), entries.end(), [](const auto* a, const auto* b) {
    return a->second.projects != b->second.projects ? a->second.projects > b->second.projects
                                                    : a->second.places > b->second.places;
  });
  return entries;
}

/// Writes the sections of the text, one after the other.
class Page {
 public:
  explicit Page(Language language) : language_(language) {}

  void Add(const Text& line) { text_ += line.In(language_) + "\n"; }
  void Title(const Text& title) { text_ += "\n" + title.In(language_) + "\n"; }
  void Row(std::string_view row) { text_.append("  ").append(row).append("\n"); }
  /// Says how many are not shown; `total` of which kShown were.
  void Rest(size_t total) {
    if (total <= kShown) return;
    Add(Say("  ... and {} more; --format json has all of them",
            "  ……另有 {} 项; --format json 含全部内容", total - kShown));
  }
  std::string& text() { return text_; }
  Language language() const { return language_; }

 private:
  Language language_;
  std::string text_;
};

void AddOutcomes(Page& page, const BatchReport& report) {
  const uint64_t projects =
      std::accumulate(report.outcomes.begin(), report.outcomes.end(), uint64_t{});
  page.Add(Say("Projects: {}", "项目: {}", projects));
  for (size_t i = 0; i < kProjectOutcomes.size(); ++i) {
    if (report.outcomes.at(i) == 0) continue;
    page.Row(fmt::format("{:>8}  {}", report.outcomes.at(i),
                         OutcomeText(kProjectOutcomes.at(i)).In(page.language())));
  }
  page.Add(Say("Files: {}, of which {} migrated; edits: {} safe, {} unsafe",
               "文件: {} 个, 其中已迁移 {} 个; 修改: 安全 {} 处, 需复查 {} 处", report.files,
               report.migrated_files, report.safe_edits, report.unsafe_edits));
  page.Add(Say("Places that need a person: {}, of which {} unsupported APIs",
               "需人工处理: {} 处, 其中不支持的接口 {} 处", report.left_open, report.unsupported));
}

void AddEffort(Page& page, const BatchReport& report) {
  page.Title(
      Say("Effort: places that need a person, by project", "工作量: 各项目需人工处理的处数"));
  for (size_t i = 0; i < kEffortClasses.size(); ++i) {
    page.Row(Say("{:>13}: {} projects, {} places", "{:>13}: {} 个项目, {} 处",
                 kEffortClasses.at(i).name, report.effort.at(i).projects,
                 report.effort.at(i).places)
                 .In(page.language()));
  }
}

void AddReasons(Page& page, const BatchReport& report) {
  const auto reasons = Ranked(report.reasons);
  if (reasons.empty()) return;
  page.Title(Say("Why a person is needed: projects, places, rule, reason",
                 "需人工处理的原因: 项目数, 处数, 规则, 原因"));
  for (size_t i = 0; i < std::min(reasons.size(), kShown); ++i) {
    const auto& [cause, spread] = *reasons[i];
    page.Row(fmt::format("{:>8} {:>8}  {}  {}", spread.projects, spread.places,
                         OneLine(cause.first), FitColumns(OneLine(cause.second), kReasonColumns)));
  }
  page.Rest(reasons.size());
}

void AddRules(Page& page, const BatchReport& report) {
  const auto rules = Ranked(report.rules);
  if (rules.empty()) return;
  page.Title(Say("Rules that fired: projects, rows, rule", "生效的规则: 项目数, 行数, 规则"));
  for (size_t i = 0; i < std::min(rules.size(), kShown); ++i) {
    const auto& [rule, spread] = *rules[i];
    page.Row(fmt::format("{:>8} {:>8}  {}", spread.projects, spread.places, OneLine(rule)));
  }
  page.Rest(rules.size());
}

void AddTroubles(Page& page, const BatchReport& report) {
  if (report.troubles.empty()) return;
  page.Title(Say("Projects without a result", "没有结果的项目"));
  for (size_t i = 0; i < std::min(report.troubles.size(), kShown); ++i) {
    const BatchReport::Trouble& trouble = report.troubles[i];
    page.Row(fmt::format("{}: {}: {}", OneLine(trouble.name),
                         OutcomeText(trouble.outcome).In(page.language()), OneLine(trouble.what)));
  }
  page.Rest(report.troubles.size());
}

void AddNames(Page& page, const Text& title, const std::vector<std::string>& names) {
  if (names.empty()) return;
  page.Title(title);
  for (size_t i = 0; i < std::min(names.size(), kShown); ++i) page.Row(OneLine(names[i]));
  page.Rest(names.size());
}

void AddTimes(Page& page, const BatchReport& report) {
  if (!report.has_times) return;
  page.Title(Say("The slowest, of {:.1f} s of processor time in all",
                 "耗时最长的项目 (处理器时间共 {:.1f} 秒)", report.cpu_seconds));
  for (const BatchReport::Slow& slow : report.slowest) {
    page.Row(fmt::format("{:>8.2f} s  {}", slow.wall_seconds, OneLine(slow.name)));
  }
}

/// A list whose rows say projects and places besides what `row` says.
template <typename Map, typename Row>
Json RankedJson(const Map& map, const Row& row) {
  Json list = Json::array();
  for (const auto* entry : Ranked(map)) {
    Json item = row(entry->first);
    item["projects"] = entry->second.projects;
    item["places"] = entry->second.places;
    list.push_back(std::move(item));
  }
  return list;
}

Json TroublesJson(const BatchReport& report) {
  Json list = Json::array();
  for (const BatchReport::Trouble& trouble : report.troubles) {
    list.push_back(
        {{"name", trouble.name}, {"outcome", Name(trouble.outcome)}, {"what", trouble.what}});
  }
  return list;
}

Json EffortJson(const BatchReport& report) {
  Json list = Json::array();
  for (size_t i = 0; i < kEffortClasses.size(); ++i) {
    list.push_back({{"places_of_a_project", kEffortClasses.at(i).name},
                    {"projects", report.effort.at(i).projects},
                    {"places", report.effort.at(i).places}});
  }
  return list;
}

}  // namespace

std::string BatchReportText(const BatchReport& report, Language language) {
  Page page(language);
  AddOutcomes(page, report);
  AddEffort(page, report);
  AddReasons(page, report);
  AddRules(page, report);
  AddTroubles(page, report);
  AddTimes(page, report);
  AddNames(page, Say("Missing: in the manifest, without a record", "缺失: 清单中有而无记录"),
           report.missing);
  AddNames(page, Say("Unknown: with a record, not in the manifest", "未知: 有记录而清单中没有"),
           report.unknown);
  return page.text();
}

std::string BatchReportJson(const BatchReport& report) {
  Json outcomes = Json::object();
  for (size_t i = 0; i < kProjectOutcomes.size(); ++i) {
    outcomes[std::string(Name(kProjectOutcomes.at(i)))] = report.outcomes.at(i);
  }
  Json json = {
      {"schema_version", 1},
      {"projects", std::accumulate(report.outcomes.begin(), report.outcomes.end(), uint64_t{})},
      {"outcomes", std::move(outcomes)},
      {"files", report.files},
      {"migrated_files", report.migrated_files},
      {"edits", {{"safe", report.safe_edits}, {"unsafe", report.unsafe_edits}}},
      {"left_open", report.left_open},
      {"unsupported", report.unsupported},
      {"effort", EffortJson(report)},
      {"reasons", RankedJson(report.reasons,
                             [](const auto& cause) {
                               return Json{{"rule", cause.first}, {"reason", cause.second}};
                             })},
      {"rules", RankedJson(report.rules,
                           [](const std::string& rule) {
                             return Json{{"rule", rule}};
                           })},
      {"without_result", TroublesJson(report)},
      {"missing", report.missing},
      {"unknown", report.unknown}};
  if (report.has_times) {
    json["cpu_seconds"] = report.cpu_seconds;
    json["slowest"] = Json::array();
    for (const BatchReport::Slow& slow : report.slowest) {
      json["slowest"].push_back({{"name", slow.name}, {"wall_seconds", slow.wall_seconds}});
    }
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace transplt
