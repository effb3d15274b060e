// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/framework.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "transplt/base/cancelled.h"
#include "transplt/base/test_file.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/imported_package.h"
#include "transplt/facts/project.h"
#include "transplt/python/dotted_name.h"

namespace transplt {
namespace {

bool ImportsTensorflow(FileImports& file) {
  return std::ranges::any_of(Words("tensorflow-packages").words(),
                             [&](std::string_view name) { return file.Has(name); });
}

}  // namespace

Result<Framework> DetectFramework(const ProjectFiles& project, const FileBudget& budget,
                                  const std::atomic<bool>* cancelled) {
  // So many files that import the one or the other decide: no project is read twice for this.
  constexpr size_t kEnough = 32;
  constexpr std::array<Framework, 2> kVoted = {Framework::kPytorch, Framework::kMindspore};
  // Tests count only where nothing else does: a benchmark against torch makes no project of torch.
  std::array<size_t, kVoted.size()> files{};
  std::array<size_t, kVoted.size()> tests{};
  const std::vector<std::string>& others = Words("other-training-frameworks").words();
  bool has_tensorflow = false;
  bool tests_tensorflow = false;
  Parser parser;
  std::string_view other;
  for (const ProjectEntry& entry : project.entries) {
    if (entry.kind != ProjectEntry::Kind::kMigratable) continue;
    if (IsCancelled(cancelled)) break;
    Result<std::string> bytes = ReadProjectFile(project, entry);
    BudgetMeter meter(budget, cancelled);
    if (!bytes || meter.IsSpentByBytes(bytes->size())) continue;  // told when it is migrated
    parser.SetMeter(&meter);
    FileImports file(entry.path, *std::move(bytes), parser);
    const bool is_test = IsTestFile(entry.path);
    bool is_known = false;
    has_tensorflow = has_tensorflow || (!is_test && ImportsTensorflow(file));
    tests_tensorflow = tests_tensorflow || (is_test && ImportsTensorflow(file));
    for (size_t i = 0; i < kVoted.size(); ++i) {
      if (!file.Has(PackageOf(kVoted[i]))) continue;
      is_known = true;
      ++(is_test ? tests : files)[i];
    }
    if (std::accumulate(files.begin(), files.end(), size_t{0}) >= kEnough) break;
    if (is_known || !other.empty()) continue;
    const auto found =
        std::ranges::find_if(others, [&](std::string_view name) { return file.Has(name); });
    if (found != others.end()) other = *found;
  }
  if (IsCancelled(cancelled)) return CancelledError();
  if (*std::ranges::max_element(files) == 0 && !has_tensorflow) {
    files = tests;
    has_tensorflow = tests_tensorflow;
  }
  const auto most = std::ranges::max_element(files);
  if (*most == 0 && has_tensorflow) return Framework::kTensorflow;
  if (*most == 0 && !other.empty()) {
    return Error{
        Error::Code::kUsage, project.root,
        Say("imports {} and neither torch, tensorflow nor mindspore: this version migrates "
            "PyTorch, TensorFlow and MindSpore only; give --framework to migrate it all "
            "the same",
            "导入了 {} 而没有 torch、tensorflow 或 mindspore: 当前版本只迁移 PyTorch、"
            "TensorFlow 与 MindSpore; 如仍要迁移, 请加 --framework",
            other)};
  }
  return kVoted[static_cast<size_t>(most - files.begin())];
}

bool ServesAnotherFramework(const ProjectFiles& project, const std::string& path,
                            const FileBudget& budget, const std::atomic<bool>* cancelled) {
  const std::string_view folder = std::string_view(path).substr(0, path.find('/') + 1);
  Parser parser;
  return std::ranges::any_of(project.entries, [&](const ProjectEntry& entry) {
    const bool is_beside =
        entry.kind == ProjectEntry::Kind::kMigratable &&
        std::string_view(entry.path).substr(0, entry.path.find('/') + 1) == folder;
    if (!is_beside || IsCancelled(cancelled)) return false;
    Result<std::string> bytes = ReadProjectFile(project, entry);
    BudgetMeter meter(budget, cancelled);
    if (!bytes || meter.IsSpentByBytes(bytes->size())) return false;
    parser.SetMeter(&meter);
    FileImports file(entry.path, *std::move(bytes), parser);
    return file.Has("torch") || file.Has("mindspore");
  });
}

Text OnlyPytorchIsForAnyDevice(std::string_view framework) {
  return Say(
      "--target agnostic is for PyTorch, which has torch.accelerator: {} has no such names; "
      "use --target npu",
      "--target agnostic 仅适用于提供 torch.accelerator 的 PyTorch: {} 没有此类接口; "
      "请使用 --target npu",
      framework);
}

std::vector<Text> NotesAboutFrameworks(const RunResult& run) {
  constexpr std::string_view kPrefix = "framework.";
  std::map<std::string, std::set<std::string>> files;
  for (const ChangeRecord& record : run.records) {
    if (!record.rule_id.starts_with(kPrefix)) continue;
    // Several rules may be about one: `framework.mxnet.import`.
    const std::string_view framework =
        FirstPart(std::string_view(record.rule_id).substr(kPrefix.size()));
    files[std::string(framework)].insert(record.file);
  }
  std::vector<Text> notes;
  notes.reserve(files.size());
  for (const auto& [framework, users] : files) {
    notes.push_back(Say("uses {} in {} files: not migrated", "在 {1} 个文件中使用了 {0}: 未迁移",
                        framework, users.size()));
  }
  return notes;
}

}  // namespace transplt
