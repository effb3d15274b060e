// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/facts/value_sources.h"
#include "transplt/python/project_index.h"

namespace transplt {

/// True if the file of `names`, or another one of the project, chooses another device than the host
/// for the tensors that are told none: `torch.set_default_device("cuda")`,
/// `torch.set_default_tensor_type("torch.cuda.FloatTensor")`. `project` may be null.
bool ChoosesDefaultDevice(const NameTable& names, const ProjectIndex* project);

/// True if one of them makes a type of the device the default one, by which torch.Tensor makes its
/// objects.
bool ChoosesDefaultTensorType(const NameTable& names, const ProjectIndex* project);

/// True for a call that makes a tensor on that device unless it is told another one:
/// `torch.zeros(2)`, not `torch.FloatTensor(2)`, whose name says where it is.
bool TakesDefaultDevice(const ValueSource& call);

}  // namespace transplt
