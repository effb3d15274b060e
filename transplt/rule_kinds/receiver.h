// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "transplt/engine/file_context.h"

namespace transplt {

/// True if `receiver`, whose method is called, provably is neither tensor nor module of torch:
/// a module of another library, the program's options, an object whose class defines `name`.
/// `reason` then says which.
bool IsForeignReceiver(Node receiver, std::string_view name, const FileContext& file, Text* reason);

}  // namespace transplt
