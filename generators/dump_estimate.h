// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "generators/config_schema.h"
#include "transplt/base/result.h"

namespace transplt {

/// What a person knows about a dump before it is taken. Nothing is assumed for what is not given.
struct EstimateInputs {
  std::optional<double> bytes_per_step;  ///< of one device
  std::optional<double> files_per_step;  ///< of one device
  std::optional<double> write_rate;      ///< bytes per second that all devices share
  std::optional<double> steps;           ///< where the configuration does not say
  std::optional<double> devices;         ///< the same
};

/// The size of a dump: every line names its formula and its inputs, and says "unknown" with what
/// to give where one is missing. An Error if the configuration is not one of a dump.
Result<std::vector<Text>> EstimateDump(const ConfigSchema& schema, const std::string& configuration,
                                       const EstimateInputs& inputs);

/// "1.5G" as bytes: a number with K, M, G or T of 1024; nothing if it is none.
std::optional<double> ReadBytes(std::string_view text);

}  // namespace transplt
