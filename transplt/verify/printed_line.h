// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace transplt {

/// A number in a printed line.
struct PrintedNumber {
  std::string text;  ///< as it was printed
  double value = 0;
  std::string name;         ///< the word in front of it: "loss"
  bool is_compared = true;  ///< false for times, sizes of memory, ids of processes
};

/// A line of a program's output as a pattern of words with numbers in it.
struct PrintedLine {
  std::string text;  ///< as it was printed, without colours
  /// The words, with one blank between them, '#' for a number, `<device>` for the name of one and
  /// `<time>` for a date, and for a time or a size with its unit, so that the line of one run can
  /// be found in the output of another.
  std::string pattern;
  std::vector<PrintedNumber> numbers;  ///< those that are a '#'
  /// A warning of Python or torch, with the line of the source that it shows, or a progress bar.
  bool is_notice = false;

  bool HasComparedNumber() const;
};

/// Reads one line. Numbers that are part of a word (`fc1`, `64x64`, `1.13.1`), of a path, an
/// address or a date are no numbers.
PrintedLine ReadPrintedLine(std::string_view line);

/// The lines of an output as a terminal would show them: without colours, and of a line that was
/// overwritten with CR what stands there last. `folder`, where the program ran, is `<project>`.
/// Empty lines are left out.
std::vector<PrintedLine> ReadPrintedLines(std::string_view output, std::string_view folder);

}  // namespace transplt
