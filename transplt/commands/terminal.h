// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

#include "transplt/base/result.h"

namespace transplt {

/// The exit codes of every command; always the same meaning.
enum ExitCode : int {
  kExitDone = 0,
  kExitNeedsPerson = 1,  ///< done, but something is left: a file failed, changes are needed ...
  kExitUsage = 2,        ///< wrong usage, rules or configuration; nothing was written
  kExitCauseLeft = 3,    ///< done, but what `--fail-on` names is left
};

/// So many places that are left for a person are listed unless all are asked for.
inline constexpr size_t kShownItems = 50;

/// `--lang`, or what LC_ALL, LC_MESSAGES or LANG say.
Language ChooseLanguage(const std::string& option);

/// Writes "transplt: error: WHERE: WHAT" to stderr and returns kExitUsage.
int Complain(const Error& error, Language language);
int Complain(const Text& text, Language language);

/// Prints data to stdout: byte for byte into a file or pipe; on a terminal, control characters
/// are spelled out, because a source line could hold an escape sequence.
void PrintOut(std::string_view text);
/// Prints everything else to stderr, with control characters spelled out.
void PrintErr(std::string_view text);

/// What a part of the text on a terminal is, as the number that terminals give to its look.
enum class Colour { kPlain = 0, kStrong = 1, kRemoved = 31, kAdded = 32, kPlace = 36 };

/// PrintErr, in colour where stderr is a terminal and NO_COLOR does not say otherwise.
void PrintColoured(std::string_view text, Colour colour);

/// True if a person is there to be asked: stdin and stderr are a terminal.
bool CanAsk();

/// True once the user has pressed Ctrl-C; set up by the first call.
const std::atomic<bool>& Interrupted();

/// A line on stderr that is redrawn; draws nothing unless stderr is a terminal.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void Show(size_t done, size_t total);

 private:
  bool terminal_;
  int shown_ = -1;  // percent
};

}  // namespace transplt
