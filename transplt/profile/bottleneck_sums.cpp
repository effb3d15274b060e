// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include "transplt/profile/profile.h"

namespace transplt {
namespace {

constexpr size_t kKept = 5;  // of names, places and shapes

std::vector<TimedText> Longest(const std::unordered_map<std::string, double>& times) {
  std::vector<TimedText> list;
  for (const auto& [text, micros] : times) list.push_back({text, micros});
  std::sort(list.begin(), list.end(), [](const TimedText& a, const TimedText& b) {
    return std::tie(b.micros, a.text) < std::tie(a.micros, b.text);
  });
  if (list.size() > kKept) list.resize(kKept);
  return list;
}

}  // namespace

Text Bottleneck::Title() const {
  Text title = kind->title;
  for (std::string* text : {&title.en, &title.zh}) {
    if (const size_t at = text->find("{}"); at != text->npos) text->replace(at, 2, name);
  }
  return title;
}

void BottleneckSums::Add(const BottleneckKind& kind, std::string_view name, double micros,
                         uint64_t count, std::string_view place, std::string_view shapes) {
  const bool is_operator = kind.id == "operator";
  Sum& sum = sums_[is_operator ? "operator " + std::string(name) : kind.id];
  sum.kind = &kind;
  if (is_operator) sum.name = name;
  sum.micros += micros;
  sum.count += count;
  if (!name.empty()) sum.names[std::string(name)] += micros;
  if (!place.empty()) sum.places[std::string(place)] += micros;
  if (!shapes.empty()) sum.shapes[std::string(shapes)] += micros;
}

std::vector<Bottleneck> BottleneckSums::Sorted(double whole) && {
  std::vector<Bottleneck> sorted;
  uint64_t lines = 0;
  for (const auto& [id, sum] : sums_) lines += sum.count;
  for (auto& [id, sum] : sums_) {
    const double share = whole > 0 ? sum.micros / whole
                                   : static_cast<double>(sum.count) /
                                         static_cast<double>(std::max<uint64_t>(lines, 1));
    sorted.push_back({sum.kind, sum.name, sum.micros, share, sum.count, Longest(sum.names),
                      Longest(sum.places), Longest(sum.shapes)});
  }
  std::sort(sorted.begin(), sorted.end(), [](const Bottleneck& a, const Bottleneck& b) {
    return std::tie(b.micros, b.count, a.kind->id, a.name) <
           std::tie(a.micros, a.count, b.kind->id, b.name);
  });
  return sorted;
}

}  // namespace transplt
