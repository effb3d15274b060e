// SPDX-License-Identifier: Apache-2.0
// Any bytes as the log of a training: it agrees with itself.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "require.h"
#include "transplt/compare/training_log.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const transplt::TrainingLog log = transplt::ParseTrainingLog(bytes);
  const transplt::RunComparison runs = transplt::CompareRuns(log, log, {});
  REQUIRE(runs.only_a.empty() && runs.only_b.empty());
  for (const transplt::SeriesComparison& one : runs.series) REQUIRE(!one.differs);
  return 0;
}
