// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "transplt/profile/bottleneck_table.h"
#include "transplt/profile/trace.h"

namespace transplt {
namespace {

/// Collects one event after the other while the text is read: a trace can have gigabytes.
class EventHandler : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit EventHandler(Trace& trace) : trace_(trace), table_(BottleneckTable::Builtin()) {}

  bool null() override { return Value("null"); }
  bool boolean(bool value) override { return Value(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override {
    return Number(static_cast<double>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return Number(static_cast<double>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return Number(value); }
  bool string(string_t& value) override { return Value(value); }
  bool binary(binary_t&) override { return true; }

  bool start_object(std::size_t) override {
    ++depth_;
    if (depth_ == 1) events_depth_ = 3;
    if (is_in_events_ && depth_ == events_depth_) event_ = {};
    if (is_in_events_ && depth_ == events_depth_ + 1) outer_key_ = key_;
    return true;
  }
  bool end_object() override {
    if (is_in_events_ && depth_ == events_depth_) AddEvent();
    if (depth_ == events_depth_ + 1) outer_key_.clear();
    --depth_;
    return true;
  }
  bool start_array(std::size_t) override {
    ++depth_;
    if (depth_ == 1) events_depth_ = 2;
    if (depth_ + 1 == events_depth_) is_in_events_ = depth_ == 1 || key_ == "traceEvents";
    if (IsInArguments() && IsShapes()) event_.shapes += '[';
    return true;
  }
  bool end_array() override {
    if (IsInArguments() && IsShapes()) {
      if (event_.shapes.ends_with(", ")) event_.shapes.resize(event_.shapes.size() - 2);
      event_.shapes += "], ";
    }
    if (depth_ + 1 == events_depth_) is_in_events_ = false;
    --depth_;
    return true;
  }
  bool key(string_t& name) override {
    key_ = name;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    mistake_at = position;
    return false;
  }

  /// Gives each lane its kind and joins both ends of each arrow.
  void Finish() {
    for (const auto& [key, number] : lanes_) {
      Lane& lane = trace_.lanes[number];
      const auto name = process_names_.find(key.first);
      const LaneKind kind = table_.LaneOf(name == process_names_.end() ? key.first : name->second);
      if (kind != LaneKind::kHost) lane.kind = kind;
    }
    for (TraceEvent& event : trace_.events) {
      const LaneKind lane = trace_.lanes[event.lane].kind;
      if (lane == LaneKind::kDevice || lane == LaneKind::kCommunication) {
        event.kind = EventKind::kKernel;
      }
    }
    for (const auto& [id, arrow] : arrows_) {
      if (arrow.has_from && arrow.has_to) trace_.arrows.push_back(arrow.arrow);
    }
  }

  size_t mistake_at = std::string::npos;

 private:
  struct Event {
    std::string phase, name, category, process, thread, id;
    std::string shapes, stack, core, metadata;
    double start = 0;
    double duration = -1;
  };
  struct HalfArrow {
    TraceArrow arrow;
    bool has_from = false;
    bool has_to = false;
  };

  bool IsInArguments() const {
    return is_in_events_ && depth_ > events_depth_ && outer_key_ == "args";
  }
  bool IsShapes() const { return key_ == "Input Dims" || key_ == "Input dims"; }

  bool Number(double value) {
    if (!is_in_events_) return true;
    if (depth_ == events_depth_ && key_ == "ts") {
      event_.start = value;
    } else if (depth_ == events_depth_ && key_ == "dur") {
      event_.duration = value;
    } else if (depth_ >= events_depth_) {
      Value(fmt::format("{}", value));
    }
    return true;
  }

  bool Value(std::string_view value) {
    if (!is_in_events_ || depth_ < events_depth_) return true;
    if (depth_ == events_depth_) {
      Field(value);
    } else if (IsInArguments()) {
      Argument(value);
    }
    return true;
  }

  void Field(std::string_view value) {
    if (key_ == "ph") {
      event_.phase = value;
    } else if (key_ == "name") {
      event_.name = value;
    } else if (key_ == "cat") {
      event_.category = value;
    } else if (key_ == "pid") {
      event_.process = value;
    } else if (key_ == "tid") {
      event_.thread = value;
    } else if (key_ == "id") {
      event_.id = value;
    } else if (key_ == "ts" || key_ == "dur") {  // torch_npu writes them as texts
      double number = 0;
      std::from_chars(value.data(), value.data() + value.size(), number);
      (key_ == "ts" ? event_.start : event_.duration) = number;
    }
  }

  void Argument(std::string_view value) {
    if (key_ == "name") {
      event_.metadata = value;
    } else if (key_ == "Call stack" || key_ == "Call Stack") {
      event_.stack = value;
    } else if (key_ == "Input Shapes") {
      event_.shapes = value;
    } else if (key_ == "Accelerator Core" || key_ == "Task Type") {
      event_.core = value;
    } else if (IsShapes()) {
      event_.shapes += fmt::format("{}, ", value);
    }
  }

  uint32_t LaneOf(const Event& event) {
    const auto [at, is_new] =
        lanes_.try_emplace({event.process, event.thread}, static_cast<uint32_t>(lanes_.size()));
    if (is_new) trace_.lanes.emplace_back();
    const LaneKind kind = table_.LaneOfCategory(event.category);
    if (kind != LaneKind::kHost) trace_.lanes[at->second].kind = kind;
    return at->second;
  }

  void AddArrow() {
    HalfArrow& half = arrows_[event_.category + "\n" + event_.id];
    const uint32_t lane = LaneOf(event_);
    if (event_.phase == "s") {
      half.arrow.from_lane = lane;
      half.arrow.from = event_.start;
      half.has_from = true;
    } else {
      half.arrow.to_lane = lane;
      half.arrow.to = event_.start;
      half.has_to = true;
    }
  }

  void AddEvent() {
    if (event_.phase == "M" && event_.name == "process_name") {
      process_names_[event_.process] = event_.metadata;
    }
    if (event_.phase == "s" || event_.phase == "f") return AddArrow();
    if (event_.phase != "X" || event_.duration < 0) return;
    if (event_.shapes.ends_with(", ")) event_.shapes.resize(event_.shapes.size() - 2);
    const EventKind kind = table_.EventOf(event_.category, event_.name);
    trace_.events.push_back({event_.start, event_.start + event_.duration, LaneOf(event_),
                             trace_.texts.Add(event_.name), trace_.texts.Add(event_.shapes),
                             trace_.texts.Add(event_.stack), trace_.texts.Add(event_.core), kind});
  }

  Trace& trace_;
  const BottleneckTable& table_;
  std::map<std::pair<std::string, std::string>, uint32_t> lanes_;
  std::map<std::string, std::string> process_names_;
  std::map<std::string, HalfArrow> arrows_;
  Event event_;
  std::string key_;
  std::string outer_key_;  ///< of the object in the event that is being read
  int depth_ = 0;
  int events_depth_ = 0;  ///< the depth of an event's own members
  bool is_in_events_ = false;
};

}  // namespace

Result<Trace> ReadChromeTrace(const std::string& path, std::string_view text) {
  Trace trace;
  EventHandler handler(trace);
  const bool is_whole = nlohmann::json::sax_parse(text.begin(), text.end(), &handler);
  if (!is_whole && trace.events.empty()) {
    return Error{
        Error::Code::kBadInput, path,
        Say("is no JSON: mistake at byte {}", "不是 JSON：第 {} 字节有误", handler.mistake_at)};
  }
  if (trace.events.empty()) {
    return Error{Error::Code::kBadInput, path,
                 Say("holds no timed events (\"ph\": \"X\"): it is no trace of a profiler",
                     "不含计时事件 (\"ph\": \"X\")：不是 profiler 的 trace 文件")};
  }
  trace.is_cut = !is_whole;
  handler.Finish();
  return trace;
}

}  // namespace transplt
