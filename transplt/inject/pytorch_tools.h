// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/inject/edit_plan.h"
#include "transplt/inject/inject_file.h"
#include "transplt/inject/request.h"

namespace transplt {

/// The lines of a tool, by the place where they go.
struct ToolLines {
  std::vector<std::string> module;  ///< behind the import of torch
  std::vector<std::string> before_loop;
  std::vector<std::string> start;  ///< of a step
  std::vector<std::string> end;    ///< of a step
  std::vector<std::string> after_loop;
  bool before_update = false;  ///< `end` goes in front of the optimizer
  bool needs_step = true;
  bool is_debugger = false;  ///< `start` and `end` are calls that each step repeats
};

/// The lines of the tool that `request` names, in the quotes of the file of `plan`.
ToolLines WriteToolLines(const InjectFile& file, const InjectRequest& request,
                         const EditPlan& plan);

}  // namespace transplt
