// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "transplt/engine/file_context.h"
#include "transplt/engine/rule_kind.h"
#include "transplt/facts/value_sources.h"
#include "transplt/python/arguments.h"

namespace transplt {

/// What gives a tensor or an array of one element type, by the fields of a rule.
struct DtypeSigns {
  explicit DtypeSigns(const Fields& fields);

  std::vector<std::string> dtypes;       ///< the type by its full names: torch.float64
  std::vector<std::string> methods;      ///< that convert to it: double
  std::vector<std::string> conversions;  ///< that convert to the type that they are given: to
  std::vector<std::string> made_by;      ///< that make it where they are given no type
  std::vector<std::string> kept_by;      ///< that give a tensor of the type of the first argument
  std::vector<std::string> number_by;    ///< that give a number of it, of a list of Python numbers
  bool wins;                             ///< over each other type that is computed with it

  /// `x.double()`, `x.to(torch.float64)`: without a device, and without other arguments.
  bool IsConversion(const ValueSource& call) const;
  /// `torch.float64`; of a conversion and as an argument of numpy "float64", too.
  bool IsDtype(const ValueSource& value) const;
};

/// Finds what makes the value of an expression with the element type of `signs`: through variables,
/// parameters and what keeps the type, over the files of the project.
class DtypeTrace {
 public:
  DtypeTrace(const DtypeSigns& signs, const FileContext& file)
      : signs_(signs), sources_(file.names(), file.project()) {}

  /// The call that makes `value`, if all that a variable may hold there, and one thing that a
  /// caller hands over, provably is of the type. What takes too many steps proves nothing.
  std::optional<ValueSource> MakerOf(const ValueSource& value);

 private:
  std::optional<ValueSource> Look(const ValueSource& value);
  std::optional<ValueSource> MakerOfVariable(const ValueSource& use);
  bool IsNoTensor(Node value) const;
  std::optional<ValueSource> MakerOfChoice(const ValueSource& choice);
  std::optional<ValueSource> MakerOfParameter(const ValueSource& use);
  std::optional<ValueSource> MakerOfMember(const ValueSource& member);
  std::optional<ValueSource> MakerOfOperation(const ValueSource& operation);
  std::optional<ValueSource> MakerOfCall(const ValueSource& call);
  std::optional<ValueSource> MakerOfAppended(const ValueSource& list);
  bool IsListOfNumbers(const ValueSource& value) const;
  bool IsNumberMaker(const ValueSource& call) const;
  bool TypeIn(const std::vector<Argument>& arguments, const ValueSource& call) const;

  const DtypeSigns& signs_;
  ValueSources sources_;
  std::vector<ValueSource> trail_;  ///< the expressions on the way
  size_t steps_ = 0;                ///< that were taken, on all ways
};

}  // namespace transplt
