// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "transplt/compare/comparison.h"

namespace transplt {

/// Where two runs part, told from the first difference.
struct DifferenceOrigin {
  enum class Kind : uint8_t {
    kParameter,  ///< a parameter of a module differs before it is used
    kBuffer,     ///< a buffer of a module does
    kInput,      ///< something that no captured operation has made
    kOperation,  ///< its inputs agree: it, its arguments, or random numbers that it draws
    kMissing,    ///< an operation that only one of the runs has
    kOrder,      ///< one run has another operation in its place
  };
  Kind kind = Kind::kInput;
  std::string name;   ///< "body.0.weight", "Functional.dropout.0.forward"
  std::string place;  ///< "train.py:14", from the stacks of the tested dump, or ""
  Text what;
};

/// Nothing where the dumps agree, or where they do not hold the order of the run.
std::optional<DifferenceOrigin> FindOrigin(const Comparison& comparison);

std::string_view NameOf(DifferenceOrigin::Kind kind);

}  // namespace transplt
