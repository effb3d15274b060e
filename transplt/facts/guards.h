// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/facts/guard_signatures.h"
#include "transplt/python/name_table.h"
#include "transplt/python/project_index.h"

namespace transplt {

/// A condition that asks for the device, and the code that it decides about.
struct Guard {
  enum class Asks {
    kMachine,   ///< whether the machine has the device: torch.cuda.is_available()
    kValue,     ///< where a tensor is, or what was chosen: x.is_cuda, device.type == "cuda"
    kWhichGpu,  ///< for one kind of GPU: torch.cuda.get_device_capability()
    kHost,      ///< for the host: device.type == "cpu"
  };
  Asks asks = Asks::kMachine;
  Node condition;                  ///< the call, attribute or comparison that asks
  Node decides;                    ///< the outermost expression that it is part of
  std::vector<TextRange> with;     ///< runs only if the answer is yes
  std::vector<TextRange> without;  ///< runs only if it is no
  std::vector<TextRange> reached;  ///< runs if the answer is yes, and for other reasons too
  /// Those parts of `with` and `by_call` before which the program raises an error if it is no:
  /// `assert x.is_cuda`. Who gets there needs the device.
  std::vector<TextRange> demanded;
  /// For each call of a function that gives the answer back: what runs only if it is yes. These
  /// parts are not in `with`.
  std::vector<std::vector<TextRange>> by_call;
  std::vector<Node> functions;  ///< the functions of these calls
  TextRange otherwise;          ///< where the program goes on if the answer is no; may be empty
  bool skips_test = false;      ///< it decides whether a test runs
  bool decides_value = false;   ///< it is kept, passed or returned as a value

  bool Demands(TextRange part) const;  ///< true for one of `demanded`
};

/// All guards of a file, in the order of the text. A condition is followed through `not`, `and`,
/// `or`, branches, early exits, assertions, variables, members of the same class and functions of
/// the file that return it. With `project` a call of a function of another file that gives the
/// answer asks for it as well.
std::vector<Guard> GuardsOf(const NameTable& names, const GuardSignatures& signatures,
                            const ProjectIndex* project = nullptr);

/// True if the guard protects `range` as a part of one of `parts`.
bool IsIn(const std::vector<TextRange>& parts, TextRange range);

}  // namespace transplt
