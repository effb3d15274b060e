// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace transplt {

/// What a line of a log says where it shows an error: a text, in which "*" stands for anything and
/// "#" for a digit. Where it starts or ends with a letter or digit, the line has none beside it.
class LogPattern {
 public:
  explicit LogPattern(std::string_view text);

  bool Matches(std::string_view line) const;
  /// A part that every line with the pattern has.
  const std::string& literal() const { return literal_; }

 private:
  std::vector<std::string> pieces_;  ///< between the stars
  std::string literal_;
};

}  // namespace transplt
