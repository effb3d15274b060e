// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "transplt/base/change_record.h"
#include "transplt/base/edit.h"
#include "transplt/base/finding.h"
#include "transplt/base/source_file.h"

namespace transplt {

/// A fix, as a person's decision names it: its file, the place where the rule has found it in the
/// text that it saw, and the rule.
struct FixKey {
  std::string file;
  TextRange range;
  std::string rule_id;

  friend bool operator==(const FixKey&, const FixKey&) = default;
  friend bool operator<(const FixKey& a, const FixKey& b) {
    return std::tie(a.file, a.range.start, a.range.end, a.rule_id) <
           std::tie(b.file, b.range.start, b.range.end, b.rule_id);
  }
};

inline constexpr std::string_view kAccept = "accept";
inline constexpr std::string_view kReject = "reject";

/// What a person has decided about fixes: kAccept or kReject. All others are carried out.
using FixDecisions = std::map<FixKey, std::string>;

/// True for the record of a fix that the project never wants, unless a person decides otherwise.
using IsDeclined = std::function<bool(const ChangeRecord&)>;

/// Of all that was found in a file: the fixes that are carried out, and what is reported.
///
/// A fix that a person has rejected keeps its place: another one that conflicts with it is not
/// carried out instead.
class Selection {
 public:
  /// `decisions` and `declined` may be null.
  explicit Selection(const SourceFile& source, const FixDecisions* decisions = nullptr,
                     const IsDeclined* declined = nullptr)
      : source_(source), decisions_(decisions), declined_(declined) {}

  void Add(std::vector<Finding> findings);
  void Add(Finding finding);
  /// What a person or the project has decided about the fix; empty if nothing.
  std::string DecisionOf(const Finding& finding) const;
  /// Adds what others need, such as imports: nobody decides about these.
  void AddWhatFollows(std::vector<Finding> findings);

  const EditList& edits() const { return edits_; }
  const std::vector<Finding>& accepted() const { return accepted_; }
  const std::vector<Finding>& rejected() const { return rejected_; }
  /// How many of accepted() stand for themselves; the rest was added by AddWhatFollows, behind
  /// them.
  size_t chosen() const { return chosen_; }
  const std::vector<Finding>& open() const { return open_; }
  /// What edits nothing itself, but needs an import to be added.
  const std::vector<Finding>& imports() const { return imports_; }

 private:
  void Leave(Finding finding);
  void Take(Finding finding, EditList& deciding);

  const SourceFile& source_;
  const FixDecisions* decisions_;
  const IsDeclined* declined_;
  EditList edits_;
  EditList with_rejected_;  // what decides about conflicts; unused without decisions
  std::vector<Finding> accepted_;
  std::vector<Finding> rejected_;
  size_t chosen_ = 0;
  std::vector<Finding> open_;
  std::vector<Finding> imports_;
  std::set<std::string> deciding_rules_;  // of the fixes that take over
  std::set<std::tuple<uint32_t, uint32_t, std::string>> seen_;
};

/// The record of a finding, as it stands in `source`.
ChangeRecord RecordOf(const Finding& finding, const SourceFile& source);

}  // namespace transplt
