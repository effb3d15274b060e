// SPDX-License-Identifier: Apache-2.0
#include "transplt/commands/batch_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "generators/output_text.h"

namespace transplt {
namespace {

/// The words as a shell reads them back.
std::string ShellLine(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    line += Literal(nlohmann::json(word).dump(), OutputLanguage::kShell);
  }
  return line;
}

constexpr std::string_view kSlurm = R"(#!/usr/bin/env bash
# Made by transplt batch --script slurm. Submit it with: sbatch THIS_FILE
# Options of sbatch replace the lines below: sbatch --partition NAME --time 8:00:00 THIS_FILE
# The number of tasks must stay: each does one of {0} parts. A part that was cut off goes on where it
# was when it is submitted again: sbatch --array=2 THIS_FILE
# When all are done: transplt batch merge {1}
#SBATCH --job-name=transplt-batch
#SBATCH --array=1-{0}
#SBATCH --cpus-per-task={2}
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=transplt-batch-%A_%a.log
set -euo pipefail

code=0
srun --cpus-per-task="${{SLURM_CPUS_PER_TASK:-1}}" \
    transplt batch {3} \
    --shard "$SLURM_ARRAY_TASK_ID/{0}" --jobs "${{SLURM_CPUS_PER_TASK:-1}}" --resume || code=$?
# 1: each project has its record, and some need a person. For Slurm the task is done.
if [ "$code" -eq 1 ]; then code=0; fi
exit "$code"
)";

constexpr std::string_view kParallel = R"(#!/usr/bin/env bash
# Made by transplt batch --script parallel. Needs GNU parallel (Debian: parallel). Run it again to
# go on with what was cut off. On several machines: write --sshlogin HOST,HOST behind "parallel",
# and use paths that all of them see.
set -euo pipefail

# 1: each project has its record, and some need a person. What is missing shows in the report.
seq {0} | parallel --will-cite {2}-I @SHARD@ --quote \
    transplt batch {3} \
    --shard @SHARD@/{0} --jobs 1 --resume ||
    echo "$0: $? of {0} parts have projects that need a person, or were cut off" >&2
exec transplt batch merge {1}
)";

}  // namespace

std::string SlurmScript(const BatchScript& batch) {
  return fmt::format(kSlurm, batch.shards, ShellLine(batch.merge), std::max<size_t>(batch.jobs, 1),
                     ShellLine(batch.arguments));
}

std::string ParallelScript(const BatchScript& batch) {
  const std::string jobs = batch.jobs == 0 ? "" : fmt::format("--jobs {} ", batch.jobs);
  return fmt::format(kParallel, batch.shards, ShellLine(batch.merge), jobs,
                     ShellLine(batch.arguments));
}

}  // namespace transplt
