// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/batch/archive.h"
#include "transplt/batch/manifest.h"
#include "transplt/batch/project_record.h"
#include "transplt/batch/worker_pool.h"
#include "transplt/migrate/migration.h"

namespace transplt {

/// How projects are migrated; `text` says the same: other options have another text.
struct ProjectOptions {
  MigrationOptions migration;
  std::string text;
};

/// A project, and its options, which many projects share.
struct BatchItem {
  BatchProject project;
  std::shared_ptr<const ProjectOptions> options;
};

/// One run of `transplt batch`.
struct BatchOptions {
  std::string output;  ///< OUT
  Shard shard;
  size_t jobs = 1;  ///< projects at a time
  WorkerLimits limits;
  ArchiveLimits archives;
  bool resume = false;
  std::vector<ProjectOutcome> retry;  ///< with `resume`: outcomes that are tried once more
  bool with_trees = true;             ///< write OUT/projects; else the records are all
  bool with_run = true;               ///< records tell what differs from run to run: time, memory
  std::function<void(size_t done, size_t total)> progress;
};

/// What a run has to tell; the rest is in the file of results.
struct BatchEnd {
  std::string results;  ///< the file: OUT/results.jsonl or OUT/results-K-of-N.jsonl
  /// Records in the file by outcome, in the order of kProjectOutcomes.
  std::array<size_t, kProjectOutcomes.size()> counts = {};
  size_t projects = 0;  ///< of this shard
  size_t skipped = 0;   ///< had their record from an earlier run
  int stop_signal = 0;  ///< the signal that has ended the run early; 0: none

  size_t records() const;
};

/// Migrates the projects of the shard, each in a process of its own, and appends a record for each
/// to the file of results; see project_record.h. Trouble with a project is its record; an Error
/// means that the run could not start or go on, and what it has written by then can be resumed.
/// When it has come to its end, the records stand in the order of the manifest.
Result<BatchEnd> RunBatch(const std::vector<BatchItem>& items, const BatchOptions& options);

/// "results.jsonl", or "results-K-of-N.jsonl" for one of several shards.
std::string ResultsFileName(const Shard& shard);

}  // namespace transplt
