// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/framework.h"
#include "transplt/engine/rule_set.h"

namespace transplt {

/// A file of rules/, as built into the program.
struct BuiltinRuleText {
  std::string_view name;         ///< "rules/pytorch.json"
  std::string_view (*packed)();  ///< for UnpackJson, without the examples
  std::string_view text;
};
std::vector<BuiltinRuleText> BuiltinRuleTexts();

/// Those files, to be read with their examples.
std::vector<RuleFile> BuiltinRuleFiles();

/// Those for one framework, and for TensorFlow unless it is left out: not a file that begins with
/// the name of another one, nor one that begins with `without_` and the name of one of these.
std::vector<RuleFile> BuiltinRuleFiles(Framework framework, bool tensorflow);

/// All without their examples, which are read once.
const std::vector<RuleFile>& ReadBuiltinRules();

/// True if a rule reports that this version of the package cannot stay.
bool MustBeReplaced(const std::string& package, const Version& version, const RuleSet& rules);

/// The rules of a run: the user's, then the built-in ones without their examples. Of a package
/// whose version a rule says cannot stay, they are those for the newest version.
Result<RuleSet> LoadRules(const std::vector<RuleFile>& user_rules, bool builtin_rules,
                          const RuleSelection& selection = {});

}  // namespace transplt
