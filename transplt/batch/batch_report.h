// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/batch/manifest.h"
#include "transplt/batch/project_record.h"
#include "transplt/batch/results_file.h"

namespace transplt {

/// In how many projects something was found, and at how many places in all.
struct Spread {
  uint64_t projects = 0;
  uint64_t places = 0;
};

/// Projects by the number of places that need a person: up to `most` of them.
struct EffortClass {
  std::string_view name;
  uint64_t most;
};
inline constexpr std::array<EffortClass, 5> kEffortClasses = {
    {{"0", 0}, {"1-5", 5}, {"6-20", 20}, {"21-100", 100}, {"more than 100", UINT64_MAX}}};

/// All that several files of results say together. Grows with the number of different reasons and
/// rules and by some bytes per project; no record is kept.
struct BatchReport {
  struct Trouble {
    std::string name;
    ProjectOutcome outcome;
    std::string what;
  };
  struct Slow {
    double wall_seconds;
    std::string name;
  };
  struct Source {
    RecordPlace place;
    std::string name;
    size_t file;  ///< index of the list of files
  };

  std::array<uint64_t, kProjectOutcomes.size()> outcomes = {};
  uint64_t files = 0;  ///< that were looked at
  uint64_t migrated_files = 0;
  uint64_t safe_edits = 0;
  uint64_t unsafe_edits = 0;
  uint64_t left_open = 0;
  uint64_t unsupported = 0;
  std::map<std::pair<std::string, std::string>, Spread> reasons;  ///< by rule and text
  std::map<std::string, Spread> rules;                            ///< rows of all kinds, by id
  std::array<Spread, kEffortClasses.size()> effort = {};
  std::vector<Trouble> troubles;  ///< projects without a result, in the order of the manifest
  std::vector<Slow> slowest;      ///< at most kSlowest, the slowest first
  double cpu_seconds = 0;
  bool has_times = false;            ///< records say how long they took
  std::vector<Source> sources;       ///< in the order of the manifest
  std::vector<std::string> missing;  ///< names of the manifest without a record
  std::vector<std::string> unknown;  ///< names of records that the manifest does not have

  static constexpr size_t kSlowest = 10;

  bool IsComplete() const { return missing.empty() && unknown.empty(); }
};

/// Reads files of results. An Error if one cannot be read, or if a project is in two of them.
/// `with_times` false: as if records did not say how long they took.
Result<BatchReport> ReadBatchReport(const std::vector<std::string>& files, bool with_times);

/// Fills `missing` and `unknown`.
void CompareWithManifest(BatchReport& report, const Manifest& manifest);

/// Gives `take` each record, with its line end, in the order of the manifest.
Result<Done> ForEachRecord(
    const BatchReport& report, const std::vector<std::string>& files,
    const std::function<void(const RecordPlace& place, const std::string& line)>& take);

std::string BatchReportText(const BatchReport& report, Language language);
std::string BatchReportJson(const BatchReport& report);

/// A table of the projects: its header, and the row of a record.
std::string ProjectCsvHeader(bool with_times);
std::string ProjectCsvRow(std::string_view record, bool with_times);

}  // namespace transplt
