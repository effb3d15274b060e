// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/profile/bottleneck_table.h"
#include "transplt/profile/trace.h"

namespace transplt {

/// A text and the time that belongs to it.
struct TimedText {
  std::string text;
  double micros = 0;
};

/// One reason why a training is slow.
struct Bottleneck {
  const BottleneckKind* kind = nullptr;
  std::string name;    ///< of the operator, where `kind` is "operator"; else empty
  double micros = 0;   ///< 0 where the profile has no times
  double share = 0;    ///< of the time (or, without times, of the lines) of the profile, 0 to 1
  uint64_t count = 0;  ///< how many events, rows or lines
  std::vector<TimedText> names;   ///< the events, longest first
  std::vector<TimedText> places;  ///< UserPlace of the table, longest first
  std::vector<TimedText> shapes;  ///< of the inputs, longest first

  Text Title() const;
};

enum class ProfileForm { kTrace, kKernels, kTable, kLog };

/// What one file of a profile says.
struct Profile {
  std::string path;
  ProfileForm form = ProfileForm::kTrace;
  double micros = 0;  ///< the time that was looked at: the steps, else all; 0 where none is told
  uint64_t steps = 0;
  bool has_device = false;
  double device_micros = 0;             ///< in which the device computed
  bool is_cut = false;                  ///< the file ends in the middle
  std::vector<Bottleneck> bottlenecks;  ///< most time first
  std::vector<Text> notes;              ///< what limits these figures
};

/// Reads a profile of any form. Fails with kIo where it cannot be read, and with kBadInput, which
/// names what is known, where it is none.
Result<Profile> ReadProfile(const std::string& path);

/// Gives each microsecond of `trace` to one bottleneck: to the kernel that computes; where none
/// does, to communication; where the device idles, to what the host does in its own innermost
/// event. Without a device, operators of the host count as operators.
Profile AnalyzeTrace(const Trace& trace);

/// Reads the table that `print(prof)` and `key_averages().table()` print.
Result<Profile> ReadProfilerTable(const std::string& path, std::string_view text);

/// Reads a log of the host (plog): what was compiled, how often, and how long until the next line.
Result<Profile> ReadHostLog(const std::string& path, std::string_view text);

/// Sums up rows that have a name and a time, without nesting. Used by tables and logs.
class BottleneckSums {
 public:
  /// `name` also names the bottleneck where `kind` is "operator".
  void Add(const BottleneckKind& kind, std::string_view name, double micros, uint64_t count,
           std::string_view place = {}, std::string_view shapes = {});
  /// Most time first, without times most lines first; shares of `whole`.
  std::vector<Bottleneck> Sorted(double whole) &&;

 private:
  struct Sum {
    const BottleneckKind* kind = nullptr;
    std::string name;
    double micros = 0;
    uint64_t count = 0;
    std::unordered_map<std::string, double> names, places, shapes;
  };
  std::unordered_map<std::string, Sum> sums_;
};

}  // namespace transplt
