// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace transplt {

/// True for a source of Cython: "nms.pyx", and "box.pxd", which others import.
bool IsCython(std::string_view path);

/// A Python program of the same length: the imports of a source of Cython, and the names with dots
/// that begin with what they import, each where it stands: `np.int_t`. Blanks stand in for all
/// else, for what Cython adds is no Python.
std::string NamesInCython(std::string_view source);

}  // namespace transplt
