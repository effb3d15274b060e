// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "transplt/verify/printed_line.h"

namespace transplt {

/// A number, counted from 0, in all lines of one pattern: what a table would call a column. With
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
  std::string name;  ///< of the number
};

/// What came of comparing two outputs.
struct OutputComparison {
  size_t lines = 0;                         ///< pairs of lines
  std::map<PrintedColumn, size_t> numbers;  ///< pairs of numbers that were compared
  size_t ignored = 0;                       ///< pairs of times, rates, sizes ...
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
  kKept,   ///< one process has printed: the n-th line of a pattern belongs to the n-th
  kLoose,  ///< several have: equal lines belong together wherever they stand
};

enum class OutputKind {
  kResults,  ///< standard output, files: every line counts
  kLog,      ///< standard error: lines that only one run has count only if the other one has
             ///< lines of that pattern, with numbers, too
  kNumbers,  ///< lines without numbers do not count
};

/// Compares what two runs have printed. Lines belong together by their pattern, the n-th to the
/// n-th, so that lines of one kind may stand between those of another.
OutputComparison CompareOutputs(const std::vector<PrintedLine>& reference,
                                const std::vector<PrintedLine>& other, OutputKind kind,
                                LineOrder order, NumberTolerance tolerance);

/// The columns that differ.
std::set<PrintedColumn> ColumnsOf(const OutputComparison& comparison);

/// Moves the differences in `columns`, which are those between two runs of the reference, out of
/// `comparison`, and what was compared there; the differences are returned.
std::vector<PrintedDifference> TakeNotReproducible(OutputComparison& comparison,
                                                   const std::set<PrintedColumn>& columns);

}  // namespace transplt
