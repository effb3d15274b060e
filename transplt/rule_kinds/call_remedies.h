// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "transplt/base/text.h"
#include "transplt/engine/rule_kind.h"
#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// What to write in place of a call, by the arguments that stand in its text.
class CallRemedies {
 public:
  explicit CallRemedies(const Fields& fields);

  /// What is wrong with the fields of the rule, if anything is.
  static std::optional<Text> Mistake(const Fields& fields);

  /// The text for `call`, or nothing if it shows too little, or nothing is known for it.
  std::optional<std::string> For(Node call) const;

 private:
  using Values = std::map<std::string, std::string, std::less<>>;

  struct Parameter {
    std::string name;
    std::string otherwise;  ///< its default; empty: it has none
  };
  struct Remedy {
    Values needed;     ///< "*": any value but the default
    std::string text;  ///< "torch.fft.fft({input})"
  };

  std::optional<Values> ValuesOf(Node call) const;
  bool Fits(const Remedy& remedy, const Values& values) const;

  std::vector<Parameter> parameters_;
  std::vector<Remedy> remedies_;
};

}  // namespace transplt
