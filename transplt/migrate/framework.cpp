// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/framework.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace transplt {
namespace {

/// `import NAME` or `from NAME` at the beginning of a statement.
bool Imports(std::string_view bytes, std::string_view package) {
  for (size_t at = bytes.find(package); at != std::string_view::npos;
       at = bytes.find(package, at + 1)) {
    const size_t end = at + package.size();
    const char after = end < bytes.size() ? bytes[end] : '\n';
    const bool whole = after == ' ' || after == '.' || after == '\n' || after == '\r' ||
                       after == ',' || after == ';' || after == '\t';
    const std::string_view before = bytes.substr(0, at);
    if (whole &&
        (before.ends_with("import ") || before.ends_with("from ") || before.ends_with(", "))) {
      return true;
    }
  }
  return false;
}

}  // namespace

Result<Framework> DetectFramework(const ProjectFiles& project) {
  // So many files that import the one or the other decide: no project is read twice for this.
  constexpr size_t kEnough = 32;
  constexpr std::array<std::string_view, 10> kOthers = {"tensorflow", "jax",   "paddle", "mxnet",
                                                        "chainer",    "keras", "flax",   "oneflow",
                                                        "caffe",      "caffe2"};
  std::array<size_t, kFrameworks.size()> files{};
  std::string_view other;
  for (const ProjectEntry& entry : project.entries) {
    if (entry.kind != ProjectEntry::Kind::kMigratable) continue;
    const Result<std::string> bytes = ReadProjectFile(project, entry);
    if (!bytes) continue;  // reported when the file is migrated
    bool is_known = false;
    for (size_t i = 0; i < kFrameworks.size(); ++i) {
      if (!Imports(*bytes, PackageOf(kFrameworks[i]))) continue;
      is_known = true;
      ++files[i];
    }
    if (std::accumulate(files.begin(), files.end(), size_t{0}) >= kEnough) break;
    if (is_known || !other.empty()) continue;
    const auto found = std::find_if(kOthers.begin(), kOthers.end(),
                                    [&](std::string_view name) { return Imports(*bytes, name); });
    if (found != kOthers.end()) other = *found;
  }
  const auto most = std::max_element(files.begin(), files.end());
  if (*most == 0 && !other.empty()) {
    return Error{Error::Code::kUsage, project.root,
                 Say("imports {} and neither torch nor mindspore: this version migrates PyTorch "
                     "and MindSpore only; give --framework to migrate it all the same",
                     "导入了 {} 而没有 torch 或 mindspore: 当前版本只迁移 PyTorch 与 MindSpore; "
                     "如仍要迁移, 请加 --framework",
                     other)};
  }
  return kFrameworks[static_cast<size_t>(most - files.begin())];
}

std::vector<Text> NotesAboutFrameworks(const RunResult& run) {
  constexpr std::string_view kPrefix = "framework.";
  std::map<std::string, std::set<std::string>> files;
  for (const ChangeRecord& record : run.records) {
    if (!record.rule_id.starts_with(kPrefix)) continue;
    files[record.rule_id.substr(kPrefix.size())].insert(record.file);
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
