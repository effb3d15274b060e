// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/dump/dumped_tensor.h"

namespace transplt {

/// The tensors of a file as torch.utils.dumper leaves it: /{Op}/{order}/{input|output}/{name}.
/// Refused by name where transplt was built without libhdf5.
Result<std::vector<DumpedTensor>> ReadHdf5(const std::string& path);

/// Reads the values of a dataset that is not one piece of the file (chunked, compressed) as
/// numbers of `tensor.type`, little endian.
Result<std::string> ReadHdf5Values(const DumpedTensor& tensor);

/// Copies the groups `groups` ("numpy_T/1") of `from` into `to`, which is made or added to.
Result<Done> CopyHdf5Groups(const std::string& from, const std::string& to,
                            const std::vector<std::string>& groups);

}  // namespace transplt
