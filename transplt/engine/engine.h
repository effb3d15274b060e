// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "transplt/engine/api_table.h"
#include "transplt/engine/file_context.h"
#include "transplt/engine/rule_set.h"
#include "transplt/engine/word_filter.h"
#include "transplt/facts/guard_signatures.h"

namespace transplt {

/// Runs all rules over a file in one walk: a table from node kind and name to the rules that
/// asked for it, so the time does not depend on the number of rules. Immutable; shared by all
/// threads.
class Engine {
 public:
  /// `rules` must outlive the engine.
  explicit Engine(const RuleSet& rules);

  const ApiTable& apis() const { return apis_; }
  const std::vector<const NpuPreamble*>& preambles() const { return preambles_; }
  /// What asks for a device, and what only CUDA runs; null if no active rule says so.
  const GuardSignatures* guards() const { return guards_ ? &*guards_ : nullptr; }
  /// `project` may be null: then functions of other files are not thought of.
  WordFilter::FileWords Scan(std::string_view bytes, const ProjectIndex* project) const;
  /// For a file that is not Python.
  WordFilter::FileWords ScanSettings(std::string_view bytes) const;

  /// What the rules find in a file, in the order of the rules, then of the text. Nothing is
  /// looked at in the parts that did not parse, nor once `meter` is spent, which may be null.
  Findings Check(const FileContext& file, const WordFilter::FileWords& words,
                 BudgetMeter* meter = nullptr) const;

  /// The same for what a file that is not Python sets.
  Findings Check(const std::vector<Setting>& settings, const WordFilter::FileWords& words) const;

 private:
  struct ByKind {
    std::unordered_map<std::string_view, std::vector<uint32_t>> by_name;
    std::vector<uint32_t> any_name;
    bool empty() const { return by_name.empty() && any_name.empty(); }
  };
  class Walk;

  const RuleSet& rules_;
  ApiTable apis_;
  std::vector<const NpuPreamble*> preambles_;
  std::optional<GuardSignatures> guards_;
  std::vector<std::vector<Trigger>> triggers_;  // owns the keys of the tables
  std::array<ByKind, static_cast<size_t>(NodeKind::kCount)> table_;
  WordFilter filter_;
  WordFilter setting_filter_;
};

}  // namespace transplt
