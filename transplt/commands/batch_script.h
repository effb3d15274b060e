// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace transplt {

/// A run of `transplt batch` in several parts, as a script starts it.
struct BatchScript {
  std::vector<std::string> arguments;  ///< behind "transplt batch", without --shard and --jobs
  std::vector<std::string> merge;      ///< behind "transplt batch merge"
  size_t shards = 1;
  size_t jobs = 0;  ///< processors for each shard, or shards at a time; 0: not said
};

/// A job array of Slurm, one task per shard.
std::string SlurmScript(const BatchScript& batch);

/// A script that runs the shards with GNU parallel and merges their results.
std::string ParallelScript(const BatchScript& batch);

}  // namespace transplt
