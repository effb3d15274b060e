// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "transplt/base/result.h"

namespace transplt {

/// Texts that events share, each kept once. Number 0 is the empty text.
class SharedTexts {
 public:
  SharedTexts() { Add(""); }
  SharedTexts(const SharedTexts&) = delete;
  SharedTexts& operator=(const SharedTexts&) = delete;
  SharedTexts(SharedTexts&&) = default;
  SharedTexts& operator=(SharedTexts&&) = default;
  uint32_t Add(std::string_view text);
  const std::string& operator[](uint32_t number) const { return *texts_[number]; }

 private:
  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<const std::string*> texts_;
};

/// Where events of a profile run, in the order in which their time counts: a microsecond in
/// which a kernel computes is the kernel's, whatever else happens.
enum class LaneKind : uint8_t { kDevice, kCommunication, kRuntime, kHost, kIgnored };

enum class EventKind : uint8_t { kOperator, kKernel, kPython, kAnnotation, kStep };

/// What one thread, or one stream of the device, does.
struct Lane {
  LaneKind kind = LaneKind::kHost;
};

/// An event with a beginning and an end, in microseconds of the profile's own clock. The other
/// numbers are of SharedTexts.
struct TraceEvent {
  double start = 0;
  double end = 0;
  uint32_t lane = 0;
  uint32_t name = 0;
  uint32_t shapes = 0;  ///< of its inputs, as the profile spells them
  uint32_t stack = 0;   ///< "FILE(LINE): FUNCTION" separated by line ends or ';', innermost first
  uint32_t core = 0;    ///< of a kernel: AI_CORE, AI_CPU ...
  EventKind kind = EventKind::kOperator;
};

/// An arrow from what the host did to the kernel that it started.
struct TraceArrow {
  uint32_t from_lane = 0;
  uint32_t to_lane = 0;
  double from = 0;
  double to = 0;
};

/// The events of one profile.
struct Trace {
  SharedTexts texts;
  std::vector<Lane> lanes;
  std::vector<TraceEvent> events;
  std::vector<TraceArrow> arrows;
  bool is_cut = false;  ///< the file ends in the middle; what came before is here
};

/// Reads what torch.profiler, torch.autograd.profiler and torch_npu.profiler write for Chrome's
/// viewer: a list of events, or an object with "traceEvents". Fails with kBadInput for text that
/// is no JSON from the start, and for JSON without timed events.
Result<Trace> ReadChromeTrace(const std::string& path, std::string_view text);

/// Reads kernel_details.csv or op_summary*.csv: a row per kernel with its start and duration.
/// Fails with kBadInput where these columns or their numbers are missing.
Result<Trace> ReadKernelTable(const std::string& path, std::string_view text);

}  // namespace transplt
