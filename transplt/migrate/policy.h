// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/change_record.h"
#include "transplt/base/result.h"
#include "transplt/project/project_files.h"

namespace transplt {

inline constexpr std::string_view kPolicyFile = "transplt.toml";

/// What the people of a project have decided about its migration: the file transplt.toml at its
/// root. What an option of the command line says goes before it.
struct Policy {
  struct RuledCause {
    std::string id;
    Severity severity = Severity::kNote;
    std::string reason;
    uint32_t line = 0;  ///< in the file
  };
  /// Edits that are not made: those in this file or below this folder (with '/' at the end), of
  /// this rule, with this cause, in lines with this text. Empty: any.
  struct DeclinedEdits {
    std::string file;
    std::string rule;
    std::string cause;
    std::string line_text;
    std::string reason;
    uint32_t line = 0;  ///< in the policy

    bool Cover(const ChangeRecord& record) const;
  };
  std::string torch;                  ///< as --torch-version
  std::string torch_npu;              ///< as --torch-npu
  std::vector<std::string> programs;  ///< paths: the programs that count, in this order; empty: all
  std::vector<std::string> disabled;  ///< ids of rules, rows and causes
  std::vector<RuledCause> causes;
  std::vector<DeclinedEdits> edits;
};

/// The text of the policy of a project; empty if it has none.
Result<std::string> ReadPolicyText(const ProjectFiles& project);

/// The policy that `text` is. An unknown key, a value of another type or a decision without a
/// reason is an Error that names the line.
Result<Policy> ParsePolicy(std::string_view text);

/// `text`, a policy, with these entries behind all that it holds; their `line` is not read. An
/// Error if the text is no policy, or if one of the entries is not UTF-8.
Result<std::string> WithDeclinedEdits(std::string_view text,
                                      const std::vector<Policy::DeclinedEdits>& entries);

/// Gives the records of `run` the severities that the policy has decided, with the reasons. What
/// comes back says which edits the policy has left out, and names the decisions that are about
/// nothing in this run.
std::vector<Text> ApplyPolicy(const Policy& policy, RunResult& run);

}  // namespace transplt
