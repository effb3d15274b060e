// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/result.h"

namespace transplt {

/// Where a number of a log belongs. Where no epoch is logged, a step that goes back to the first
/// one begins the next.
struct LogStep {
  int64_t epoch = 0;
  int64_t step = 0;
  bool operator<(const LogStep& other) const {
    return epoch != other.epoch ? epoch < other.epoch : step < other.step;
  }
};

/// A number of a log by step: "loss", "grad norm", "val loss" ...
struct LogSeries {
  std::map<LogStep, double> values;  ///< of a step that is logged twice in an epoch, the last
  bool restarts = false;             ///< steps begin again in each epoch
};

/// The losses and gradient norms of a training's log, by name.
struct TrainingLog {
  std::string path;
  std::map<std::string, LogSeries> series;
  uint64_t lines = 0;
};

/// Reads a log: lines of any text ("step 10 | lm loss: 2.3E+00 | grad norm: 1.1"), JSON objects
/// or Python dictionaries ("{'loss': 2.3, 'step': 10}"), or CSV with a header. A line without a
/// step counts one on for each name. Fails if no loss and no gradient norm is in it.
Result<TrainingLog> ReadTrainingLog(const std::string& path);
TrainingLog ParseTrainingLog(std::string_view text);

/// One name in both logs.
struct SeriesComparison {
  std::string name;
  uint64_t common = 0;  ///< steps that both have
  uint64_t only_a = 0;
  uint64_t only_b = 0;
  bool by_epoch = false;  ///< steps begin again in each epoch; else all are of epoch 0
  bool differs = false;
  LogStep first;  ///< that differs beyond tolerance
  double first_a = 0;
  double first_b = 0;
  double max_relative = 0;  ///< of |a-b| / max(|b|, absolute tolerance), finite pairs
  LogStep max_step;
  double mean_relative = 0;
};

struct RunTolerance {
  double relative = 0.01;
  double absolute = 1e-6;
};

struct RunComparison {
  std::vector<SeriesComparison> series;
  std::vector<std::string> only_a;  ///< names that the other log lacks
  std::vector<std::string> only_b;
  bool Agrees() const;
};

RunComparison CompareRuns(const TrainingLog& a, const TrainingLog& b,
                          const RunTolerance& tolerance);

}  // namespace transplt
