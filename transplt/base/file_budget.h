// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "transplt/base/cancelled.h"
#include "transplt/base/text.h"

namespace transplt {

/// How much the work on one file may take; 0: any amount. The defaults are far above what files
/// need that people write or programs generate: they end the work on data and on broken files that
/// would take the memory of the machine or minutes.
struct FileBudget {
  uint64_t bytes = 64'000'000;  ///< of the file
  uint64_t nodes = 24'000'000;  ///< of its syntax tree
  uint64_t seconds = 120;       ///< of one processor
};

/// Counts what the work on one file takes. Used by one thread.
class BudgetMeter {
 public:
  /// `cancelled` ends the work when it becomes true; may be null.
  explicit BudgetMeter(const FileBudget& budget, const std::atomic<bool>* cancelled = nullptr);

  /// True if the work has to end, from then on for good. Quick enough to be asked for every node.
  bool IsSpent() {
    if (spent_ != Spent::kNothing) return true;
    if (IsCancelled(cancelled_)) return Cancel();
    constexpr uint32_t kQuestionsPerLook = 64;
    return ++questions_ % kQuestionsPerLook == 0 && IsTimeOver();
  }
  /// The same, where the file is known to have so many bytes or nodes.
  bool IsSpentByBytes(uint64_t bytes);
  bool IsSpentByNodes(uint64_t nodes);

  bool spent() const { return spent_ != Spent::kNothing; }
  bool is_cancelled() const { return spent_ == Spent::kCancelled; }
  /// Why the file was left as it is, and how to have it done all the same.
  Text Reason() const;

 private:
  enum class Spent : uint8_t { kNothing, kCancelled, kBytes, kNodes, kSeconds };

  bool Cancel();
  bool IsTimeOver();

  const FileBudget budget_;
  const std::atomic<bool>* cancelled_;
  const double start_;
  uint64_t amount_ = 0;  // of what is spent
  uint32_t questions_ = 0;
  Spent spent_ = Spent::kNothing;
};

}  // namespace transplt
