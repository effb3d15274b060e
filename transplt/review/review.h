// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/migrate/migration.h"
#include "transplt/migrate/run_record.h"
#include "transplt/review/decision_table.h"

namespace transplt {

/// The edits of a result, and what a person decides about them. Nothing is written before Write.
class Review {
 public:
  /// Opens the result folder `result`. `project`: where the original is, if not where it was.
  /// Refused: what is no result of this kind of `migrate`, and one that was changed by hand, except
  /// for the file `table` (a path; may be empty), from which the decisions are read.
  static Result<Review> Open(const std::string& result, const std::string& project,
                             const std::string& table);

  const std::vector<RecordedFix>& fixes() const { return record_.fixes; }
  bool IsRejected(const RecordedFix& fix) const { return DecisionOn(fix) == kReject; }
  /// kAccept, kReject, or empty.
  std::string_view DecisionOn(const RecordedFix& fix) const;

  /// Decides kAccept or kReject about all edits that `selector` names, and those of their groups:
  /// "all", "rule:ID", "file:PATH", "file:FOLDER/", "group:N", "PATH:LINE", or a cause.
  std::optional<Error> Decide(const std::string& selector, std::string_view word);

  /// The edits that `selector` names, as indexes of fixes().
  std::vector<size_t> Named(const std::string& selector) const;

  /// Decides about these of fixes(), by their indexes, and those of their groups.
  void DecideAbout(const std::vector<size_t>& chosen, std::string_view word);

  /// Decides what the rows say that say something else than the result does.
  std::optional<Error> DecideAs(const std::string& name, const std::vector<DecisionRow>& rows);

  /// Goes back to the decisions before the last; they can be gone back to no more. False if there
  /// are none.
  bool Undo();

  /// What was not rejected when the review began, and is now, as indexes of fixes().
  std::vector<size_t> NewlyRejected() const;

  /// Writes entries that leave the edits `chosen` of fixes() out of later runs into the file
  /// transplt.toml of the project, behind what it holds; `selectors` are what a person has named
  /// them by. What comes back is the text to give to WriteSuppressions, or empty if the file says
  /// all of it already. Nothing is written yet.
  Result<std::string> Suppressions(const std::vector<size_t>& chosen,
                                   const std::vector<std::string>& selectors,
                                   const std::string& reason) const;
  Result<Done> WriteSuppressions(std::string_view text) const;

  /// True if there is something to write.
  bool HasChanged() const { return is_undone_ || record_.decisions != decisions_before_; }

  /// The bytes of a file of the project that has edits. An Error if it is not as `migrate` read it.
  Result<std::string> Original(const std::string& file) const;

  /// What a person should know about the decisions: edits that went with others.
  const std::vector<Text>& notes() const { return notes_; }

  /// What Write() asks for the script that starts a result for several cards.
  void UseLauncher(LauncherMaker maker) { make_launcher_ = std::move(maker); }
  /// Writes the result again, from the original, with the edits that are not rejected.
  Result<MigrationResult> Write();

 private:
  Review() = default;
  bool NamesCause(const std::string& selector) const;
  /// The edits that `row` may be about.
  std::vector<size_t> Candidates(const DecisionRow& row) const;

  std::string result_;   // without '/' at the end
  std::string project_;  // the original
  RunRecord record_;
  FixDecisions decisions_before_;
  std::vector<Text> notes_;
  bool is_undone_ = false;
  LauncherMaker make_launcher_;
};

}  // namespace transplt
