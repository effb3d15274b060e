// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "transplt/base/text.h"
#include "transplt/native/rules.h"

namespace transplt {

/// What a rule about C++ and CUDA sources does with `name`, in a few lines.
std::string NativeRuleText(const NativeRule& rule, const std::string& name, Language language);
/// The same with the examples of the rule.
std::string NativeRuleSection(const NativeRule& rule, Language language);
/// A page in Markdown with all of them.
std::string NativeRulePage(Language language);

}  // namespace transplt
