// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "transplt/engine/rule_kind.h"

namespace transplt {

/// A rule that does nothing: loading is what is tested.
class IdleRule : public Rule {
 public:
  IdleRule(RuleHeader header, Fields fields)
      : Rule(std::move(header)), fields_(std::move(fields)) {}

  std::vector<Trigger> triggers() const override { return {}; }
  std::vector<std::vector<std::string>> required_words() const override { return {}; }
  void Check(Node, const FileContext&, std::vector<Finding>&) const override {}

  const Fields& fields() const { return fields_; }

 private:
  Fields fields_;
};

inline Result<std::unique_ptr<Rule>> MakeIdleRule(RuleHeader header, const Fields& fields) {
  return std::unique_ptr<Rule>(new IdleRule(std::move(header), fields));
}

/// Refuses what only the kind itself can judge.
inline Result<std::unique_ptr<Rule>> MakeArgsRule(RuleHeader header, const Fields& fields) {
  if (!fields.Has("arg_idx") && !fields.Has("arg_keyword")) {
    return Error{Error::Code::kBadRule, "",
                 Say("needs arg_idx or arg_keyword", "需要 arg_idx 或 arg_keyword")};
  }
  return MakeIdleRule(std::move(header), fields);
}

/// The three kinds that users write, with the fields of the real ones, and one kind with a field
/// of each type that those do not have.
inline const std::vector<RuleKind>& RuleKindsForTests() {
  static const std::vector<RuleKind> kinds = {
      {"ArgsModifyRule",
       "Replaces or deletes an argument of a call.",
       {{"func_name", FieldType::kDottedName, true, "The function."},
        {"arg_new", FieldType::kString, true, "The new argument; empty deletes it."},
        {"arg_idx", FieldType::kInteger, false, "Position, from 0."},
        {"arg_keyword", FieldType::kDottedName, false, "Keyword."},
        {"white_list", FieldType::kRegexList, false, "Arguments that stay."}},
       &MakeArgsRule},
      {"FuncNameModifyRule",
       "Renames a function that is called.",
       {{"old_name", FieldType::kDottedName, true, "The old name."},
        {"new_name", FieldType::kDottedName, true, "The new name."},
        {"replace_module", FieldType::kBoolean, false, "Replaces the whole callee."}},
       &MakeIdleRule},
      {"ModuleNameModifyRule",
       "Renames a module.",
       {{"old_name", FieldType::kDottedName, true, "The old name."},
        {"new_name", FieldType::kDottedName, true, "The new name."},
        {"parent_module", FieldType::kDottedOrEmpty, true, "Full name of the parent."}},
       &MakeIdleRule},
      {"ReportRule",
       "Reports something.",
       {{"names", FieldType::kStringList, true, "What is reported."},
        {"level", FieldType::kChoice, false, "How loudly.", {"unsupported", "unknown"}}},
       &MakeIdleRule},
  };
  return kinds;
}

}  // namespace transplt
