// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transplt/engine/version_specifier.h"
#include "transplt/project/project_files.h"

namespace transplt {

/// "torch==2.1.0" in a file that says what the project needs.
struct Pin {
  /// Whom it binds; of one package those that come first count, and the others only where there
  /// are none.
  enum class Scope : uint8_t {
    kProject,    ///< who runs the project
    kExtra,      ///< who wants an extra, a group or the tests, which the project runs without
    kElsewhere,  ///< who runs a part of it, or develops it: a file of requirements in a folder
    kInCommand,  ///< who follows a document or runs a script: `pip install timm==0.3.2`
  };
  std::string file;
  std::string package;
  std::string versions;                       ///< as they are written; "" if any will do
  std::optional<VersionSpecifier> specifier;  ///< nullopt for versions that cannot be read, or none
  Scope scope = Scope::kProject;
  bool for_npu = false;     ///< its file is for NPUs, as its name says: Dockerfile.npu
  std::string extras = {};  ///< "parquet,aws" of `pandas[parquet,aws]`
};

/// The files of requirements for Python 2, by their names or because one for Python 3 stands beside
/// them: "requirements.txt" beside "requirements3.txt". No torch with an NPU runs with that.
std::set<std::string> ListsForPython2(const ProjectFiles& project);

/// The packages that the files at the root of the project ask for (requirements.txt,
/// environment.yml, pyproject.toml, setup.cfg, setup.py), the files of requirements that its setup
/// reads, all other files of requirements, and the commands of scripts and documents. What is asked
/// for only on machines that have no NPUs (`; sys_platform == "darwin"`), or for Python 2, is left
/// out.
std::vector<Pin> PinsOf(const ProjectFiles& project);

/// Those of `pins` that are about `package` and count, as far as they bind the project as a whole.
std::vector<Pin> BindingPins(const std::vector<Pin>& pins, std::string_view package,
                             Pin::Scope widest = Pin::Scope::kExtra);

/// The newest version of each package that those of `pins` which count admit together, by the name
/// of the package.
std::vector<std::pair<std::string, Version>> NewestVersions(const std::vector<Pin>& pins);

/// The newest version of `package` that the list nearest to the file `path` admits, in the folder
/// of that or one around it; nothing where no folder but the root has one that asks for the
/// package.
std::optional<Version> NewestBeside(std::string_view path, std::string_view package,
                                    const std::vector<Pin>& pins);

}  // namespace transplt
