// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "generators/config_schema.h"
#include "transplt/base/result.h"

namespace transplt {

/// What a project says about how its training is started.
struct LaunchFacts {
  /// By the name that schemas/launch.json has in x-from: "entry", "arguments" ...
  std::map<std::string, std::vector<std::string>> values;
  std::vector<Text> notes;  ///< what was left out, and what a person has to see to
};

/// Reads `project` for a launcher that lies in `script_folder` ("" if that is not known: then in
/// the root of the project). `given` are the options of the user: --entry or --module choose the
/// program. An Error names the candidates where the project does not show which one is meant, and
/// the required arguments that it shows no value for.
Result<LaunchFacts> ReadLaunchFacts(const std::string& project, const GivenOptions& given,
                                    const std::string& script_folder);

/// The script, to lie in `folder`, that starts the program `main` of the project in `folder` on
/// several cards.
Result<std::string> LauncherOf(const std::string& folder, const std::string& main);

}  // namespace transplt
