// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/project_pins.h"

#include <algorithm>
#include <utility>

#include "transplt/base/requirement.h"
#include "transplt/base/source_file.h"
#include "transplt/base/text_parts.h"
#include "transplt/frontends/settings.h"
#include "transplt/rule_kinds/package_names.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr uint64_t kLargest = 1 << 20;
constexpr std::string_view kSetup = "setup.py";

/// What the setup of a project says, which names the files of requirements that it reads.
std::string TextOfSetup(const ProjectFiles& project) {
  std::string text;
  for (const ProjectEntry& entry : project.entries) {
    const bool is_setup = entry.path == kSetup || entry.path == "setup.cfg" ||
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
      return path == kSetup;
  }
}

Pin PinOf(std::string file, std::string_view package, std::string_view versions, bool is_extra) {
  return {std::move(file), std::string(package), std::string(versions),
          VersionSpecifier::Parse(versions), is_extra};
}

/// `install_requires=["torch>=1.8"]`
void AddPinsOfSetup(const SourceFile& source, std::vector<Pin>& pins) {
  Parser parser;
  const SyntaxTree tree = SyntaxTree::Parse(source, parser);
  const PackageNames any({"*"});
  for (const Node node : NodesIn(tree)) {
    if (!node.Is(NodeKind::kString) || !any.AreRequiredBy(node)) continue;
    const std::string_view text = PlainStringContent(node).text();
    const Requirement found = *ParseRequirement(text);
    pins.push_back(
        PinOf(source.path(), found.name.In(text), found.versions.In(text), IsInExtra(node)));
  }
}

}  // namespace

std::vector<Pin> PinsOf(const ProjectFiles& project) {
  std::vector<Pin> pins;
  if (project.is_file) return pins;
  const std::string setup = TextOfSetup(project);
  for (const ProjectEntry& entry : project.entries) {
    const bool is_file = entry.kind == ProjectEntry::Kind::kOther || entry.path == kSetup;
    const FileType type = FileTypeOf(entry.path);
    if (!is_file || !entry.selected || entry.size > kLargest || !MayPin(type, entry.path, setup)) {
      continue;
    }
    Result<std::string> bytes = ReadProjectFile(project, entry);  // its own row says if it cannot
    if (!bytes) continue;
    const Result<SourceFile> source = SourceFile::FromBytes(entry.path, *std::move(bytes));
    if (!source) continue;
    if (entry.path == kSetup) AddPinsOfSetup(*source, pins);
    for (const Setting& setting : SettingsOf(type, *source)) {
      if (setting.kind != Setting::Kind::kDependency) continue;
      pins.push_back(PinOf(entry.path, setting.name, setting.versions, setting.is_extra));
    }
  }
  return pins;
}

std::vector<Pin> BindingPins(const std::vector<Pin>& pins, std::string_view package) {
  std::vector<Pin> found;
  for (const Pin& pin : pins) {
    if (NamesPackage(package, pin.package)) found.push_back(pin);
  }
  const bool is_needed = std::ranges::any_of(found, [](const Pin& pin) { return !pin.is_extra; });
  if (is_needed) std::erase_if(found, [](const Pin& pin) { return pin.is_extra; });
  return found;
}

std::vector<std::pair<std::string, Version>> NewestVersions(const std::vector<Pin>& pins) {
  std::vector<std::pair<std::string, Version>> versions;
  for (const Pin& pin : pins) {
    const bool is_known = std::ranges::any_of(
        versions, [&](const auto& known) { return NamesPackage(pin.package, known.first); });
    if (is_known) continue;
    Version newest = kNewestVersion;
    for (const Pin& binding : BindingPins(pins, pin.package)) {
      if (binding.specifier) newest = std::min(newest, binding.specifier->newest());
    }
    versions.emplace_back(pin.package, newest);
  }
  return versions;
}

}  // namespace transplt
