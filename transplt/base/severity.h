// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "transplt/base/text.h"

namespace transplt {

/// What becomes of the program on an NPU where something that was found stays as it is; the worst
/// first.
enum class Severity : uint8_t {
  kStopsImport,  ///< an import fails, so that nothing of the program runs
  kStopsRun,     ///< it raises once the place is reached
  kMayGoWrong,   ///< it runs, but may compute or do something else
  kSlower,       ///< it runs, but not on the NPU, or slower than it could
  kNoEffect,     ///< a setting that the NPU does not know
  kNote,         ///< nothing, or what a person should know
};

inline constexpr std::array kSeverities = {Severity::kStopsImport, Severity::kStopsRun,
                                           Severity::kMayGoWrong,  Severity::kSlower,
                                           Severity::kNoEffect,    Severity::kNote};

/// "stops-import", "stops-run", "may-go-wrong", "slower", "no-effect", "note".
std::string_view Name(Severity severity);
std::optional<Severity> SeverityNamed(std::string_view name);
/// For a person: "stops run".
Text TitleOf(Severity severity);

}  // namespace transplt
