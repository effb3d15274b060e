// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transplt/dump/dumped_tensor.h"

namespace transplt {

/// A tensor that a list of msprobe or ptdbg names, and the file with its values, "" for none.
struct ListedTensor {
  DumpedTensor tensor;
  std::string file;
};

/// The tensors of a list as far as it can be read, and why it could not be read further.
struct TensorList {
  std::vector<ListedTensor> tensors;
  std::vector<DumpedArgument> arguments;  ///< without folder
  std::vector<Error> troubles;
};

/// Reads a dump.json of msprobe. Tensors come in the order of the run; `file` is "data_name",
/// which stands in dump_tensor_data beside dump.json.
TensorList ReadProbeJson(std::string text, const std::string& name);

/// Reads the .pkl of ptdbg_ascend, whose lines are JSON lists:
/// [name, step, [], type, shape, [max, min, mean, norm]].
TensorList ReadPtdbgLines(std::string text, const std::string& name);

}  // namespace transplt
