// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/engine/file_context.h"

namespace transplt {

/// What is known of an expression in the place of a device.
enum class DeviceIndex {
  kNo,      ///< a device, a string, a tensor, or nothing is known
  kByName,  ///< called like an index: rank, gpu_id ...
  kYes,     ///< an integer
};
DeviceIndex IndexOf(Node value, const FileContext& file);

/// Makes of `value`, an index, the name of the device: 0 -> "npu:0", rank -> f"npu:{rank}".
std::vector<Edit> NamedDevice(Node value, const std::string& device);

}  // namespace transplt
