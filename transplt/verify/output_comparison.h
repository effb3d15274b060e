// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "transplt/verify/made_names.h"
#include "transplt/verify/printed_line.h"

namespace transplt {

/// A number, counted from 0, in all lines of one kind: what a table would call a column. With
/// kWholeLine the lines themselves, of which one run has more than the other.
using PrintedColumn = std::pair<std::string, size_t>;
inline constexpr size_t kWholeLine = SIZE_MAX;

/// One thing that two runs have printed differently.
struct PrintedDifference {
  PrintedColumn column;
  std::string reference;  ///< the line; empty if that run has no such line
  std::string other;
  std::string reference_number;  ///< empty if the line as a whole differs
  std::string other_number;
  std::string name;     ///< of the number
  double distance = 0;  ///< between the numbers; infinite if one of them is not finite
  /// If two runs of the reference differ there too, but far less: how much.
  double usual_distance = -1;
};

/// What came of comparing two outputs.
struct OutputComparison {
  size_t lines = 0;                         ///< pairs of lines
  std::map<PrintedColumn, size_t> numbers;  ///< pairs of numbers that were compared
  size_t not_finite = 0;                    ///< pairs that are nan or infinite in both
  std::vector<PrintedDifference> differences;

  size_t NumberCount() const;
};

/// How far numbers may be apart: |a - b| <= absolute + relative * |a|, a of the reference.
struct NumberTolerance {
  double relative = 0;
  double absolute = 0;
  bool Allows(double reference, double other) const;
};

enum class LineOrder {
  kKept,       ///< the n-th line of a kind belongs to the n-th
  kByProcess,  ///< several processes have printed: the n-th of one `rank` to the n-th of that rank
};

enum class OutputKind {
  kResults,    ///< standard output, files: every line counts
  kLog,        ///< standard error: lines without numbers, warnings and progress bars that only one
               ///< run has do not count
  kOtherLog,   ///< standard error of a run without a device: lines that only one run has count
               ///< only if the other one has lines of that kind, with numbers, too
  kNumbers,    ///< lines without numbers do not count
  kBeginning,  ///< the runs were ended at some moment: lines that only one run has do not count
};

/// What changes from run to run of the same program, besides numbers.
struct OutputVariation {
  std::set<std::string> unordered;  ///< kinds of lines that come in another order
  VaryingNames names;

  void Add(const OutputVariation& more);
  bool IsEmpty() const { return unordered.empty() && names.empty(); }
};

struct OutputRules {
  OutputKind kind = OutputKind::kResults;
  LineOrder order = LineOrder::kKept;
  NumberTolerance tolerance;
  OutputVariation variation = {};
};

/// Compares what two runs have printed. Lines belong together by their pattern, the n-th to the
/// n-th, so that lines of one kind may stand between those of another.
OutputComparison CompareOutputs(const std::vector<PrintedLine>& reference,
                                const std::vector<PrintedLine>& other, const OutputRules& rules);

/// In what two runs of the reference vary.
OutputVariation FindVariation(const std::vector<PrintedLine>& reference,
                              const std::vector<PrintedLine>& again, OutputRules rules);

/// True if lines that differ are equal in another order.
bool IsEqualInAnotherOrder(const std::vector<PrintedLine>& reference,
                           const std::vector<PrintedLine>& other, const OutputRules& rules);

/// Moves the differences in columns where two runs of the reference differ too (`repeated`) out of
/// `comparison`, and what was compared there; the differences are returned. A number that is far
/// more off than those of the reference stays, with its `usual_distance`.
std::vector<PrintedDifference> TakeNotReproducible(OutputComparison& comparison,
                                                   const OutputComparison& repeated);

}  // namespace transplt
