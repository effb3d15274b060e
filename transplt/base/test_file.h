// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace transplt {

/// True for a file whose name, or a folder around it, says that it is a test: it is not the program
/// that people run.
bool IsTestFile(std::string_view path);

}  // namespace transplt
