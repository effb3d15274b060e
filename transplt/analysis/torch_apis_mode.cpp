// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "transplt/analysis/mode.h"
#include "transplt/analysis/torch_apis.h"
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

std::vector<ApiUses> Grouped(const std::vector<ApiUse>& uses_of_all, Support support) {
  std::map<std::string_view, ApiUses> by_api;
  for (const ApiUse& use : uses_of_all) {
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

void AppendSection(const std::vector<ApiUse>& all, Support support, Text& page) {
  const std::vector<ApiUses> groups = Grouped(all, support);
  if (groups.empty()) return;
  Append(page, "\n");
  Append(page, Title(support));
  Append(page, "\n");
  for (size_t i = 0; i < std::min(groups.size(), kShownApis); ++i) {
    const ApiUses& uses = groups[i];
    Append(page, fmt::format("  {:<50} {:>5} {:>4}   {}:{}\n", uses.api, uses.count,
                             uses.files.size(), OneLine(uses.first->file), uses.first->start_line));
  }
  if (groups.size() > kShownApis) {
    Append(page, Say("  ... and {} more\n", "  ... 另有 {} 个\n", groups.size() - kShownApis));
  }
}

/// unsupported_api.csv and its like, in the columns of ms_fmk_transplt.
ResultTable TableOf(const std::vector<ApiUse>& uses, Support support, std::string file) {
  ResultTable table{std::move(file), {"File", "Start Line", "End Line", "OP", "Tips"}, {}};
  for (const ApiUse& use : uses) {
    if (use.support != support) continue;
    table.rows.push_back({TextCell(use.file), PlaceCell(use.start_line), PlaceCell(use.end_line),
                          TextCell(use.api), TextCell(Title(support).en)});
  }
  return table;
}

struct FileUses {
  std::vector<ApiUse> uses;
  bool imports_torch = false;
};

}  // namespace

Result<ModeResult> RunTorchApis(const AnalyzedProject& project) {
  const ApiSupport support;
  std::vector<FileUses> files =
      project.ForEachFile<FileUses>("torch", [&](const FileContext& file) {
        return FileUses{TorchApisIn(file, support), file.Imports("torch")};
      });
  std::vector<ApiUse> uses;
  size_t files_of_torch = 0;
  for (FileUses& file : files) {
    std::move(file.uses.begin(), file.uses.end(), std::back_inserter(uses));
    files_of_torch += file.imports_torch ? 1 : 0;
  }
  ModeResult result;
  Append(result.page, Say("{} files import torch\n", "{} 个文件导入 torch\n", files_of_torch));
  Append(result.page, uses.empty() ? Say("every API of torch that is used is supported\n",
                                         "所使用的 torch 接口均受支持\n")
                                   : Say("API, number of uses, number of files, first use\n",
                                         "接口, 使用次数, 文件数, 首次使用\n"));
  for (Support grade : {Support::kUnsupported, Support::kUnknown, Support::kLimited}) {
    AppendSection(uses, grade, result.page);
  }
  result.tables.push_back(TableOf(uses, Support::kUnsupported, "unsupported_api.csv"));
  result.tables.push_back(TableOf(uses, Support::kUnknown, "unknown_api.csv"));
  result.tables.push_back(TableOf(uses, Support::kLimited, "limited_api.csv"));
  return result;
}

}  // namespace transplt
