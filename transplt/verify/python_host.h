// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "transplt/base/result.h"

namespace transplt {

/// The Python that runs the scripts.
struct PythonHost {
  std::string program;        ///< the absolute path
  std::string python;         ///< its version
  std::string torch;          ///< the version of its torch; empty: it has none
  bool is_supported = false;  ///< the simulator is tested with this torch
};

/// Asks `program`, or, if that is empty, the python3 on PATH and then /usr/bin/python3, of which
/// the first that has torch is taken. An Error names what is missing; without `needs_torch` any
/// Python will do. `simulator` is the folder of the simulator, `work_folder` one for files.
Result<PythonHost> FindPythonHost(const std::string& program, const std::string& simulator,
                                  const std::string& work_folder, bool needs_torch);

}  // namespace transplt
