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
  bool is_compared = true;  ///< false for times, rates, sizes of memory, ids of processes
};

/// A line of a program's output as a pattern of words with numbers in it.
struct PrintedLine {
  std::string text;  ///< as it was printed, without colours
  /// The words, with one blank between them, '#' for a number and `<device>` for the name of one,
  /// so that the line of one run can be found in the output of another.
  std::string pattern;
  std::vector<PrintedNumber> numbers;
  bool names_device = false;

  bool HasComparedNumber() const;
};

/// Reads one line. Numbers that are part of a word (`fc1`, `64x64`, `1.13.1`), of a path, an
/// address or a date are no numbers.
PrintedLine ReadPrintedLine(std::string_view line);

/// The lines of an output as a terminal would show them: without colours, and of a line that was
/// overwritten with CR what stands there last. `folder`, where the program ran, is `<project>`.
/// Empty lines are left out.
std::vector<PrintedLine> ReadPrintedLines(std::string_view output, std::string_view folder);

/// `text` with `<project>` for the folder and `<address>` for the addresses of objects, so that it
/// is the same in every run.
std::string WithoutPlaces(std::string_view text, std::string_view folder);

}  // namespace transplt
