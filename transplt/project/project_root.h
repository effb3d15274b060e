// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace transplt {

/// The folder of the project that the file `path` (absolute) is part of: the nearest one above it
/// that is a checkout or has a setup.py or pyproject.toml. Nothing if there is none.
std::optional<std::string> ProjectRootAbove(const std::string& path);

}  // namespace transplt
