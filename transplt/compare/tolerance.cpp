// SPDX-License-Identifier: Apache-2.0
#include "transplt/compare/tolerance.h"

#include <algorithm>

namespace transplt {
namespace {

/// Relative Euclidean distance that "default" allows: some hundred roundings of the type, as a
/// tensor gathers them over the layers of a network.
double RelativeOfType(NumberType type) {
  switch (type) {
    case NumberType::kBFloat16:
      return 2e-2;
    case NumberType::kFloat16:
      return 5e-3;
    case NumberType::kFloat32:
    case NumberType::kComplex64:
      return 1e-3;
    case NumberType::kFloat64:
    case NumberType::kComplex128:
      return 1e-6;
    default:
      return 0;
  }
}

double AbsoluteOfType(NumberType type) {
  switch (type) {
    case NumberType::kBFloat16:
    case NumberType::kFloat16:
      return 1e-5;
    case NumberType::kFloat32:
    case NumberType::kComplex64:
      return 1e-6;
    case NumberType::kFloat64:
    case NumberType::kComplex128:
      return 1e-12;
    default:
      return 0;
  }
}

}  // namespace

double Tolerance::RelativeOf(NumberType a, NumberType b) const {
  if (relative >= 0) return relative;
  return factor * std::max(RelativeOfType(a), RelativeOfType(b));
}

double Tolerance::AbsoluteOf(NumberType a, NumberType b) const {
  if (absolute >= 0) return absolute;
  return factor * std::max(AbsoluteOfType(a), AbsoluteOfType(b));
}

bool Tolerance::Allows(const Metrics& metrics, NumberType a, NumberType b) const {
  if (rule == Rule::kPtdbg) {
    return !(metrics.cosine < 0.99 && metrics.max_absolute > 0.001) && metrics.cosine >= 0.9 &&
           metrics.max_absolute <= 1;
  }
  return metrics.max_absolute <= AbsoluteOf(a, b) || metrics.relative_euclidean <= RelativeOf(a, b);
}

const std::vector<Tolerance>& ToleranceProfiles() {
  static const std::vector<Tolerance> kProfiles = {
      {"default", Tolerance::Rule::kRelative, 1, -1, -1},
      {"exact", Tolerance::Rule::kRelative, 0, -1, -1},
      {"strict", Tolerance::Rule::kRelative, 0.01, -1, -1},
      {"loose", Tolerance::Rule::kRelative, 10, -1, -1},
      {"ptdbg", Tolerance::Rule::kPtdbg, 1, -1, -1}};
  return kProfiles;
}

}  // namespace transplt
