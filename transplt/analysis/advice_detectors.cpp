// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/advice_detectors.h"

namespace transplt {

std::string_view MethodOf(Node call) {
  const Node callee = call.Child(Field::kFunction);
  return callee.Is(NodeKind::kAttribute) ? callee.Child(Field::kAttribute).text()
                                         : std::string_view();
}

Node ObjectOf(Node call) { return call.Child(Field::kFunction).Child(Field::kObject); }

std::span<const Detector> Detectors() {
  static const std::vector<Detector> all = [] {
    std::vector<Detector> detectors(ShapeDetectors().begin(), ShapeDetectors().end());
    for (const auto more : {CostDetectors(), PrecisionDetectors()}) {
      detectors.insert(detectors.end(), more.begin(), more.end());
    }
    return detectors;
  }();
  return all;
}

const Detector* FindDetector(std::string_view name) {
  for (const Detector& detector : Detectors()) {
    if (detector.name == name) return &detector;
  }
  return nullptr;
}

}  // namespace transplt
