// SPDX-License-Identifier: Apache-2.0
#include "transplt/frontends/settings.h"

#include "transplt/frontends/configuration.h"
#include "transplt/frontends/dockerfile.h"
#include "transplt/frontends/markdown.h"
#include "transplt/frontends/requirements.h"
#include "transplt/frontends/shell.h"
#include "transplt/frontends/submodules.h"

namespace transplt {

std::vector<Setting> SettingsOf(FileType type, const SourceFile& source) {
  switch (type) {
    case FileType::kShell:
      return ShellSettings(source);
    case FileType::kYaml:
      return YamlSettings(source);
    case FileType::kJson:
      return JsonSettings(source);
    case FileType::kToml:
      return TomlSettings(source);
    case FileType::kIni:
      return IniSettings(source);
    case FileType::kRequirements:
      return IsLockFile(source.path()) ? LockedSettings(source) : RequirementSettings(source);
    case FileType::kCondaList:
      return CondaListSettings(source);
    case FileType::kDockerfile:
      return DockerfileSettings(source);
    case FileType::kSubmodules:
      return SubmoduleSettings(source);
    case FileType::kMarkdown:
      return MarkdownSettings(source);
    default:
      return {};
  }
}

}  // namespace transplt
