// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/dump/dump_tree.h"
#include "transplt/dump/graph_scanner.h"

namespace transplt {

struct FindGraphOptions {
  std::vector<std::string> graphs;  ///< folders with *_Build.txt in or below them
  std::string dump;                 ///< dump_path; empty if there is none
  /// A part of the name of an operator: graphs without any such operator are left out. Or empty.
  std::string op;
};

/// A graph in a *_Build.txt, and how well it fits.
struct GraphCandidate {
  std::string file;
  std::string process;  ///< "1234" of the folder 1234_0 or pid_1234_deviceid_0; or empty
  std::string device;   ///< "0" of the same
  std::string name;     ///< of the graph
  uint64_t file_bytes = 0;
  uint64_t ops = 0;
  uint64_t iterators = 0;  ///< operators that feed the graph: Iterator, IteratorV2, GetNext
  std::vector<std::string> op_names;  ///< operators that FindGraphOptions::op means, the first
  std::vector<size_t> dumps;          ///< its dumps, as indices of FoundGraphs::dumps
  /// Where there is none on its own device: the devices with a dump of this name.
  std::vector<std::string> other_devices;
  uint64_t dumped = 0;                     ///< operators with a file
  uint64_t expected = 0;                   ///< without one, as the vendor says of their kind
  uint64_t missing = 0;                    ///< without one, and nothing says why
  std::vector<std::string> missing_names;  ///< "type name" of the first of these
};

struct FoundGraphs {
  /// The best first for each process and device: a folder of the dump is called like it, it is fed
  /// by an iterator, more of its operators were dumped, it is larger.
  std::vector<GraphCandidate> graphs;
  std::vector<ModelDump> dumps;
  std::vector<std::string> unread;  ///< files and folders
  size_t left_out = 0;              ///< graphs without an operator that is asked for

  /// The best of each process and device.
  std::vector<const GraphCandidate*> Best() const;
  /// True if another graph of the same process and device fits as well as `best`.
  bool HasRival(const GraphCandidate& best) const;
};

/// Operators that never leave a file: they do not run on a device (TensorFlow dump guide).
bool LeavesNoFile(const GraphOp& op);

Result<FoundGraphs> FindGraph(const FindGraphOptions& options);

}  // namespace transplt
