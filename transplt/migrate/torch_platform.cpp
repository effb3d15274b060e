// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/torch_platform.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "transplt/base/one_of.h"
#include "transplt/base/requirement.h"
#include "transplt/base/source_file.h"
#include "transplt/base/text_parts.h"
#include "transplt/engine/version_specifier.h"
#include "transplt/frontends/settings.h"

namespace transplt {
namespace {

constexpr uint64_t kLargest = 1 << 20;

/// "torch==2.1.0" in a file that says what the project needs.
struct Pin {
  std::string file;
  std::string text;
  VersionSpecifier versions;
};

/// What the setup of a project says, which names the files of requirements that it reads.
std::string TextOfSetup(const ProjectFiles& project) {
  std::string text;
  for (const ProjectEntry& entry : project.entries) {
    const bool is_setup = entry.path == "setup.py" || entry.path == "setup.cfg" ||
                          entry.path == "pyproject.toml" || entry.path == "requirements.txt";
    if (!is_setup || !entry.selected || entry.size > kLargest) continue;
    if (Result<std::string> bytes = ReadProjectFile(project, entry)) text += *bytes;
  }
  return text;
}

/// Files of requirements in folders, and others at the root, may be for development or for the
/// documentation: they count where the setup reads them.
bool MayPin(FileType type, std::string_view path, std::string_view setup) {
  const bool is_at_root = path.find('/') == std::string_view::npos;
  switch (type) {
    case FileType::kYaml:
    case FileType::kToml:
    case FileType::kIni:
      return is_at_root;
    case FileType::kRequirements:
      return path == "requirements.txt" || setup.find(path) != std::string_view::npos;
    default:
      return false;
  }
}

std::vector<Pin> PinsOf(const ProjectFiles& project) {
  std::vector<Pin> pins;
  if (project.is_file) return pins;
  const std::string setup = TextOfSetup(project);
  for (const ProjectEntry& entry : project.entries) {
    const bool is_candidate =
        entry.kind == ProjectEntry::Kind::kOther && entry.selected && entry.size <= kLargest;
    const FileType type = FileTypeOf(entry.path);
    if (!is_candidate || !MayPin(type, entry.path, setup)) continue;
    Result<std::string> bytes = ReadProjectFile(project, entry);  // its own row says if it cannot
    if (!bytes || bytes->find("torch") == std::string::npos) continue;
    const Result<SourceFile> source = SourceFile::FromBytes(entry.path, *std::move(bytes));
    if (!source) continue;
    for (const Setting& setting : SettingsOf(type, *source)) {
      if (setting.kind != Setting::Kind::kDependency || setting.versions.empty()) continue;
      if (!NamesPackage("torch", setting.name) && !NamesPackage("pytorch", setting.name)) continue;
      if (const auto versions = VersionSpecifier::Parse(setting.versions)) {
        pins.push_back({entry.path, setting.name + setting.versions, *versions});
      }
    }
  }
  return pins;
}

/// The oldest version that all `pins` admit, as far as they name it; else all zero.
Version OldestOf(const std::vector<Pin>& pins) {
  Version oldest = {};
  for (const Pin& pin : pins) {
    const Version& first = pin.versions.first();
    if (pin.versions.Admits(first) && !pin.versions.Admits({})) oldest = std::max(oldest, first);
  }
  return oldest;
}

Text Described(const std::vector<Pin>& pins) {
  std::vector<std::string> texts;
  for (const Pin& pin : pins) {
    std::string text = fmt::format("{} ({})", pin.file, pin.text);
    if (!IsOneOf(text, texts)) texts.push_back(std::move(text));
  }
  const std::string all = fmt::format("{}", fmt::join(texts, ", "));
  return {all, all};
}

constexpr std::string_view kTorchOption = "--torch-version";
constexpr std::string_view kReleaseOption = "--torch-npu";

Text Options(bool torch, bool torch_npu) {
  const std::string names =
      fmt::format("{}{}{}", torch ? kTorchOption : "", torch && torch_npu ? ", " : "",
                  torch_npu ? kReleaseOption : "");
  return {names, names};
}

}  // namespace

Text AssumedPlatform::Sentence() const {
  const std::string cann = platform.cann.empty() ? "" : fmt::format(" (CANN {})", platform.cann);
  return Say("assumed: torch {0} with torch_npu {1}{2}, from {3}",
             "假定使用 torch {0} 与 torch_npu {1}{2}，依据：{4}", platform.torch,
             platform.torch_npu, cann, chosen_by.en, chosen_by.zh);
}

Result<AssumedPlatform> AssumePlatform(const ProjectFiles& project, const std::string& torch,
                                       const std::string& torch_npu) {
  const Result<TorchNpuReleases> releases = TorchNpuReleases::Load();
  if (!releases) return releases.error();
  Result<TorchPlatform> platform = releases->Choose(torch, torch_npu);
  if (!platform) return platform.error();
  const std::vector<Pin> pins = PinsOf(project);
  const Version oldest = OldestOf(pins);
  if (!torch.empty()) {
    return AssumedPlatform{*std::move(platform), Options(true, !torch_npu.empty()), oldest};
  }
  const Text fallback =
      torch_npu.empty()
          ? Say("the default (the newest pair; {} and {} choose another)",
                "默认值（最新组合；可用 {} 与 {} 指定其他版本）", kTorchOption, kReleaseOption)
          : Options(false, true);
  if (pins.empty()) return AssumedPlatform{*std::move(platform), fallback, oldest};
  const Text named = Described(pins);
  const TorchPlatform pinned = releases->Newest(
      [&](const Version& version) {
        return std::ranges::all_of(pins,
                                   [&](const Pin& pin) { return pin.versions.Admits(version); });
      },
      torch_npu);
  if (!pinned.torch.empty()) {
    Text chosen_by = named;
    if (!torch_npu.empty())
      chosen_by = {fallback.en + ", " + named.en, fallback.zh + ", " + named.zh};
    return AssumedPlatform{pinned, std::move(chosen_by), oldest};
  }
  return AssumedPlatform{
      *std::move(platform),
      Say("{0}, because no torch_npu{4} serves {2}", "{1}，因为没有 torch_npu{4} 适用于 {3}",
          fallback.en, fallback.zh, named.en, named.zh, torch_npu.empty() ? "" : " " + torch_npu),
      oldest};
}

}  // namespace transplt
