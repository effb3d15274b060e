// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "transplt/base/result.h"

namespace transplt {

/// What a dump calls an operator or a graph: `.`, `/`, `\` and blanks become `_`.
std::string DumpName(std::string_view name);

/// Stands for an operator of this type and name, as they are in names of dump files.
uint64_t OpKey(std::string_view type, std::string_view name);

/// Type and name of an operator in the name of its dump file:
/// {op_type}.{op_name}.{taskid}[.{stream_id}].{timestamp}. False if it is none.
bool SplitFileName(std::string_view file, std::string_view* type, std::string_view* name);

/// The rows of a mapping.csv: the name that a file has, and the one that was too long for it.
std::unordered_map<std::string, std::string> ReadMapping(const std::string& path);

/// The dump of one graph on one device: {dump_path}/{time}/{device}/{model_name}.
struct ModelDump {
  std::string folder;
  std::string time;    ///< YYYYMMDDHHMMSS
  std::string device;  ///< "0"
  std::string name;    ///< of the graph, as DumpName gives it
  /// The steps (data_index) that are there, by model_id.
  std::map<std::string, std::vector<std::string>> steps;
  uint64_t files = 0;         ///< of operators
  uint64_t bytes = 0;         ///< of them
  uint64_t overflow = 0;      ///< files Opdebug.*, which tell where values overflowed
  uint64_t renamed = 0;       ///< files that mapping.csv gives their name back
  uint64_t unknown = 0;       ///< files that are no dump of an operator
  std::vector<uint64_t> ops;  ///< OpKey of the operators with a file, sorted, each once
};

struct DumpTree {
  std::vector<ModelDump> models;   ///< by time, device and name
  std::vector<std::string> notes;  ///< folders that could not be read
};

/// Reads the names below `folder`, a dump_path or a folder of it. Links are not followed.
Result<DumpTree> ReadDumpTree(const std::string& folder);

}  // namespace transplt
