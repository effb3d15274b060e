// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/change_record.h"

namespace transplt {

inline constexpr uint32_t kNoProgram = std::numeric_limits<uint32_t>::max();

/// One reason why a person has something to do, with one remedy, at all places where it holds.
struct Cause {
  std::string id;           ///< "data-parallel"; of one rule alone its id
  Severity severity;        ///< the worst of its places; if programs get to some, of these
  Text reason = {};         ///< "torch.nn.DataParallel drives several devices from ..."
  Text remedy = {};         ///< may be empty: then `reason` says it
  bool on_machine = false;  ///< to be done on the NPU machine, not in the code
  /// The first of RunResult::programs that gets to one of its places; kNoProgram if none does.
  uint32_t first_program = kNoProgram;
  /// It is in code of Python that none of RunResult::programs, of which there are some, gets to.
  bool is_unreached = false;
  /// All its places are in files of tests, and no other program gets to one.
  bool is_in_tests = false;
  /// It is in code alone that no program gets to, or in tests, beside a program that trains: the
  /// first screen counts it.
  bool is_unused = false;
  /// "nn.MaxPool1d": what stands at its places, each once, where the reason does not say it.
  std::vector<std::string> names = {};
  /// The remedy is what each place says, and that differs.
  bool says_at_places = false;
  /// Records that edit nothing: those of tests last, before them those in code that no program gets
  /// to; of the others the worst first, of those the ones that say what the cause is, then those
  /// that the first programs reach.
  std::vector<const ChangeRecord*> places = {};
};

/// True if a person has to decide or do something about it.
bool IsDecision(const Cause& cause);

/// A cause of rules/causes.json.
struct KnownCause {
  std::string id;
  Text reason;
  Text remedy;
  bool on_machine = false;
  bool names_places = false;  ///< what each place says tells more than the reason
  /// Where all places say the same, that is the whole cause: reason and remedy only lead to it.
  bool is_told_by_places = false;
  /// Of those that one program meets: what else there is to do follows from it.
  bool comes_first = false;
  /// A program that has a switch for it does nothing of the kind while that is off.
  bool behind_switch = false;
  /// Whether it stops a program that gets to it, nobody can tell from the project.
  bool is_uncertain = false;
  /// It stops a run on CUDA as well: who has a program that works there does not come to it.
  bool same_on_cuda = false;
  /// Causes that a place may have as well: what they ask for at it does this, too.
  std::vector<std::string> included_in;
};
/// Null for what is no cause of rules/causes.json.
const KnownCause* FindKnownCause(std::string_view id);
std::span<const KnownCause> KnownCauses();

/// The causes of what `run` leaves for a person: what stops a program before what does not, and so
/// on; among equals first those that the first programs reach, of these what stops it for certain,
/// then what is certain to be there, then those with the most places; then what no program is seen
/// to get to, what is to be done on the machine, what is unused, and what only tests do. They point
/// into `run`.
std::vector<Cause> CausesOf(const RunResult& run);

}  // namespace transplt
