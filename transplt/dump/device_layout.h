// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "transplt/dump/dumped_tensor.h"

namespace transplt {

/// `tensor` as one of this shape, if its blocks are those of such a tensor: whoever reads its
/// values gets them in the order of the shape, without what fills the last blocks. A shape of four
/// sizes is NCHW, NHWC or HWCN, whichever fits; where the sizes fit several, `channels_last`
/// decides.
std::optional<DumpedTensor> InShape(const DumpedTensor& tensor, const std::vector<uint64_t>& shape,
                                    bool channels_last);

/// `tensor` out of its blocks, as far as they tell its shape: NCHW of NC1HWC0, a matrix of
/// FRACTAL_NZ. What fills the last blocks stays.
std::optional<DumpedTensor> OutOfBlocks(const DumpedTensor& tensor);

}  // namespace transplt
