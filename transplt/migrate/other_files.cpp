// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/other_files.h"

#include <algorithm>
#include <array>

#include "transplt/migrate/folder_handle.h"

namespace transplt {
namespace {

constexpr uint64_t kLargest = 4 << 20;
constexpr std::array<std::string_view, 18> kSuffixes = {
    ".sh",  ".bash", ".slurm", ".sbatch", ".ipynb", ".yaml", ".yml", ".json", ".toml",
    ".cfg", ".ini",  ".cu",    ".cuh",    ".cpp",   ".cc",   ".pyx", ".h",    ".hpp"};
constexpr std::array<std::string_view, 6> kWords = {"cuda", "CUDA", "nccl",
                                                    "NCCL", "Cuda", "nvidia-smi"};

}  // namespace

bool IsWorthALook(const ProjectEntry& entry) {
  if (entry.size > kLargest) return false;
  const std::string_view name = LastName(entry.path);
  return name.starts_with("Dockerfile") || name.starts_with("requirements") ||
         std::any_of(kSuffixes.begin(), kSuffixes.end(),
                     [&](std::string_view suffix) { return name.ends_with(suffix); });
}

void LookAtOtherFile(const std::string& path, std::string_view bytes, FileMigration& result) {
  size_t first = std::string_view::npos;
  for (std::string_view word : kWords) first = std::min(first, bytes.find(word));
  if (first == std::string_view::npos) return;
  ChangeRecord record;
  record.file = path;
  record.operation = Operation::kSuggestion;
  record.applicability = Applicability::kDisplayOnly;
  record.rule_id = "file-type";
  record.message = Say("speaks of CUDA or NCCL; files of this type are copied, not migrated",
                       "提到 CUDA 或 NCCL; 此类文件只复制, 不迁移");
  const size_t begin = bytes.rfind('\n', first) + 1;
  const size_t end = std::min(bytes.find('\n', first), bytes.size());
  record.start_line = static_cast<uint32_t>(
      1 + std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(first), '\n'));
  record.end_line = record.start_line;
  record.column = static_cast<uint32_t>(first - begin + 1);
  record.source_line = bytes.substr(begin, std::min<size_t>(end - begin, 200));
  record.before = record.source_line;
  result.records.push_back(std::move(record));
  result.outcome.left_open = 1;
}

}  // namespace transplt
