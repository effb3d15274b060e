// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/text.h"
#include "transplt/profile/trace.h"

namespace transplt {

/// What makes a training slow: a row of rules/bottlenecks.json. The names are patterns, with a
/// `*` at either end.
struct BottleneckKind {
  std::string id;
  Text title;
  Text remedy;
  std::string source;  ///< the guide's section; empty where the guide says nothing of it
  std::vector<std::string> hosts;    ///< events of the host; what lies below them belongs to them
  std::vector<std::string> kernels;  ///< kernels of the device
  std::vector<std::string> cores;    ///< what a kernel runs on
  std::vector<std::string> tables;   ///< rows of tables without nesting, besides `hosts`
  std::vector<std::string> logs;     ///< parts of lines of host logs
};

/// rules/bottlenecks.json, read once.
class BottleneckTable {
 public:
  static const BottleneckTable& Builtin();

  const std::vector<BottleneckKind>& kinds() const { return kinds_; }
  /// The kind `id`, which the table has: a test sees to that.
  const BottleneckKind& Kind(std::string_view id) const;

  /// The kind of an event of the host, of a kernel, or of a row without nesting; null if none.
  const BottleneckKind* OfHostEvent(std::string_view name) const;
  const BottleneckKind* OfKernel(std::string_view name, std::string_view core) const;
  const BottleneckKind* OfRow(std::string_view name) const;
  /// The kind that a line of a host log speaks of; null if none.
  const BottleneckKind* OfLogLine(std::string_view line) const;

  /// What a lane is, from the name of its process.
  LaneKind LaneOf(std::string_view process) const;
  /// What a lane must be, from the category of one of its events; kHost if that says nothing.
  LaneKind LaneOfCategory(std::string_view category) const;
  EventKind EventOf(std::string_view category, std::string_view name) const;
  /// True if a file of this name, in a folder, is one that a profiler or the host's log writes.
  bool IsProfileFile(std::string_view name) const;
  /// "FILE:LINE (FUNCTION)" for the frame "FILE(LINE): FUNCTION" of the user's own code, else "".
  /// The line is what the profiler gives: that of the call, or that of the function's head.
  std::string UserPlace(std::string_view frame) const;

 private:
  BottleneckTable();

  using Patterns = std::vector<std::string>;
  std::vector<BottleneckKind> kinds_;
  Patterns device_lanes_, communication_lanes_, runtime_lanes_, ignored_lanes_;
  Patterns device_events_, runtime_events_, python_events_, annotations_, ignored_events_;
  Patterns steps_;
  Patterns library_files_;
  Patterns profile_files_;
};

}  // namespace transplt
