// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "transplt/dump/read_dump.h"

namespace transplt {

/// How a tensor was found in the other dump.
enum class MatchedBy : uint8_t { kNothing, kName, kMapping, kNeutralName, kSequence };

struct TensorPair {
  std::optional<size_t> a;  ///< index of the tensor in the tested dump
  std::optional<size_t> b;  ///< in the golden one
  MatchedBy by = MatchedBy::kNothing;
};

/// Names that belong together though they differ: of whole tensors, or of operations.
struct NameMapping {
  std::vector<std::pair<std::string, std::string>> names;  ///< tested, golden
};

/// Reads lines "tested,golden"; a line without a comma or with an empty side is refused.
Result<NameMapping> ReadNameMapping(const std::string& path);

/// Names that `mapping` gives and the dump on that side has neither as tensor nor as operation.
std::vector<std::string> UnknownNames(const Dump& a, const Dump& b, const NameMapping& mapping);

/// What the folders of a dump are called whatever the run: by the name in the dump.
using FolderNames = std::map<std::string, std::string>;

/// The names for the folders of `a` and of `b`. They are without times and versions; without the
/// process ("rank0", "proc4711") where no step of either dump has two; and all the same where each
/// dump has one folder.
std::pair<FolderNames, FolderNames> NeutralFolders(const Dump& a, const Dump& b);

/// Which tensor of `a` belongs to which of `b`. Every tensor is in exactly one pair. By equal
/// names; by the mapping; results of TensorFlow by the output that a fused operator took over; by
/// names without what differs between devices and runs (Npu, Cuda, task
/// numbers, time stamps); and what is left by the sequence of operations of the same kind, slot
/// and shape. Pairs come in the order of the golden dump, with those it lacks where they ran.
std::vector<TensorPair> Align(const Dump& a, const Dump& b, const NameMapping& mapping);

}  // namespace transplt
