// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transplt/engine/version_specifier.h"
#include "transplt/project/project_files.h"

namespace transplt {

/// "torch==2.1.0" in a file that says what the project needs.
struct Pin {
  std::string file;
  std::string package;
  std::string versions;                       ///< as they are written; "" if any will do
  std::optional<VersionSpecifier> specifier;  ///< nullopt for versions that cannot be read, or none
  bool is_extra = false;  ///< of an extra, a group or the tests, which the project runs without
};

/// The packages that the files at the root of the project ask for (requirements.txt,
/// environment.yml, pyproject.toml, setup.cfg, setup.py), and the files of requirements that its
/// setup reads.
std::vector<Pin> PinsOf(const ProjectFiles& project);

/// Those of `pins` that are about `package` and bind it for who runs the project: what an extra
/// asks for counts only where nothing else asks for the package.
std::vector<Pin> BindingPins(const std::vector<Pin>& pins, std::string_view package);

/// The newest version of each package that `pins` admit together, by the name of the package.
std::vector<std::pair<std::string, Version>> NewestVersions(const std::vector<Pin>& pins);

}  // namespace transplt
