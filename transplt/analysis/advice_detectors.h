// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "transplt/analysis/advice_file.h"

namespace transplt {

/// Sees what a list of names cannot say. A pure function of the node and its file.
struct Detector {
  std::string_view name;  ///< "detector" in rules/advice.json
  std::vector<NodeKind> kinds;
  bool (*sees)(Node node, const AdviceFile& file);
};

std::span<const Detector> Detectors();
const Detector* FindDetector(std::string_view name);

/// Those about shapes that depend on values, about speed, and about precision.
std::span<const Detector> ShapeDetectors();
std::span<const Detector> CostDetectors();
std::span<const Detector> PrecisionDetectors();

/// Of `a.b(c)` b and a; empty and null for a call of something else.
std::string_view MethodOf(Node call);
Node ObjectOf(Node call);

}  // namespace transplt
