// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/distributed/training_text.h"

namespace transplt {

/// How a value that one process computes from its part of a batch relates to that of the whole.
enum class Share : uint8_t {
  kUnknown,
  kSame,     ///< it does not depend on the batch, or is that of the whole already
  kMean,     ///< a mean over the samples: the mean over the processes is that of the whole
  kSum,      ///< a sum over the samples, or their number: so is the sum over the processes
  kInverse,  ///< one divided by such a number
  kEach,     ///< a value for each sample
};

/// Answers it for the expressions of a training. A dimension analysis: sums divided by sums are
/// means, means multiplied by sums are sums.
class BatchShare {
 public:
  BatchShare(const ProgramText& text, const MultiCardCalls& known, const TrainingText& training);

  Share Of(Node expression) const {
    steps_ = 0;
    return Of(expression, false, 0);
  }
  bool DependsOnBatch(Node expression) const {
    const Share share = Of(expression);
    return share != Share::kSame && share != Share::kUnknown;
  }
  /// True if the share of a loss follows from the text; else a mean is taken for it.
  bool IsCertain(Node loss) const;
  /// What the program does with this value uses that of the whole batch.
  void NoteWhole(Node expression) { whole_.insert(expression); }

 private:
  /// `is_stored`: the expression is what a variable was given: numbers are those of the whole
  /// there.
  Share Of(Node expression, bool is_stored, int depth) const;
  Share OfCall(Node call, bool is_stored, int depth) const;
  Share OfLibrary(const std::vector<std::string>& names, Share arguments) const;
  Share OfMethod(Node call, std::string_view method, Share object, int depth) const;
  Share OfReduction(Node call, Share object, Share whole, bool is_method) const;
  Share OfLoss(Node call, Node made) const;
  Share OfName(Node expression, int depth) const;
  Share OfSlot(const std::string& slot, int depth) const;
  Share OfBinary(Node expression, bool is_stored, int depth) const;
  Share OfPart(Node value, size_t index, int depth) const;
  std::optional<Share> OfReturns(Node call, size_t index, int depth) const;
  Share OfSubscript(Node expression, bool is_stored, int depth) const;
  Share OfArguments(Node call, int depth) const;
  Node MadeBy(Node callee) const;
  void AddItems(const DataLoop& loop);

  const ProgramText& text_;
  const MultiCardCalls& known_;
  const TrainingText& training_;
  std::set<std::string> items_;   // slots that hold a batch
  std::set<std::string> losses_;  // slots of which gradients are computed
  mutable bool assumes_ = true;   // that these hold means
  NodeSet whole_;
  mutable int steps_ = 0;               // of one question
  mutable std::set<std::string> open_;  // slots that are being looked at
};

}  // namespace transplt
