// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace transplt {

/// True if the environment marker of a requirement may hold on a machine with NPUs, which runs
/// Linux on x86_64 or aarch64: not `sys_platform == "darwin"`, `platform_system == "Windows"` or
/// `python_version < "3"`. True as well without a marker and for what cannot be read.
bool AdmitsNpuMachine(std::string_view marker);

}  // namespace transplt
