// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/output_comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

namespace transplt {
namespace {

/// The lines of one pattern in both outputs.
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

class Comparison {
 public:
  Comparison(OutputKind kind, LineOrder order, NumberTolerance tolerance)
      : kind_(kind), order_(order), tolerance_(tolerance) {}

  OutputComparison Run(const std::vector<PrintedLine>& reference,
                       const std::vector<PrintedLine>& other) {
    std::vector<Group*> in_order;
    for (const PrintedLine& line : reference) At(line, in_order).reference.push_back(&line);
    for (const PrintedLine& line : other) At(line, in_order).other.push_back(&line);
    for (Group* group : in_order) CompareGroup(*group);
    return std::move(result_);
  }

 private:
  Group& At(const PrintedLine& line, std::vector<Group*>& in_order) {
    const auto [place, is_new] = groups_.try_emplace(line.pattern);
    if (is_new) in_order.push_back(&place->second);
    return place->second;
  }

  void CompareGroup(Group& group) {
    if (order_ == LineOrder::kLoose) PairEqualLines(group);
    const size_t pairs = std::min(group.reference.size(), group.other.size());
    for (size_t i = 0; i < pairs; ++i) ComparePair(*group.reference[i], *group.other[i]);
    for (size_t i = pairs; i < group.reference.size(); ++i) {
      Alone(*group.reference[i], pairs > 0, true);
    }
    for (size_t i = pairs; i < group.other.size(); ++i) Alone(*group.other[i], pairs > 0, false);
  }

  /// Takes pairs of lines with equal numbers out of the group.
  void PairEqualLines(Group& group) {
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
      ComparePair(*line, *found->second);
      paired.insert(found->second);
      waiting.erase(found);
    }
    std::erase_if(group.other, [&](const PrintedLine* line) { return paired.contains(line); });
    group.reference = std::move(left);
  }

  void ComparePair(const PrintedLine& reference, const PrintedLine& other) {
    ++result_.lines;
    for (size_t i = 0; i < reference.numbers.size(); ++i) {
      const PrintedNumber& a = reference.numbers[i];
      const PrintedNumber& b = other.numbers[i];
      if (!a.is_compared || !b.is_compared) {
        ++result_.ignored;
        continue;
      }
      ++result_.numbers[{reference.pattern, i}];
      if (a.text == b.text || tolerance_.Allows(a.value, b.value)) {
        result_.not_finite += std::isfinite(a.value) ? 0 : 1;
      } else {
        result_.differences.push_back(
            {{reference.pattern, i}, reference.text, other.text, a.text, b.text, a.name});
      }
    }
  }

  void Alone(const PrintedLine& line, bool has_others, bool in_reference) {
    const bool is_text = kind_ == OutputKind::kResults && !line.names_device;
    const bool may_be_alone = kind_ == OutputKind::kLog && !has_others;
    if (!is_text && (!line.HasComparedNumber() || may_be_alone)) return;
    result_.differences.push_back({{line.pattern, kWholeLine},
                                   in_reference ? line.text : "",
                                   in_reference ? "" : line.text,
                                   "",
                                   "",
                                   ""});
  }

  const OutputKind kind_;
  const LineOrder order_;
  const NumberTolerance tolerance_;
  std::map<std::string_view, Group> groups_;
  OutputComparison result_;
};

}  // namespace

bool NumberTolerance::Allows(double reference, double other) const {
  if (std::isnan(reference) || std::isnan(other)) {
    return std::isnan(reference) && std::isnan(other);
  }
  if (reference == other) return true;
  return std::abs(reference - other) <= absolute + relative * std::abs(reference);
}

OutputComparison CompareOutputs(const std::vector<PrintedLine>& reference,
                                const std::vector<PrintedLine>& other, OutputKind kind,
                                LineOrder order, NumberTolerance tolerance) {
  return Comparison(kind, order, tolerance).Run(reference, other);
}

size_t OutputComparison::NumberCount() const {
  size_t count = 0;
  for (const auto& [column, numbers_in_it] : numbers) count += numbers_in_it;
  return count;
}

std::set<PrintedColumn> ColumnsOf(const OutputComparison& comparison) {
  std::set<PrintedColumn> columns;
  for (const PrintedDifference& difference : comparison.differences) {
    columns.insert(difference.column);
  }
  return columns;
}

std::vector<PrintedDifference> TakeNotReproducible(OutputComparison& comparison,
                                                   const std::set<PrintedColumn>& columns) {
  std::vector<PrintedDifference> taken;
  std::erase_if(comparison.differences, [&](const PrintedDifference& difference) {
    if (!columns.contains(difference.column)) return false;
    taken.push_back(difference);
    return true;
  });
  for (const PrintedColumn& column : columns) comparison.numbers.erase(column);
  return taken;
}

}  // namespace transplt
