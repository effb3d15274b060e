// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/change_record.h"

namespace transplt {

/// The versions of PyTorch with which the tests run a rule, the default first. Together they are
/// in every range that a built-in rule may have.
inline constexpr std::array<std::string_view, 8> kTorchVersions = {"2.13", "2.12", "2.8",  "2.6",
                                                                   "2.3",  "2.1",  "1.11", "1.8"};

/// Stands for a version where the rules for MindSpore are meant.
inline constexpr std::string_view kMindspore = "mindspore";

/// One example of a built-in rule.
struct BuiltinExample {
  std::string rule_id;
  std::string kind;
  size_t index = 0;                ///< among the examples of the rule
  bool is_last = false;            ///< of the rule
  std::string_view torch_version;  ///< one with which the rule runs; empty if there is none
  std::string_view target;         ///< one for which it runs
  std::string feature;             ///< with which it runs, "normal" for most
  std::string old_library;         ///< what old version the project has: "timm 0.1"; "" for most
  std::string before;
  std::string after;
};

/// What GoogleTest shows of an example.
inline void PrintTo(const BuiltinExample& example, std::ostream* out) {
  *out << example.rule_id << ", example " << example.index << ":\n" << example.before;
}

/// Every example of every built-in rule.
std::vector<BuiltinExample> BuiltinExamples();

/// A file after the migration with all rules of a version, a target and a feature, and what was
/// said about it. The project has the newest version of each package but `old_library`.
struct MigratedText {
  std::string text;
  std::vector<ChangeRecord> records;
  FileOutcome outcome;
};
MigratedText Migrate(const std::string& text, std::string_view torch_version,
                     std::string_view target, const std::string& feature = "normal",
                     const std::string& old_library = {});

}  // namespace transplt
