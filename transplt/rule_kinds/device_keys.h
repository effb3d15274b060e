// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/engine/file_context.h"

namespace transplt {

/// True if `key` is a key of a dictionary in which the program looks up devices, and nothing else:
/// `PEAK = {"cpu": 1, "cuda": 9}`, `PEAK[device.type]`.
bool IsKeyOfDevices(Node key, const FileContext& file);

}  // namespace transplt
