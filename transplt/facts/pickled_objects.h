// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/facts/value_sources.h"

namespace transplt {

/// True if an object of a class that is no container of Python may be made for `value`: of a class
/// of the project, or of one of a library that torch.load refuses with weights_only.
bool MayBePickledObject(const ValueSource& value, const ValueSources& sources);

/// The parameter of its constructor that the class `definition` hands to its method `keeper`, which
/// writes it into checkpoints, and that is an object: the class asks it for what neither tensors
/// nor plain values have. Of a call without arguments all are meant: `self.save_hyperparameters()`.
/// A null node if there is none.
Node ObjectHandedTo(std::string_view keeper, Node definition);

}  // namespace transplt
