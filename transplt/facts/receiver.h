// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "transplt/facts/code_file.h"

namespace transplt {

/// True if `receiver`, whose method is called, provably is neither tensor nor module of torch:
/// a module of another library, the program's options, an object whose class defines `name`.
/// `reason` then says which.
bool IsForeignReceiver(Node receiver, std::string_view name, const CodeFile& file, Text* reason);

/// True if `receiver` is a tensor or a module by all that the file shows: what torch makes, an
/// object of a class of the project that has `forward`, a parameter with such an annotation, the
/// result of a method of tensors, an item of what a DataLoader gives. For a receiver that
/// IsForeignReceiver() does not know, and that is asked for something that only tensors and modules
/// have: where that alone makes the difference to an array, it is a tensor.
bool IsTorchReceiver(Node receiver, const CodeFile& file);

}  // namespace transplt
