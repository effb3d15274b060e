// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "transplt/python/name_table.h"

namespace transplt {

/// What the parameters of one call hold: the binding of a parameter, and the argument that the
/// call passes for it.
using PassedArguments = std::map<const Binding*, Node>;

/// The texts that `expression` can be, as far as the file writes them out: strings, f-strings,
/// concatenation, `"{}.{}".format(a, b)`, `"%s.%s" % (a, b)`, variables, the variable of a loop
/// over strings, and any value of a dictionary that is looked up. A parameter is looked up in
/// `passed`. Empty if one part is not known, and for an expression with more than 256 texts.
std::vector<std::string> WrittenTexts(Node expression, const NameTable& names,
                                      const PassedArguments& passed = {});

/// The same with * in the place of each part that is not known: "models.*_model".
std::vector<std::string> WrittenPatterns(Node expression, const NameTable& names);

}  // namespace transplt
