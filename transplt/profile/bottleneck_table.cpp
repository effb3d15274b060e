// SPDX-License-Identifier: Apache-2.0
#include "transplt/profile/bottleneck_table.h"

#include <algorithm>
#include <optional>

#include "transplt/base/json_document.h"
#include "transplt/base/json_object_reader.h"
#include "transplt/base/word_list.h"

namespace transplt {

// Generated from rules/bottlenecks.json.
std::string_view BottlenecksText();

namespace {

bool MatchesAny(const std::vector<std::string>& patterns, std::string_view text) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return MatchesPattern(pattern, text); });
}

class KindReader : private JsonObjectReader {
 public:
  KindReader(const JsonDocument& document, const JsonValue& object)
      : JsonObjectReader(document, object) {}

  BottleneckKind Read() {
    BottleneckKind kind;
    kind.id = String("id");
    kind.title = {String("title"), String("title_zh")};
    kind.remedy = {String("remedy"), String("remedy_zh")};
    kind.source = String("source");
    kind.hosts = Strings("hosts");
    kind.kernels = Strings("kernels");
    kind.cores = Strings("cores");
    kind.tables = Strings("tables");
    kind.logs = Strings("logs");
    RefuseUnknown();
    if (error()) RefuseOwnTable(*error());
    return kind;
  }
};

/// An object of lists of patterns.
class PatternsReader : private JsonObjectReader {
 public:
  PatternsReader(const JsonDocument& document, const JsonValue& object)
      : JsonObjectReader(document, object) {}

  std::vector<std::string> List(std::string_view key) {
    std::vector<std::string> list = Strings(key, true);
    if (error()) RefuseOwnTable(*error());
    return list;
  }
};

}  // namespace

BottleneckTable::BottleneckTable() {
  const Result<JsonDocument> document =
      JsonDocument::Parse("rules/bottlenecks.json", BottlenecksText());
  if (!document) RefuseOwnTable(document.error());
  const JsonValue& root = document->root();
  PatternsReader lanes(*document, *root.Find("lanes"));
  device_lanes_ = lanes.List("device");
  communication_lanes_ = lanes.List("communication");
  runtime_lanes_ = lanes.List("runtime");
  ignored_lanes_ = lanes.List("ignored");
  PatternsReader categories(*document, *root.Find("categories"));
  device_events_ = categories.List("device");
  runtime_events_ = categories.List("runtime");
  python_events_ = categories.List("python");
  annotations_ = categories.List("annotation");
  ignored_events_ = categories.List("ignored");
  PatternsReader others(*document, root);
  steps_ = others.List("steps");
  library_files_ = others.List("library_files");
  profile_files_ = others.List("profile_files");
  for (const JsonValue* kind : root.Find("bottlenecks")->children()) {
    kinds_.push_back(KindReader(*document, *kind).Read());
  }
}

const BottleneckTable& BottleneckTable::Builtin() {
  static const BottleneckTable table;
  return table;
}

const BottleneckKind& BottleneckTable::Kind(std::string_view id) const {
  return *std::find_if(kinds_.begin(), kinds_.end(),
                       [&](const BottleneckKind& kind) { return kind.id == id; });
}

const BottleneckKind* BottleneckTable::OfHostEvent(std::string_view name) const {
  for (const BottleneckKind& kind : kinds_) {
    if (MatchesAny(kind.hosts, name)) return &kind;
  }
  return nullptr;
}

const BottleneckKind* BottleneckTable::OfKernel(std::string_view name,
                                                std::string_view core) const {
  for (const BottleneckKind& kind : kinds_) {
    if (MatchesAny(kind.kernels, name)) return &kind;
  }
  for (const BottleneckKind& kind : kinds_) {
    if (MatchesAny(kind.cores, core)) return &kind;
  }
  return nullptr;
}

const BottleneckKind* BottleneckTable::OfRow(std::string_view name) const {
  for (const BottleneckKind& kind : kinds_) {
    if (MatchesAny(kind.tables, name)) return &kind;
  }
  return OfHostEvent(name);
}

const BottleneckKind* BottleneckTable::OfLogLine(std::string_view line) const {
  for (const BottleneckKind& kind : kinds_) {
    for (const std::string& part : kind.logs) {
      if (line.find(part) != line.npos) return &kind;
    }
  }
  return nullptr;
}

LaneKind BottleneckTable::LaneOf(std::string_view process) const {
  if (MatchesAny(ignored_lanes_, process)) return LaneKind::kIgnored;
  if (MatchesAny(device_lanes_, process)) return LaneKind::kDevice;
  if (MatchesAny(communication_lanes_, process)) return LaneKind::kCommunication;
  return MatchesAny(runtime_lanes_, process) ? LaneKind::kRuntime : LaneKind::kHost;
}

LaneKind BottleneckTable::LaneOfCategory(std::string_view category) const {
  if (MatchesAny(ignored_events_, category)) return LaneKind::kIgnored;
  return MatchesAny(device_events_, category) ? LaneKind::kDevice : LaneKind::kHost;
}

EventKind BottleneckTable::EventOf(std::string_view category, std::string_view name) const {
  if (MatchesAny(steps_, name)) return EventKind::kStep;
  if (MatchesAny(device_events_, category)) return EventKind::kKernel;
  if (MatchesAny(python_events_, category)) return EventKind::kPython;
  const bool is_annotation =
      MatchesAny(annotations_, category) || MatchesAny(runtime_events_, category);
  return is_annotation && OfHostEvent(name) == nullptr ? EventKind::kAnnotation
                                                       : EventKind::kOperator;
}

bool BottleneckTable::IsProfileFile(std::string_view name) const {
  return MatchesAny(profile_files_, name);
}

std::string BottleneckTable::UserPlace(std::string_view frame) const {
  while (frame.starts_with(' ')) frame.remove_prefix(1);
  const size_t open = frame.find(".py(");
  const size_t close = frame.find("): ", open == frame.npos ? 0 : open);
  if (open == frame.npos || close == frame.npos || MatchesAny(library_files_, frame)) return {};
  return fmt::format("{}:{} ({})", frame.substr(0, open + 3),
                     frame.substr(open + 4, close - open - 4), frame.substr(close + 3));
}

}  // namespace transplt
