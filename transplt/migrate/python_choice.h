// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transplt/engine/version_range.h"
#include "transplt/migrate/project_pins.h"

namespace transplt {

/// The Python to install, "3.11", out of those for which a torch exists, "3.10-3.14": one that the
/// pins of the project admit, and that imports what they name, if there is one, and of these the
/// one that runs most of what was written before: the newest up to 3.11, which still has what 3.12
/// took away, and wheels of the libraries of those years. Empty where `pythons` is.
std::string ChoosePython(std::string_view pythons, const std::vector<Pin>& pins);

/// Takes from `libraries`, the newest versions that the project asks for, what pip does not install
/// beside this Python, and adds those that the project leaves to pip.
void LimitToPython(std::string_view python,
                   std::vector<std::pair<std::string, Version>>& libraries);

}  // namespace transplt
