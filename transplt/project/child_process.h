// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "transplt/base/result.h"

namespace transplt {

/// A program that is run to its end, without a terminal and with nothing on standard input.
struct Command {
  std::vector<std::string> arguments;              ///< the first is the program, looked up on PATH
  std::map<std::string, std::string> environment;  ///< what is added to our own
  std::string folder;                              ///< its current folder; empty: ours
  std::string out;                                 ///< the file that gets standard output
  std::string err;
  std::chrono::milliseconds timeout = std::chrono::minutes(10);
  std::string more_output = {};              ///< a folder for what it writes besides
  uint64_t most_output = uint64_t{1} << 30;  ///< bytes, of each of them: more ends it
};

/// How a program ended.
struct ProcessEnd {
  enum class How { kExit, kSignal, kTimeout, kCancelled, kTooMuchOutput };
  How how = How::kExit;
  int number = 0;         ///< the exit code or the signal
  bool had_left = false;  ///< processes that it had started went on and had to be ended
  friend bool operator==(const ProcessEnd&, const ProcessEnd&) = default;
};

/// Runs `command` as the leader of a session of its own. When it ends, all that it has started,
/// also what has left the session, gets a moment to end too and is then killed; at the timeout,
/// when it has written too much, or when `cancelled` (may be null) becomes true, at once. An Error:
/// it could not be started. While it runs the calling process adopts orphans, so only one command
/// may run at a time.
Result<ProcessEnd> RunCommand(const Command& command, const std::atomic<bool>* cancelled);

/// Where the program `name` is found as execvp would; empty if nowhere.
std::string FindProgram(const std::string& name);

}  // namespace transplt
