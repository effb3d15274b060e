// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <tuple>

#include "transplt/profile/profile.h"

namespace transplt {
namespace {

constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

/// What is known of an event once its lane has been walked.
struct Nesting {
  const BottleneckKind* kind = nullptr;  ///< its own, or of the innermost event around it
  uint32_t origin = kNone;               ///< the outermost event that gives this kind
  uint32_t owner = kNone;                ///< the operator that it is a part of, or itself
  uint32_t place = 0;                    ///< of places_
};

/// A stretch of time in which `event` is the innermost of its lane.
struct Segment {
  double start = 0;
  double end = 0;
  uint32_t event = kNone;
};

/// Which of the segments of one moment gets the moment.
enum class Priority : uint8_t { kKernel, kCommunication, kNamed, kOperator, kAnything };

class TimeLine {
 public:
  explicit TimeLine(const Trace& trace)
      : trace_(trace), texts_(trace.texts), nesting_(trace.events.size()) {}

  Profile Analyze() {
    WalkLanes();
    JoinKernels();
    Sweep();
    Profile profile;
    profile.micros = micros_;
    profile.steps = steps_;
    profile.has_device = has_device_;
    profile.device_micros = device_micros_;
    profile.bottlenecks = std::move(sums_).Sorted(micros_);
    profile.is_cut = trace_.is_cut;
    if (trace_.is_cut) {
      profile.notes.push_back(Say("the file ends in the middle: only what came before was read",
                                  "文件不完整：只读取了前面的部分"));
    }
    return profile;
  }

 private:
  const TraceEvent& Event(uint32_t number) const { return trace_.events[number]; }
  LaneKind LaneOf(uint32_t event) const { return trace_.lanes[Event(event).lane].kind; }
  const std::string& Name(uint32_t event) const { return texts_[Event(event).name]; }

  uint32_t PlaceOfStack(std::string_view stack) {
    while (!stack.empty()) {
      const size_t end = std::min(stack.find_first_of(";\r\n"), stack.size());
      if (const std::string place = table_.UserPlace(stack.substr(0, end)); !place.empty()) {
        return places_.Add(place);
      }
      stack.remove_prefix(std::min(end + 1, stack.size()));
    }
    return 0;
  }

  void WalkLanes() {
    std::vector<std::vector<uint32_t>> lanes(trace_.lanes.size());
    for (uint32_t i = 0; i < trace_.events.size(); ++i) {
      if (LaneOf(i) == LaneKind::kIgnored) continue;
      const EventKind kind = Event(i).kind;
      if (kind == EventKind::kStep && LaneOf(i) == LaneKind::kHost) {
        step_times_.push_back({Event(i).start, Event(i).end, i});
      }
      if (kind == EventKind::kKernel) has_device_ = true;
      lanes[Event(i).lane].push_back(i);
    }
    in_lane_.resize(lanes.size());
    for (size_t lane = 0; lane < lanes.size(); ++lane) WalkLane(lanes[lane], in_lane_[lane]);
    steps_ = step_times_.size();
  }

  /// Finds what lies in what, and when which event is the innermost.
  void WalkLane(std::vector<uint32_t>& events, std::vector<Segment>& segments) {
    std::sort(events.begin(), events.end(), [&](uint32_t a, uint32_t b) {
      return std::make_tuple(Event(a).start, -Event(a).end, a) <
             std::make_tuple(Event(b).start, -Event(b).end, b);
    });
    std::vector<uint32_t> around;
    double cursor = 0;
    const auto emit = [&](double until) {
      if (!around.empty() && cursor < until) segments.push_back({cursor, until, around.back()});
      cursor = std::max(cursor, until);
    };
    const auto leave = [&](double now) {
      while (!around.empty() && Event(around.back()).end <= now) {
        emit(Event(around.back()).end);
        around.pop_back();
      }
    };
    for (const uint32_t event : events) {
      leave(Event(event).start);
      emit(Event(event).start);
      cursor = Event(event).start;
      Nest(event, around.empty() ? kNone : around.back());
      around.push_back(event);
    }
    leave(std::numeric_limits<double>::infinity());
  }

  void Nest(uint32_t number, uint32_t parent) {
    const TraceEvent& event = Event(number);
    Nesting& nesting = nesting_[number];
    if (parent != kNone) nesting = nesting_[parent];
    const std::string& name = Name(number);
    if (event.kind == EventKind::kKernel) {
      nesting = {};
      nesting.kind = table_.OfKernel(name, texts_[event.core]);
    } else if (const BottleneckKind* kind = table_.OfHostEvent(name); kind != nullptr) {
      if (nesting.kind != kind) nesting.origin = number;
      nesting.kind = kind;
    }
    if (event.kind == EventKind::kKernel ||
        (event.kind == EventKind::kOperator && !IsWhole(nesting.owner))) {
      nesting.owner = number;
    }
    if (event.kind == EventKind::kPython) {
      if (const std::string place = table_.UserPlace(name); !place.empty()) {
        nesting.place = places_.Add(place);
      }
    } else if (event.stack != 0) {
      if (const uint32_t place = PlaceOfStack(texts_[event.stack]); place != 0) {
        nesting.place = place;
      }
    }
  }

  /// True for an operator by whose name a person knows it: aten::linear, AddmmBackward0. What
  /// users call their own sections (record_function) has no such name.
  bool IsWhole(uint32_t event) const {
    return event != kNone && (Name(event).find("::") != std::string::npos ||
                              Name(event).find("Backward") != std::string::npos);
  }

  /// Where the host started a kernel, the kernel has the host's place, and its kind if it has
  /// none of its own: what the optimizer starts is the optimizer's.
  void JoinKernels() {
    for (const TraceArrow& arrow : trace_.arrows) {
      const LaneKind to = trace_.lanes[arrow.to_lane].kind;
      if (to != LaneKind::kDevice && to != LaneKind::kCommunication) continue;
      const uint32_t host = At(arrow.from_lane, arrow.from);
      const uint32_t kernel = At(arrow.to_lane, arrow.to);
      if (host == kNone || kernel == kNone) continue;
      Nesting& nesting = nesting_[kernel];
      if (nesting.kind == nullptr) nesting.kind = nesting_[host].kind;
      if (nesting.place == 0) nesting.place = nesting_[host].place;
    }
  }

  /// The innermost event of `lane` at `time`.
  uint32_t At(uint32_t lane, double time) const {
    const std::vector<Segment>& segments = in_lane_[lane];
    const auto behind = std::upper_bound(
        segments.begin(), segments.end(), time,
        [](double value, const Segment& segment) { return value < segment.start; });
    if (behind == segments.begin()) return kNone;
    const Segment& segment = *(behind - 1);
    return time <= segment.end ? segment.event : kNone;
  }

  Priority PriorityOf(uint32_t event) const {
    if (Event(event).kind == EventKind::kKernel) {
      const BottleneckKind* kind = nesting_[event].kind;
      const bool communicates = LaneOf(event) == LaneKind::kCommunication ||
                                (kind != nullptr && kind->id == "communication");
      return communicates ? Priority::kCommunication : Priority::kKernel;
    }
    if (nesting_[event].kind != nullptr) return Priority::kNamed;
    return nesting_[event].owner != kNone ? Priority::kOperator : Priority::kAnything;
  }

  /// Goes through the time once, from one beginning or end of a segment to the next.
  void Sweep() {
    struct Bound {
      double time;
      bool begins;
      uint32_t segment;  // kNone: of a step
    };
    std::vector<Segment> segments;
    for (const std::vector<Segment>& lane : in_lane_) {
      segments.insert(segments.end(), lane.begin(), lane.end());
    }
    std::vector<Bound> bounds;
    for (uint32_t i = 0; i < segments.size(); ++i) {
      bounds.push_back({segments[i].start, true, i});
      bounds.push_back({segments[i].end, false, i});
    }
    for (const Segment& step : step_times_) {
      bounds.push_back({step.start, true, kNone});
      bounds.push_back({step.end, false, kNone});
    }
    std::sort(bounds.begin(), bounds.end(), [](const Bound& a, const Bound& b) {
      return std::tie(a.time, a.begins, a.segment) < std::tie(b.time, b.begins, b.segment);
    });
    std::set<std::pair<Priority, uint32_t>> active;
    int inside = step_times_.empty() ? 1 : 0;
    double now = bounds.empty() ? 0 : bounds.front().time;
    for (const Bound& bound : bounds) {
      if (bound.time > now && inside > 0) {
        Credit(active.empty() ? kNone : segments[active.begin()->second].event, bound.time - now);
      }
      now = bound.time;
      if (bound.segment == kNone) {
        inside += bound.begins ? 1 : -1;
        continue;
      }
      const std::pair<Priority, uint32_t> entry(PriorityOf(segments[bound.segment].event),
                                                bound.segment);
      if (bound.begins) {
        active.insert(entry);
      } else {
        active.erase(entry);
      }
    }
  }

  /// Gives `micros` to the bottleneck of `event`; kNone: nothing that was recorded runs.
  void Credit(uint32_t event, double micros) {
    micros_ += micros;
    if (event == kNone) return sums_.Add(table_.Kind("host"), {}, micros, 0);
    const Nesting& nesting = nesting_[event];
    const Priority priority = PriorityOf(event);
    if (priority == Priority::kKernel) device_micros_ += micros;
    const BottleneckKind* kind = nesting.kind;
    if (kind == nullptr) {
      // An operator of the host while the device idles is a launch that comes too late.
      const bool is_operator = priority == Priority::kKernel ||
                               priority == Priority::kCommunication ||
                               (priority == Priority::kOperator && !has_device_);
      kind = &table_.Kind(is_operator ? "operator" : "host");
    }
    const uint32_t part_of = nesting.origin != kNone ? nesting.origin : nesting.owner;
    const uint32_t shown = part_of == kNone ? event : part_of;
    std::string_view name =
        Event(shown).kind == EventKind::kStep ? std::string_view() : Name(shown);
    constexpr std::string_view kBackward = "autograd::engine::evaluate_function: ";
    if (name.starts_with(kBackward)) name.remove_prefix(kBackward.size());
    const bool is_new = counted_.insert(shown).second;
    sums_.Add(*kind, name, micros, is_new ? 1 : 0, places_[nesting.place],
              texts_[Event(shown).shapes]);
  }

  const Trace& trace_;
  const SharedTexts& texts_;
  SharedTexts places_;
  const BottleneckTable& table_ = BottleneckTable::Builtin();
  std::vector<Nesting> nesting_;
  std::vector<std::vector<Segment>> in_lane_;
  std::vector<Segment> step_times_;
  std::set<uint32_t> counted_;
  BottleneckSums sums_;
  bool has_device_ = false;
  uint64_t steps_ = 0;
  double micros_ = 0;
  double device_micros_ = 0;
};

}  // namespace

Profile AnalyzeTrace(const Trace& trace) {
  Profile profile = TimeLine(trace).Analyze();
  if (!profile.has_device) {
    profile.notes.push_back(Say("the profile has no events of a device: these are times of the CPU",
                                "profile 中没有设备侧事件：以下为 CPU 耗时"));
  }
  return profile;
}

}  // namespace transplt
