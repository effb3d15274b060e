// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/facts/value_sources.h"

namespace transplt {

/// True if an object of a class that is no container of Python may be made for `value`: of a class
/// of the project, or of one of a library that torch.load refuses with weights_only.
bool MayBePickledObject(const ValueSource& value, const ValueSources& sources);

}  // namespace transplt
