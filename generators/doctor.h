// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "generators/generator_kind.h"
#include "transplt/base/result.h"

namespace transplt {

/// What is said about an existing configuration file.
struct Diagnosis {
  const GeneratorKind* kind = nullptr;  ///< null for broken JSON whose name says nothing
  std::vector<Error> mistakes;
  std::vector<Error> notes;
};

/// The kinds whose files can be checked: those that are JSON, and environment variables.
std::vector<std::string> DiagnosableKinds();

/// Checks a JSON file as `kind`, or as what its content and its name (in this order) make it. An
/// Error only if nothing tells which kind it is.
Result<Diagnosis> DiagnoseJson(const std::string& path, std::string_view text,
                               const GeneratorKind* kind);

/// A variable that a script sets.
struct EnvironmentSetting {
  std::string name;
  std::string value;
  std::string where;  ///< "env.sh:3:8"
};

/// Checks the variables that are known; of those that are set twice the last.
Result<Diagnosis> DiagnoseEnvironment(const std::string& path,
                                      const std::vector<EnvironmentSetting>& settings);

}  // namespace transplt
