// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "transplt/compare/comparison_table.h"
#include "transplt/compare/number_json.h"
#include "transplt/compare/origin.h"
#include "transplt/dump/tensor_name.h"

namespace transplt {
namespace {

using Json = nlohmann::ordered_json;

Json SideJson(const DumpedTensor* tensor) {
  if (tensor == nullptr) return nullptr;
  return {{"name", tensor->name},
          {"type", tensor->type == NumberType::kOther ? tensor->type_name
                                                      : std::string(NameOf(tensor->type))},
          {"shape", tensor->shape},
          {"file", tensor->place.file}};
}

Json StatisticsJson(const TensorStatistics& statistics) {
  return {{"max", NumberJson(statistics.max)},
          {"min", NumberJson(statistics.min)},
          {"mean", NumberJson(statistics.mean)},
          {"norm", NumberJson(statistics.norm)}};
}

Json MetricsJson(const ComparedTensor& row) {
  const Metrics& m = row.metrics;
  return {{"cosine", NumberJson(m.cosine)},
          {"max_absolute", NumberJson(m.max_absolute)},
          {"accumulated_relative", NumberJson(m.accumulated_relative)},
          {"relative_euclidean", NumberJson(m.relative_euclidean)},
          {"kl_divergence", NumberJson(m.divergence)},
          {"deviation_a", NumberJson(row.sums.x.Deviation(row.sums.count))},
          {"deviation_b", NumberJson(row.sums.y.Deviation(row.sums.count))},
          {"mean_absolute", NumberJson(m.mean_absolute)},
          {"root_mean_square", NumberJson(m.root_mean_square)},
          {"max_relative", NumberJson(m.max_relative)},
          {"mean_relative", NumberJson(m.mean_relative)},
          {"euclidean", NumberJson(m.euclidean)},
          {"max_relative_msprobe", NumberJson(m.max_relative_all)},
          {"mean_relative_msprobe", NumberJson(m.mean_relative_all)},
          {"within_1e3", NumberJson(m.within_1e3)},
          {"within_5e3", NumberJson(m.within_5e3)},
          {"finite_pairs", row.sums.count},
          {"nan_a", row.sums.x.nans},
          {"nan_b", row.sums.y.nans},
          {"inf_a", row.sums.x.infinities},
          {"inf_b", row.sums.y.infinities},
          {"non_finite_mismatch", row.sums.mismatched}};
}

Json RowJson(const ComparedTensor& row) {
  Json json = {
      {"folder", row.either().folder}, {"a", SideJson(row.a)},
      {"b", SideJson(row.b)},          {"role", NameOf(SplitTensorName(row.either().name).role)},
      {"matched_by", NameOf(row.by)},  {"result", NameOf(row.verdict)},
      {"cause", NameOf(row.cause)},    {"message", row.message.en}};
  if (row.has_values) json["metrics"] = MetricsJson(row);
  if (row.has_values || row.has_statistics) {
    json["statistics_a"] = StatisticsJson(row.statistics_a);
    json["statistics_b"] = StatisticsJson(row.statistics_b);
  }
  return json;
}

Json OriginJson(const std::optional<DifferenceOrigin>& origin) {
  if (!origin) return nullptr;
  return {{"kind", NameOf(origin->kind)},
          {"name", origin->name},
          {"place", origin->place},
          {"message", origin->what.en}};
}

Json TroublesJson(const Dump& dump) {
  Json troubles = Json::array();
  for (const Error& error : dump.troubles) {
    troubles.push_back({{"where", error.where}, {"what", error.what.en}});
  }
  return troubles;
}

}  // namespace

std::string ComparisonJson(const Comparison& comparison) {
  Json counts = Json::object();
  for (int verdict = 0; verdict <= static_cast<int>(PairVerdict::kUnreadable); ++verdict) {
    const auto value = static_cast<PairVerdict>(verdict);
    counts[std::string(NameOf(value))] = comparison.Count(value);
  }
  Json rows = Json::array();
  for (const ComparedTensor& row : comparison.rows) rows.push_back(RowJson(row));
  const auto name = [&comparison](int64_t index) {
    return index < 0 ? Json(nullptr)
                     : Json(comparison.rows[static_cast<size_t>(index)].either().name);
  };
  const Json json = {{"a", comparison.a.path},
                     {"b", comparison.b.path},
                     {"tolerance", comparison.tolerance.name},
                     {"agrees", comparison.Agrees()},
                     {"counts", counts},
                     {"first_difference", name(comparison.first_difference)},
                     {"first_producer", name(comparison.first_producer)},
                     {"origin", OriginJson(FindOrigin(comparison))},
                     {"unreadable_a", TroublesJson(comparison.a)},
                     {"unreadable_b", TroublesJson(comparison.b)},
                     {"tensors", rows}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace transplt
