// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <string>
#include <vector>

#include "transplt/compare/alignment.h"
#include "transplt/compare/metrics.h"
#include "transplt/compare/tolerance.h"

namespace transplt {

enum class PairVerdict : uint8_t {
  kSame,         ///< every value is the same
  kClose,        ///< within tolerance
  kDiffers,      ///< beyond tolerance
  kShape,        ///< shapes differ
  kOnlyInA,      ///< the golden dump has no such tensor
  kOnlyInB,      ///< the tested dump has no such tensor, and should
  kNeverDumped,  ///< it has none, because such an operator never runs on the device
  kUnreadable,   ///< values that cannot be read or compared
};

/// Whether a difference begins here.
enum class DifferenceCause : uint8_t {
  kNone,
  kProducer,    ///< its inputs agree, its output does not
  kPropagator,  ///< an input differs already
  kUnknown,     ///< its inputs were not dumped, or cannot be read
  kShared,      ///< a gradient that several operations contribute to, any of which may be wrong
};

/// A pair of tensors, or one without a partner, and what came out.
struct ComparedTensor {
  const DumpedTensor* a = nullptr;
  const DumpedTensor* b = nullptr;
  MatchedBy by = MatchedBy::kNothing;
  PairVerdict verdict = PairVerdict::kUnreadable;
  DifferenceCause cause = DifferenceCause::kNone;
  bool has_values = false;      ///< `sums` and `metrics` are of all values
  bool has_statistics = false;  ///< only the statistics were compared
  PairSums sums;
  Metrics metrics;
  TensorStatistics statistics_a;  ///< if has_values or has_statistics
  TensorStatistics statistics_b;
  Text message;

  /// The golden one if there is one.
  const DumpedTensor& either() const {
    assert(a != nullptr || b != nullptr);
    return b != nullptr ? *b : *a;
  }
};

/// An argument that is no tensor, and the one of the other dump, if it has one of that name.
struct ComparedArgument {
  const DumpedArgument* a = nullptr;
  const DumpedArgument* b = nullptr;

  const DumpedArgument& either() const {
    assert(a != nullptr || b != nullptr);
    return b != nullptr ? *b : *a;
  }
  /// True for values that are not the same; devices never are.
  bool Differs() const;
};

/// True for values or shapes that are not the same; not for what is missing or unreadable.
bool Differs(const ComparedTensor& row);

struct CompareOptions {
  Tolerance tolerance;
  bool divergence = true;  ///< the Kullback-Leibler divergence, which takes a second pass
  std::string mapping;     ///< a file of names, or ""
  std::string graph;       ///< a *_Build.txt that tells which operators never run, or ""
};

struct Comparison {
  Dump a;
  Dump b;
  std::vector<ComparedTensor> rows;
  /// They tell why tensors differ, and are no rows: what they do shows in the tensors.
  std::vector<ComparedArgument> arguments;
  std::vector<std::string> unknown_names;  ///< of the mapping, which neither dump has
  Tolerance tolerance;
  /// Index of the first row that differs, and of the first producer; -1 for none.
  int64_t first_difference = -1;
  int64_t first_producer = -1;

  uint64_t Count(PairVerdict verdict) const;
  /// Everything agrees: nothing differs, nothing is missing, everything could be read.
  bool Agrees() const;
};

/// Compares the tested dump with the golden one, on all processors. Memory does not grow with the
/// size of tensors.
Result<Comparison> Compare(const std::string& tested, const std::string& golden,
                           const CompareOptions& options);

std::string_view NameOf(PairVerdict verdict);
std::string_view NameOf(DifferenceCause cause);
std::string_view NameOf(MatchedBy by);

}  // namespace transplt
