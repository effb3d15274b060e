// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <string>

namespace transplt {

/// A name that is defined somewhere: in a file of the project, or, where `file` is empty, in a
/// library ("transformers.Trainer").
struct Origin {
  std::string file;
  std::string name;  ///< "f", "Class", "Class.method"
  friend auto operator<=>(const Origin&, const Origin&) = default;
};

}  // namespace transplt
