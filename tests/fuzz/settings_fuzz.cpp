// SPDX-License-Identifier: Apache-2.0
// Any bytes as a script or a configuration: the places that the settings name hold what they say.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "require.h"
#include "transplt/frontends/settings.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using transplt::FileType;
  constexpr std::array<FileType, 8> kTypes = {
      FileType::kShell, FileType::kYaml,         FileType::kJson,       FileType::kToml,
      FileType::kIni,   FileType::kRequirements, FileType::kDockerfile, FileType::kCondaList};
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto source = transplt::SourceFile::FromBytes("file", text);
  if (!source) return 0;
  for (const transplt::Setting& setting :
       transplt::SettingsOf(kTypes[data[0] % kTypes.size()], *source)) {
    REQUIRE(setting.name_range.empty() || setting.name_range.In(text) == setting.name);
    REQUIRE(setting.value_range.empty() || setting.value_range.In(text) == setting.value);
  }
  return 0;
}
