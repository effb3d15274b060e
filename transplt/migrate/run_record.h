// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/change_record.h"
#include "transplt/migrate/migration.h"

namespace transplt {

/// An edit that a person can decide about. Edits of one group are made together or not at all.
struct RecordedFix {
  ChangeRecord record;  ///< without `values`
  uint32_t group = 0;   ///< from 1

  FixKey key() const { return {record.file, record.range, record.rule_id}; }
};

/// kReviewFile of a result: what it takes to write the result again with other decisions. Does not
/// depend on threads or time.
struct RunRecord {
  std::string version;      ///< of transplt
  std::string input;        ///< path of the project from the folder of the result
  std::string shown_input;  ///< what reports call the input, and the result
  std::string shown_output;
  MigrationOptions options;  ///< those that say how files are converted, and the language
  std::string policy;        ///< the text of transplt.toml; empty if the project had none
  std::map<std::string, std::string> originals;  ///< RewriteResult::originals
  std::vector<RecordedFix> fixes;                ///< in the order of the list of changes
  FixDecisions decisions;
  std::vector<FixDecisions> earlier;  ///< decisions before these, the oldest first

  std::string ToJson() const;
  /// kBadInput for what ToJson has not written; `name` is what messages call the text.
  static Result<RunRecord> FromJson(const std::string& name, std::string_view text);
};

/// The edits of `run` that a person can decide about, made or rejected, with their groups: edits
/// of one value belong together, and edits that one rule has found at one place.
std::vector<RecordedFix> FixesOf(const RunResult& run);

/// How to get from the folder `result` to `input`.
std::string WayTo(const std::string& input, const std::string& result);

/// Why a run cannot be done again.
Text ProjectHasChanged();

}  // namespace transplt
