// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace transplt {

/// The words, in small letters, that tell of a printed number that it is about the machine or the
/// time, and not about what is computed.

/// What stands in front of it: `time`, `batch_time`, `peak-mem`, `ms/batch`; not `time_loss`.
bool IsMachineName(std::string_view name);
/// What was computed, whatever else the name says: `loss`, `speed_mae`.
bool IsResultName(std::string_view name);
/// How such numbers are summed up: the `mean` of `0.10s (mean 0.12)`.
bool IsStatistic(std::string_view word);
/// What stands directly behind it: the `ms` of `12ms`.
bool IsMachineUnit(std::string_view unit);
/// A unit of a time that has several: the `m` of `2m30s`.
bool IsPartOfDuration(std::string_view unit);
/// What stands behind it with a blank between: the `sec` of `12 sec`.
bool IsSpacedMachineUnit(std::string_view unit);
/// `img/s`, `s/it`: before or behind it.
bool IsRate(std::string_view unit);

}  // namespace transplt
