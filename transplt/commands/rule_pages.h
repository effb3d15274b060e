// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "transplt/engine/rule_set.h"

namespace transplt {

/// One rule as Markdown: why it exists, when it runs, what it makes of its examples.
std::string RuleSection(const LoadedRule& rule, Language language);

/// The ids of reports that are no rules (`import-torch-npu`, `syntax` ...), with what they mean.
const std::map<std::string, Text>& OwnIds();

/// The pages about all rules in one language: the name of each file, and its Markdown. README.md
/// is the index, the others are named after the files of rules.
std::map<std::string, std::string> RulePages(const RuleSet& rules, Language language);

}  // namespace transplt
