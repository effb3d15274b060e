// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/base/framework.h"
#include "transplt/engine/rule_set.h"

namespace transplt {

/// The files of rules/, as built into the program.
std::vector<RuleFile> BuiltinRuleFiles();

/// Those for one framework, and for TensorFlow unless it is left out: not a file that begins with
/// the name of another one, nor one that begins with `without_` and the name of one of these.
std::vector<RuleFile> BuiltinRuleFiles(Framework framework, bool tensorflow);

/// True if a rule reports that this version of the package cannot stay.
bool MustBeReplaced(const std::string& package, const Version& version, const RuleSet& rules);

/// The rules of a run: the user's, then the built-in ones. Of a package whose version a rule says
/// cannot stay, they are those for the newest version.
Result<RuleSet> LoadRules(const std::vector<RuleFile>& user_rules, bool builtin_rules,
                          const RuleSelection& selection = {});

}  // namespace transplt
