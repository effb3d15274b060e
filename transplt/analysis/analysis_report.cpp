// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/analysis_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "transplt/report/change_list_csv.h"
#include "transplt/report/plain_text.h"

namespace transplt {
namespace {

constexpr size_t kShownApis = 25;

Text Title(Support support) {
  switch (support) {
    case Support::kUnsupported:
      return Say("Not supported on any NPU: write another way", "所有 NPU 均不支持: 需改写");
    case Support::kLimited:
      return Say("Supported with limitations (types, dimensions ...): see the API documentation",
                 "有限制地支持 (数据类型、维度等): 请查阅接口文档");
    default:
      return Say("Not in the documentation: try it on an NPU", "文档未收录: 请在 NPU 上验证");
  }
}

/// The uses of one API.
struct ApiUses {
  std::string_view api;
  size_t count = 0;
  std::set<std::string_view> files;
  const ApiUse* first = nullptr;
};

std::vector<ApiUses> Grouped(const ProjectAnalysis& analysis, Support support) {
  std::map<std::string_view, ApiUses> by_api;
  for (const ApiUse& use : analysis.uses) {
    if (use.support != support) continue;
    ApiUses& uses = by_api[use.api];
    if (uses.count++ == 0) uses.first = &use;
    uses.api = use.api;
    uses.files.insert(use.file);
  }
  std::vector<ApiUses> groups;
  groups.reserve(by_api.size());
  for (auto& [api, uses] : by_api) groups.push_back(std::move(uses));
  std::stable_sort(groups.begin(), groups.end(),
                   [](const ApiUses& a, const ApiUses& b) { return a.count > b.count; });
  return groups;
}

void AppendSection(const ProjectAnalysis& analysis, Support support, Language language,
                   std::string& page) {
  const std::vector<ApiUses> groups = Grouped(analysis, support);
  if (groups.empty()) return;
  page += fmt::format("\n{}\n", Title(support).In(language));
  for (size_t i = 0; i < std::min(groups.size(), kShownApis); ++i) {
    const ApiUses& uses = groups[i];
    page += fmt::format("  {:<50} {:>5} {:>4}   {}:{}\n", uses.api, uses.count, uses.files.size(),
                        OneLine(uses.first->file), uses.first->start_line);
  }
  if (groups.size() > kShownApis) {
    page +=
        Say("  ... and {} more\n", "  ... 另有 {} 个\n", groups.size() - kShownApis).In(language);
  }
}

}  // namespace

std::string AnalysisPage(const ProjectAnalysis& analysis, Language language) {
  std::string page =
      Say("{} Python files, {} of them import torch\n", "{} 个 Python 文件, 其中 {} 个导入 torch\n",
          analysis.files, analysis.files_of_torch)
          .In(language);
  for (const std::string& path : analysis.unread) {
    page += Say("not read: {}\n", "未能读取: {}\n", OneLine(path)).In(language);
  }
  const bool has_uses = !analysis.uses.empty();
  page += has_uses ? Say("API, number of uses, number of files, first use\n",
                         "接口, 使用次数, 文件数, 首次使用\n")
                         .In(language)
                   : Say("every API of torch that is used is supported\n",
                         "所使用的 torch 接口均受支持\n")
                         .In(language);
  for (Support support : {Support::kUnsupported, Support::kUnknown, Support::kLimited}) {
    AppendSection(analysis, support, language, page);
  }
  return page;
}

std::string AnalysisCsv(const ProjectAnalysis& analysis, Support support) {
  std::string csv = "File,Start Line,End Line,OP,Tips\n";
  for (const ApiUse& use : analysis.uses) {
    if (use.support != support) continue;
    AppendCsvField(csv, ValidUtf8(use.file));
    csv += fmt::format(",{},{},", use.start_line, use.end_line);
    AppendCsvField(csv, use.api);
    csv.push_back(',');
    AppendCsvField(csv, Title(support).en);
    csv.push_back('\n');
  }
  return csv;
}

}  // namespace transplt
