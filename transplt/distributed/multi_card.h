// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "transplt/base/finding.h"
#include "transplt/base/result.h"
#include "transplt/programs/program_code.h"
#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// The module that several processes need: beside the program that is started.
inline constexpr std::string_view kDistributedModule = "transplt_distributed";
/// The rule that the edits and rows of a program for several cards carry.
inline constexpr std::string_view kMultiCardRule = "multi-card";

/// runtime/python/transplt_distributed.py.
std::string_view DistributedModule();

/// Which program gets several cards.
struct MultiCardRequest {
  std::string main;   ///< path of the program in the project
  std::string model;  ///< what the program calls the model; empty: whatever it trains
};

/// What makes of a training on one card one on several, a process for each.
struct MultiCardPlan {
  std::map<std::string, Findings, std::less<>> findings;  ///< by file
  std::string module_path;  ///< where DistributedModule() has to lie; empty: it is there
};

/// Reads the program and all that it runs. An Error says why it cannot be done, and where.
Result<MultiCardPlan> PlanMultiCard(const ProgramSources& sources, const MultiCardRequest& request);

/// Takes the index out of the devices that the edits of `findings` write.
void DropDeviceIndices(std::string_view device, Findings& findings);

/// Of `findings`, which name a device by a text: each process uses its own card, whichever the
/// text has named.
void UseOwnCard(const SyntaxTree& tree, std::string_view device, Findings& findings);

}  // namespace transplt
