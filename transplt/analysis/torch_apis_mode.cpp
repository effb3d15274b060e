// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "transplt/analysis/library_apis.h"
#include "transplt/analysis/mode.h"
#include "transplt/analysis/native_operators.h"
#include "transplt/base/plain_text.h"
#include "transplt/engine/torch_apis.h"
#include "transplt/engine/torch_npu_releases.h"
#include "transplt/facts/range_set.h"
#include "transplt/facts/settled_conditions.h"

namespace transplt {
namespace {

constexpr size_t kShownApis = 12;
constexpr size_t kPlacesOfApi = 3;
/// In place of a rule's id.
constexpr std::string_view kOwnOperator = "own CUDA operator";
constexpr std::string_view kLibraryApi = "API of a library";

Text Title(Support support) {
  switch (support) {
    case Support::kUnsupported:
      return Say("Not supported on any NPU: has to be written another way",
                 "所有 NPU 均不支持: 需改写");
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
  std::vector<const ApiUse*> uses;
  std::set<std::string_view> files;
};

/// The most used first.
std::vector<ApiUses> Grouped(const std::vector<ApiUse>& all, Support support) {
  std::map<std::string_view, ApiUses> by_api;
  for (const ApiUse& use : all) {
    if (use.support != support) continue;
    ApiUses& uses = by_api[use.api];
    uses.api = use.api;
    uses.uses.push_back(&use);
    uses.files.insert(use.file);
  }
  std::vector<ApiUses> groups;
  groups.reserve(by_api.size());
  for (auto& [api, uses] : by_api) groups.push_back(std::move(uses));
  std::ranges::stable_sort(
      groups, [](const ApiUses& a, const ApiUses& b) { return a.uses.size() > b.uses.size(); });
  return groups;
}

std::string FirstPlaces(const ApiUses& uses) {
  std::string places;
  for (size_t i = 0; i < std::min(uses.uses.size(), kPlacesOfApi); ++i) {
    places += fmt::format("{}{}:{}", i > 0 ? ", " : "", OneLine(uses.uses[i]->file),
                          uses.uses[i]->start_line);
  }
  return uses.uses.size() > kPlacesOfApi ? places + " ..." : places;
}

/// What the documentation, the rules and the table of alternatives say about the uses of torch.
class TorchApisReport {
 public:
  TorchApisReport(const AnalyzedProject& project, const ApiSupport& support,
                  const LibraryApis& libraries, std::vector<ApiUse> uses)
      : project_(project), support_(support), libraries_(libraries), uses_(std::move(uses)) {}

  Text Page() const {
    Text page;
    const bool is_clean = std::ranges::all_of(
        uses_, [](const ApiUse& use) { return use.support == Support::kRenamed; });
    if (is_clean) {
      Append(page, Say("every API of torch that is used is supported\n",
                       "所使用的 torch 接口均受支持\n"));
    }
    for (Support support : {Support::kUnsupported, Support::kUnknown, Support::kLimited}) {
      AppendSection(support, page);
    }
    return page;
  }

  /// unsupported_api.csv and its like, in the columns of ms_fmk_transplt.
  ResultTable Table(Support support, std::string file) const {
    ResultTable table{std::move(file), {"File", "Start Line", "End Line", "OP", "Tips"}, {}};
    for (const ApiUse& use : uses_) {
      if (use.support != support) continue;
      const Text instead = Instead(use);
      table.rows.push_back({TextCell(use.file), PlaceCell(use.start_line), PlaceCell(use.end_line),
                            TextCell(use.api),
                            TextCell(instead.empty() ? Title(support).en : instead.en)});
    }
    return table;
  }

 private:
  Text Instead(const ApiUse& use) const {
    if (use.rule_id == kOwnOperator) {
      return Say(
          "User-defined CUDA Operator: write its kernels in Ascend C and build it with "
          "torch_npu.utils.cpp_extension.NpuExtension, or use functions of torch",
          "自定义 CUDA 算子: 用 Ascend C 编写算子并以 "
          "torch_npu.utils.cpp_extension.NpuExtension 构建, 或改用 torch 的函数");
    }
    if (use.rule_id == kLibraryApi) {
      const std::string& message = *libraries_.Find(use.api);
      return {message, message};
    }
    if (!use.rule_id.empty()) return project_.WhyOf(use.rule_id);
    return use.support == Support::kUnsupported ? support_.Instead(use.api) : Text();
  }

  void AppendSection(Support support, Text& page) const {
    const std::vector<ApiUses> groups = Grouped(uses_, support);
    if (groups.empty()) return;
    size_t places = 0;
    for (const ApiUses& uses : groups) places += uses.uses.size();
    Append(page, "\n");
    Append(page, Title(support));
    Append(page, Say("; {} APIs in {} places\n", "; {} 个接口, 共 {} 处\n", groups.size(), places));
    // What blocks is shown whole.
    const size_t shown = support == Support::kUnsupported ? groups.size() : kShownApis;
    std::string last;  // what holds for several in a row is said once
    for (size_t i = 0; i < std::min(groups.size(), shown); ++i) AppendApi(groups[i], last, page);
    if (groups.size() > shown) {
      Append(page, Say("  ... and {} more\n", "  ... 另有 {} 个\n", groups.size() - shown));
    }
  }

  void AppendApi(const ApiUses& uses, std::string& last, Text& page) const {
    Append(page, fmt::format("  {:<50} {:>4} ", uses.api, uses.uses.size()));
    Append(page, Say("in {} files: ", "处, {} 个文件: ", uses.files.size()));
    Append(page, FirstPlaces(uses) + "\n");
    const Text instead = Instead(*uses.uses.front());
    const bool is_said = instead.en == last;
    last = instead.en;
    if (instead.empty() || is_said) return;
    Append(page, Say("      instead: ", "      替代: "));
    Append(page, instead);
    Append(page, "\n");
  }

  const AnalyzedProject& project_;
  const ApiSupport& support_;
  const LibraryApis& libraries_;
  const std::vector<ApiUse> uses_;
};

/// Adds uses of what is not of torch, in the order of the text.
void AddForeign(const FileContext& file, const std::vector<std::pair<Node, std::string>>& foreign,
                std::string_view kind, std::vector<ApiUse>& uses) {
  const SourceFile& source = file.source();
  for (const auto& [node, name] : foreign) {
    uses.push_back({source.path(), node.id(), source.Locate(node.range().start).line,
                    source.Locate(node.range().end).line, name, Support::kUnsupported,
                    std::string(kind)});
  }
  std::ranges::stable_sort(uses, [](const ApiUse& a, const ApiUse& b) { return a.node < b.node; });
}

ResultTable TableOfOperators(const NativeOperators& operators) {
  ResultTable table{"cuda_op_list.csv", {"File", "Api"}, {}};
  for (const NativeOperator& found : operators.all()) {
    const std::string prefix = found.module.empty() ? "" : found.module + ".";
    table.rows.push_back({TextCell(found.file), TextCell(prefix + found.name)});
  }
  return table;
}

/// Takes out what stands in code that no run on the NPU comes to.
void EraseDead(const FileContext& file, const std::string& torch_version,
               std::vector<ApiUse>& uses) {
  if (uses.empty()) return;
  const SettledConditions conditions(file.names(), {torch_version, true});
  const RangeSet dead(conditions.DeadParts());
  std::erase_if(
      uses, [&](const ApiUse& use) { return dead.Contains(file.tree().node(use.node).range()); });
}

struct FileUses {
  std::vector<ApiUse> uses;
  bool imports_torch = false;
};

/// The documentation that the table was made from speaks of the newest versions only.
Text NoteOnVersion(const std::string& torch_version) {
  const Result<TorchPlatform> newest = ChoosePlatform({}, {});
  if (newest && *ParseVersion(newest->torch) <= *ParseVersion(torch_version)) return {};
  return Say("Graded by the documentation for torch {}; for torch {} more may be missing\n",
             "按 torch {} 的文档分级; torch {} 可能缺少更多接口\n", kNewestTorch, torch_version);
}

Result<LibraryApis> ReadLibraries(const std::vector<std::string>& paths) {
  LibraryApis libraries;
  for (const std::string& path : paths) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    if (!file) return Error{Error::Code::kUsage, path, Say("cannot be read", "无法读取")};
    if (const Result<Done> done = libraries.Add(path, text.str()); !done) return done.error();
  }
  return libraries;
}

}  // namespace

Result<ModeResult> RunTorchApis(const AnalyzedProject& project) {
  const ApiSupport support;
  const Result<LibraryApis> libraries = ReadLibraries(project.options().api_files);
  if (!libraries) return libraries.error();
  const NativeOperators operators(project);
  const std::string_view word = libraries->empty() ? "torch" : "";
  std::vector<FileUses> files = project.ForEachFile<FileUses>(word, [&](const FileContext& file) {
    FileUses uses{TorchApisIn(file, support), file.Imports("torch")};
    AddForeign(file, CudaOperatorUses(file, operators), kOwnOperator, uses.uses);
    AddForeign(file, LibraryApiUses(file, *libraries), kLibraryApi, uses.uses);
    EraseDead(file, project.options().torch_version, uses.uses);
    return uses;
  });
  std::vector<ApiUse> uses;
  size_t files_of_torch = 0;
  for (FileUses& file : files) {
    std::move(file.uses.begin(), file.uses.end(), std::back_inserter(uses));
    files_of_torch += file.imports_torch ? 1 : 0;
  }
  const TorchApisReport report(project, support, *libraries, std::move(uses));
  ModeResult result;
  Append(result.page, Say("{} files import torch\n", "{} 个文件导入 torch\n", files_of_torch));
  Append(result.page, NoteOnVersion(project.options().torch_version));
  Append(result.page, report.Page());
  if (!operators.all().empty()) {
    Append(result.page,
           Say("\n{} operators in C++ and CUDA sources: see cuda_op_list.csv\n",
               "\nC++ 与 CUDA 源码中有 {} 个算子: 见 cuda_op_list.csv\n", operators.all().size()));
  }
  result.tables.push_back(report.Table(Support::kUnsupported, "unsupported_api.csv"));
  result.tables.push_back(report.Table(Support::kUnknown, "unknown_api.csv"));
  result.tables.push_back(report.Table(Support::kLimited, "limited_api.csv"));
  result.tables.push_back(TableOfOperators(operators));
  return result;
}

}  // namespace transplt
