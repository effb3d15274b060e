// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/value_graph.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

namespace transplt {

ValueGraph::Slot ValueGraph::NewSlot() {
  const auto slot = static_cast<Slot>(parents_.size());
  parents_.push_back(slot);
  classes_.emplace_back();
  return slot;
}

ValueGraph::Slot ValueGraph::SlotNamed(const std::string& name) {
  const auto [entry, is_new] = named_.try_emplace(name, 0);
  if (is_new) entry->second = NewSlot();
  return entry->second;
}

ValueGraph::Slot ValueGraph::Find(Slot slot) const {
  while (parents_[slot] != slot) slot = parents_[slot] = parents_[parents_[slot]];
  return slot;
}

void ValueGraph::Join(Slot a, Slot b) {
  a = Find(a);
  b = Find(b);
  if (a == b) return;
  ++version_;
  // The class with more goes on, so that no element moves more often than log n times.
  const auto size = [&](Slot slot) {
    const Class& of = classes_[slot];
    return of.edges.size() + of.places.size() + of.slots.size();
  };
  if (size(a) < size(b)) std::swap(a, b);
  parents_[b] = a;
  Class gone = std::exchange(classes_[b], {});
  Class& kept = classes_[a];
  const auto take = [](ValueEvidence& mine, ValueEvidence& theirs) {
    const bool earlier = theirs.strength == mine.strength && theirs.range.start < mine.range.start;
    if (theirs.strength > mine.strength || (earlier && theirs.strength != Strength::kNone)) {
      mine = std::move(theirs);
    }
  };
  take(kept.device, gone.device);
  take(kept.other, gone.other);
  kept.texts.merge(gone.texts);
  kept.places.insert(kept.places.end(), std::make_move_iterator(gone.places.begin()),
                     std::make_move_iterator(gone.places.end()));
  kept.edges.insert(kept.edges.end(), gone.edges.begin(), gone.edges.end());
  kept.slots.insert(kept.slots.end(), gone.slots.begin(), gone.slots.end());
  kept.slots.push_back(b);
  for (auto& [text, place] : gone.searches) AddSearch(a, text, std::move(place));
}

void ValueGraph::Pass(Slot from, Slot to) {
  if (from == to) return;
  ++version_;
  classes_[Find(from)].edges.push_back({to, Direction::kTo});
  classes_[Find(to)].edges.push_back({from, Direction::kFrom});
}

void ValueGraph::Relate(Slot a, Slot b) {
  if (a == b) return;
  ++version_;
  classes_[Find(a)].edges.push_back({b, Direction::kSame});
  classes_[Find(b)].edges.push_back({a, Direction::kSame});
}

void ValueGraph::Add(Slot slot, ValueEvidence evidence) {
  Class& of = classes_[Find(slot)];
  ValueEvidence& mine = evidence.is_device ? of.device : of.other;
  if (evidence.strength <= mine.strength) return;
  ++version_;
  mine = std::move(evidence);
}

void ValueGraph::AddText(Slot slot, std::string_view text, ValuePlace place) {
  Class& of = classes_[Find(slot)];
  of.texts.emplace(text);
  of.places.push_back(std::move(place));
}

void ValueGraph::AddSearch(Slot slot, std::string_view text, ValuePlace place) {
  auto& searches = classes_[Find(slot)].searches;
  const auto is_same = [&](const auto& search) { return search.first == text; };
  if (std::any_of(searches.begin(), searches.end(), is_same)) return;
  searches.emplace_back(text, std::move(place));
  has_searches_ = true;
  ++version_;
}

Verdict ValueGraph::Own(const Class& of) {
  Verdict verdict;
  if (of.device.strength == Strength::kNone && of.other.strength == Strength::kNone) return verdict;
  const bool is_device = of.device.strength >= of.other.strength;
  verdict.kind = is_device ? Verdict::Kind::kDevice : Verdict::Kind::kOther;
  verdict.evidence = is_device ? of.device : of.other;
  const bool contradicts =
      of.device.strength == Strength::kResolved && of.other.strength == Strength::kResolved;
  if (contradicts) {
    verdict.kind = Verdict::Kind::kOther;
    verdict.evidence = of.other;
    verdict.against = of.device;
  }
  return verdict;
}

std::vector<ValueGraph::Step> ValueGraph::Walk(Slot slot) const {
  // First to where the value comes from, then to where it goes, and never back again.
  std::vector<Step> steps = {{Find(slot), false}};
  std::unordered_set<uint64_t> seen;
  const auto enter = [&](Step step) {
    return seen.insert((uint64_t{step.at} << 1U) | (step.goes_on ? 1U : 0U)).second;
  };
  enter(steps.front());
  for (size_t i = 0; i < steps.size(); ++i) {
    const Step from = steps[i];
    // What stands beside another value says nothing about this one.
    const bool decides = Own(classes_[from.at]).evidence.strength > Strength::kBeside;
    if (i > 0 && decides) continue;
    for (const Edge& edge : classes_[from.at].edges) {
      if (from.goes_on && edge.direction == Direction::kFrom) continue;
      const Step next{Find(edge.slot), from.goes_on || edge.direction == Direction::kTo};
      if (enter(next)) steps.push_back(next);
    }
  }
  return steps;
}

ValueEvidence ValueGraph::FoundBySearch(Slot slot) const {
  // A flow of more classes is that of a whole program, whose verdict is asked for many times.
  constexpr size_t kMostClasses = 64;
  // The classes that the values of `found` go to, or may come from, the nearest first.
  const auto extend = [&](std::vector<Slot> found, Direction direction) {
    std::unordered_set<Slot> seen(found.begin(), found.end());
    for (size_t i = 0; i < found.size() && found.size() < kMostClasses; ++i) {
      for (const Edge& edge : classes_[found[i]].edges) {
        const Slot next = Find(edge.slot);
        if (edge.direction == direction && seen.insert(next).second) found.push_back(next);
        if (found.size() >= kMostClasses) break;
      }
    }
    return found;
  };
  const std::vector<Slot> reached = extend({Find(slot)}, Direction::kTo);
  for (const std::string& text : classes_[Find(slot)].texts) {
    const ValuePlace* place = nullptr;
    std::vector<Slot> searched;
    for (const Slot at : reached) {
      for (const auto& search : classes_[at].searches) {
        if (search.first != text) continue;
        searched.push_back(at);
        if (place == nullptr) place = &search.second;
      }
    }
    if (place == nullptr) continue;
    for (const Slot source : extend(std::move(searched), Direction::kFrom)) {
      for (const std::string& other : classes_[source].texts) {
        // "cuda:0" changes as "cuda" does.
        const bool changes = other == text || other.starts_with(text + ":");
        if (changes || other.find(text) == std::string::npos) continue;
        return {false,
                Strength::kResolved,
                Say("the program asks whether \"{}\" is in a value that may also be \"{}\", which "
                    "keeps its name; choose names that fit both",
                    "程序判断 \"{}\" 是否包含于某个值, 而该值也可能是名称不变的 \"{}\"; "
                    "请选择同时适用于二者的名称",
                    text, other),
                true,
                place->path,
                place->range};
      }
    }
  }
  return {};
}

Verdict ValueGraph::VerdictOf(Slot slot) const {
  Verdict verdict = VerdictWithoutSearches(slot);
  if (!has_searches_ || verdict.kind == Verdict::Kind::kOther) return verdict;
  ValueEvidence found = FoundBySearch(slot);
  if (found.strength == Strength::kNone) return verdict;
  return {Verdict::Kind::kOther, std::move(found), {}};
}

Verdict ValueGraph::VerdictWithoutSearches(Slot slot) const {
  Verdict own = Own(classes_[Find(slot)]);
  if (own.evidence.strength >= Strength::kShape) return own;
  Verdict device;
  Verdict other;
  const std::vector<Step> steps = Walk(slot);
  for (size_t i = 1; i < steps.size(); ++i) {
    const Verdict verdict = Own(classes_[steps[i].at]);
    if (verdict.evidence.strength <= Strength::kBeside) continue;
    Verdict& side = verdict.kind == Verdict::Kind::kDevice ? device : other;
    if (verdict.evidence.strength > side.evidence.strength) side = verdict;
  }
  Verdict& related = device.evidence.strength >= other.evidence.strength ? device : other;
  return related.evidence.strength > own.evidence.strength ? related : own;
}

std::vector<ValueGraph::Slot> ValueGraph::SlotsAround(Slot slot) const {
  std::vector<Slot> slots;
  for (const Step& step : Walk(slot)) {
    slots.push_back(step.at);
    const std::vector<Slot>& others = classes_[step.at].slots;
    slots.insert(slots.end(), others.begin(), others.end());
  }
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  return slots;
}

const std::set<std::string, std::less<>>& ValueGraph::TextsOf(Slot slot) const {
  return classes_[Find(slot)].texts;
}

}  // namespace transplt
