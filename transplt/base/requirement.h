// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "transplt/base/text_range.h"

namespace transplt {

/// A package that a project asks for: `torch>=2.0`, `nvidia::cudatoolkit=11.3` of conda,
/// `-e git+https://host/apex.git`, `--extra-index-url https://host/whl/cu118`. Offsets are in the
/// text that was parsed.
struct Requirement {
  TextRange name;   ///< of an address the part that names the package
  TextRange whole;  ///< without options, comment and environment marker
  /// What follows the name and its extras: "==2.1.0", "" ...; empty for an address.
  TextRange versions;
  /// The environment marker: `sys_platform == "linux"`; empty if there is none.
  TextRange marker = {};
  TextRange extras = {};  ///< `parquet,aws` of `pandas[parquet,aws]`; empty if there are none
};

/// nullopt for a text that does not name a package.
std::optional<Requirement> ParseRequirement(std::string_view text);

/// True if `pattern` names `name` as pip does: case does not count, `-`, `_` and `.` are the same,
/// and `*` stands for any text.
bool NamesPackage(std::string_view pattern, std::string_view name);

/// True if `pattern` names the package as NamesPackage() says and, as in "pandas[parquet]", one of
/// its `extras`, which are separated by commas.
bool NamesWithExtra(std::string_view pattern, std::string_view name, std::string_view extras);

/// True if what pip installs as `distribution` may be imported as `module`: its name starts or ends
/// with the parts of the module's, `lib` and `py` put aside: chronos of chronos-forecasting, stk of
/// stanford-stk, igl of libigl, patoolib of patool.
bool MayProvide(std::string_view distribution, std::string_view module);

}  // namespace transplt
