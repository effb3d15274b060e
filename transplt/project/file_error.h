// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "transplt/base/result.h"

namespace transplt {

/// What the system's error number `number` means for the person who runs the program, with the
/// remedy: "permission denied; check the permissions of the file and of its folders".
Text SystemText(int number);

/// An Error at `where`: `what` was being done ("cannot write the file") and failed with `number`.
Error FileError(const std::string& where, const Text& what, int number,
                Error::Code code = Error::Code::kIo);

}  // namespace transplt
