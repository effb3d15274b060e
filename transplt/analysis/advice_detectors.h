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

/// Those about shapes that depend on values, and those about speed and precision.
std::span<const Detector> ShapeDetectors();
std::span<const Detector> CostDetectors();

}  // namespace transplt
