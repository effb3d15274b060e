// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/file_budget.h"

#include <ctime>

namespace transplt {
namespace {

/// Processor time of this thread: other programs on the machine must not decide about a file.
double ThreadSeconds() {
  timespec time{};
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

BudgetMeter::BudgetMeter(const FileBudget& budget, const std::atomic<bool>* cancelled)
    : budget_(budget), cancelled_(cancelled), start_(ThreadSeconds()) {}

bool BudgetMeter::Cancel() {
  spent_ = Spent::kCancelled;
  return true;
}

bool BudgetMeter::IsTimeOver() {
  if (budget_.seconds == 0) return false;
  if (ThreadSeconds() - start_ < static_cast<double>(budget_.seconds)) return false;
  spent_ = Spent::kSeconds;
  return true;
}

bool BudgetMeter::IsSpentByBytes(uint64_t bytes) {
  if (IsSpent()) return true;
  if (budget_.bytes == 0 || bytes <= budget_.bytes) return false;
  amount_ = bytes;
  spent_ = Spent::kBytes;
  return true;
}

bool BudgetMeter::IsSpentByNodes(uint64_t nodes) {
  if (IsSpent()) return true;
  if (budget_.nodes == 0 || nodes <= budget_.nodes) return false;
  amount_ = nodes;
  spent_ = Spent::kNodes;
  return true;
}

Text BudgetMeter::Reason() const {
  switch (spent_) {
    case Spent::kNothing:
      return {};
    case Spent::kCancelled:
      return Say("interrupted", "已中断");
    case Spent::kBytes:
      return Say(
          "the file has {} bytes, more than the limit of {}, so it was not looked at; to migrate "
          "it "
          "all the same: --max-file-bytes 0",
          "文件大小为 {} 字节, 超过上限 {}, 因此未处理; 如仍需迁移: --max-file-bytes 0", amount_,
          budget_.bytes);
    case Spent::kNodes:
      return Say(
          "the syntax tree of the file would have about {} nodes, more than the limit of {}, so it "
          "was not looked at; to migrate it all the same, with about 300 bytes of memory for each "
          "node: --max-file-nodes 0",
          "文件的语法树约有 {} 个节点, 超过上限 {}, 因此未处理; 如仍需迁移 (每个节点约需 300 "
          "字节内存): --max-file-nodes 0",
          amount_, budget_.nodes);
    case Spent::kSeconds:
      return Say(
          "the file took more than {} seconds, so it was left as it is; to give it more time: "
          "--max-file-seconds 0; please report it",
          "处理该文件超过 {} 秒, 因此保持原样; 如需更多时间: --max-file-seconds 0; 请反馈此问题",
          budget_.seconds);
  }
  return {};
}

}  // namespace transplt
