// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/output_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace transplt {
namespace {

/// The lines of one kind in both outputs.
struct Group {
  std::vector<const PrintedLine*> reference;
  std::vector<const PrintedLine*> other;
};

/// The numbers of a line that count, as one text.
std::string ComparedText(const PrintedLine& line) {
  std::string text;
  for (const PrintedNumber& number : line.numbers) {
    if (number.is_compared) text += number.text + ' ';
  }
  return text;
}

/// The number of the process that has printed the line, as the line tells it.
std::string ProcessOf(const PrintedLine& line) {
  for (const PrintedNumber& number : line.numbers) {
    for (const char* name : {"rank", "local_rank", "global_rank", "worker", "process", "proc"}) {
      if (number.name == name) return number.text;
    }
  }
  return "";
}

/// A double holds integers up to 2^53.
bool IsLargeInteger(const PrintedNumber& number) {
  return std::abs(number.value) >= 9007199254740992.0 &&
         number.text.find_first_of(".eEnN") == std::string::npos;
}

bool IsEqualNumber(const PrintedNumber& a, const PrintedNumber& b, NumberTolerance tolerance) {
  if (a.text == b.text) return true;
  const bool is_exact = tolerance.relative == 0 && tolerance.absolute == 0;
  if (is_exact && IsLargeInteger(a) && IsLargeInteger(b)) return false;
  return tolerance.Allows(a.value, b.value);
}

double Distance(const PrintedNumber& a, const PrintedNumber& b) {
  const double distance = std::abs(a.value - b.value);
  return std::isfinite(distance) ? distance : std::numeric_limits<double>::infinity();
}

class Comparison {
 public:
  explicit Comparison(const OutputRules& rules) : rules_(rules) {}

  OutputComparison Run(const std::vector<PrintedLine>& reference,
                       const std::vector<PrintedLine>& other) {
    std::vector<Groups::value_type*> in_order;
    for (const PrintedLine& line : reference) At(line, in_order).reference.push_back(&line);
    for (const PrintedLine& line : other) At(line, in_order).other.push_back(&line);
    for (Groups::value_type* group : in_order) CompareGroup(group->first.first, group->second);
    return std::move(result_);
  }

 private:
  using Groups = std::map<std::pair<std::string, std::string>, Group>;  // by kind and process

  std::string KindOf(const PrintedLine& line) const {
    return WithoutVaryingNames(line.pattern, rules_.variation.names);
  }

  Group& At(const PrintedLine& line, std::vector<Groups::value_type*>& in_order) {
    std::string kind = KindOf(line);
    const bool apart =
        rules_.order == LineOrder::kByProcess && !rules_.variation.unordered.contains(kind);
    const auto [place, is_new] =
        groups_.try_emplace({std::move(kind), apart ? ProcessOf(line) : std::string()});
    if (is_new) in_order.push_back(&*place);
    return place->second;
  }

  void CompareGroup(const std::string& kind, Group& group) {
    if (rules_.variation.unordered.contains(kind)) PairEqualLines(kind, group);
    const size_t pairs = std::min(group.reference.size(), group.other.size());
    for (size_t i = 0; i < pairs; ++i) ComparePair(kind, *group.reference[i], *group.other[i]);
    for (size_t i = pairs; i < group.reference.size(); ++i) {
      Alone(kind, *group.reference[i], pairs > 0, true);
    }
    for (size_t i = pairs; i < group.other.size(); ++i) {
      Alone(kind, *group.other[i], pairs > 0, false);
    }
  }

  /// Takes pairs of lines with equal numbers out of the group.
  void PairEqualLines(const std::string& kind, Group& group) {
    std::multimap<std::string, const PrintedLine*> waiting;
    for (const PrintedLine* line : group.other) waiting.emplace(ComparedText(*line), line);
    std::vector<const PrintedLine*> left;
    std::set<const PrintedLine*> paired;
    for (const PrintedLine* line : group.reference) {
      const auto found = waiting.find(ComparedText(*line));
      if (found == waiting.end()) {
        left.push_back(line);
        continue;
      }
      ComparePair(kind, *line, *found->second);
      paired.insert(found->second);
      waiting.erase(found);
    }
    std::erase_if(group.other, [&](const PrintedLine* line) { return paired.contains(line); });
    group.reference = std::move(left);
  }

  void ComparePair(const std::string& kind, const PrintedLine& reference,
                   const PrintedLine& other) {
    if (reference.numbers.size() != other.numbers.size()) {  // a '#' is one of the text
      Alone(kind, reference, true, true);
      return Alone(kind, other, true, false);
    }
    ++result_.lines;
    for (size_t i = 0; i < reference.numbers.size(); ++i) {
      const PrintedNumber& a = reference.numbers[i];
      const PrintedNumber& b = other.numbers[i];
      if (!a.is_compared || !b.is_compared) continue;
      ++result_.numbers[{kind, i}];
      if (IsEqualNumber(a, b, rules_.tolerance)) {
        result_.not_finite += std::isfinite(a.value) ? 0 : 1;
      } else {
        result_.differences.push_back(
            {{kind, i}, reference.text, other.text, a.text, b.text, a.name, Distance(a, b)});
      }
    }
  }

  void Alone(const std::string& kind, const PrintedLine& line, bool has_others, bool in_reference) {
    if (rules_.kind == OutputKind::kBeginning) return;
    const bool may_be_alone = !has_others && (rules_.kind == OutputKind::kOtherLog ||
                                              (rules_.kind == OutputKind::kLog && line.is_notice));
    if (rules_.kind != OutputKind::kResults && (!line.HasComparedNumber() || may_be_alone)) return;
    PrintedDifference difference;
    difference.column = {kind, kWholeLine};
    (in_reference ? difference.reference : difference.other) = line.text;
    result_.differences.push_back(std::move(difference));
  }

  const OutputRules& rules_;
  Groups groups_;
  OutputComparison result_;
};

/// How many differences there are in each kind of lines.
std::map<std::string, size_t> CountByKind(const OutputComparison& comparison) {
  std::map<std::string, size_t> counts;
  for (const PrintedDifference& difference : comparison.differences) {
    ++counts[difference.column.first];
  }
  return counts;
}

/// Kinds whose lines differ less when their order does not count.
std::set<std::string> UnorderedKinds(const std::vector<PrintedLine>& reference,
                                     const std::vector<PrintedLine>& other, OutputRules rules) {
  const auto kept = CountByKind(CompareOutputs(reference, other, rules));
  for (const auto& [kind, count] : kept) rules.variation.unordered.insert(kind);
  const auto loose = CountByKind(CompareOutputs(reference, other, rules));
  std::set<std::string> kinds;
  for (const auto& [kind, count] : kept) {
    const auto found = loose.find(kind);
    if (found == loose.end() || found->second < count) kinds.insert(kind);
  }
  return kinds;
}

}  // namespace

bool NumberTolerance::Allows(double reference, double other) const {
  if (std::isnan(reference) || std::isnan(other)) {
    return std::isnan(reference) && std::isnan(other);
  }
  if (reference == other) return true;
  return std::abs(reference - other) <= absolute + relative * std::abs(reference);
}

OutputComparison CompareOutputs(const std::vector<PrintedLine>& reference,
                                const std::vector<PrintedLine>& other, const OutputRules& rules) {
  return Comparison(rules).Run(reference, other);
}

void OutputVariation::Add(const OutputVariation& more) {
  unordered.insert(more.unordered.begin(), more.unordered.end());
  AddVaryingNames(names, more.names);
}

OutputVariation FindVariation(const std::vector<PrintedLine>& reference,
                              const std::vector<PrintedLine>& again, OutputRules rules) {
  std::vector<std::string> of_reference;
  std::vector<std::string> of_again;
  for (const PrintedDifference& lone : CompareOutputs(reference, again, rules).differences) {
    if (lone.column.second != kWholeLine) continue;
    (lone.other.empty() ? of_reference : of_again).push_back(lone.column.first);
  }
  AddVaryingNames(rules.variation.names, FindVaryingNames(of_reference, of_again));
  const std::set<std::string> unordered = UnorderedKinds(reference, again, rules);
  rules.variation.unordered.insert(unordered.begin(), unordered.end());
  return rules.variation;
}

bool IsEqualInAnotherOrder(const std::vector<PrintedLine>& reference,
                           const std::vector<PrintedLine>& other, const OutputRules& rules) {
  return !UnorderedKinds(reference, other, rules).empty();
}

size_t OutputComparison::NumberCount() const {
  size_t count = 0;
  for (const auto& [column, numbers_in_it] : numbers) count += numbers_in_it;
  return count;
}

std::vector<PrintedDifference> TakeNotReproducible(OutputComparison& comparison,
                                                   const OutputComparison& repeated) {
  constexpr double kFar = 10;
  std::map<PrintedColumn, double> usual;
  for (const PrintedDifference& difference : repeated.differences) {
    double& most = usual[difference.column];
    most = std::max(most, difference.distance);
  }
  std::vector<PrintedDifference> taken;
  std::vector<PrintedDifference> left;
  for (PrintedDifference& difference : comparison.differences) {
    const auto found = usual.find(difference.column);
    const bool is_usual = found != usual.end() && difference.distance <= kFar * found->second;
    if (found != usual.end() && !is_usual) difference.usual_distance = found->second;
    (is_usual ? taken : left).push_back(std::move(difference));
  }
  comparison.differences = std::move(left);
  for (const auto& [column, most] : usual) comparison.numbers.erase(column);
  return taken;
}

}  // namespace transplt
