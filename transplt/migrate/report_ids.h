// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/change_record.h"
#include "transplt/base/result.h"
#include "transplt/engine/rule_set.h"

namespace transplt {

/// An Error at `where` for an id that no report gives, of those to be switched off: that of a rule,
/// of a row that transplt makes itself, or of a cause.
std::optional<Error> CheckReportIds(const std::vector<std::string>& ids, const std::string& where,
                                    const std::vector<RuleFile>& user_rules);

/// True for a row, and no edit, that has one of these ids or causes.
bool IsSwitchedOff(const ChangeRecord& record, std::span<const std::string> ids);

/// Takes such rows out of the run, and says so: of a rule no rows are there to begin with.
std::optional<Text> LeaveSwitchedOff(std::span<const std::string> ids, RunResult& run);

/// The user's rules that have found nothing in the run, one text for all; nothing if there is none.
std::optional<Text> RulesWithoutPlace(const RuleSet& rules, const std::vector<RuleFile>& user_rules,
                                      const RunResult& run);

}  // namespace transplt
