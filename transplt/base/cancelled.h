// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "transplt/base/result.h"

namespace transplt {

/// What work asks that a person may end: true once the flag is set. A null flag never is. Quick
/// enough to be asked for every node of a tree.
inline bool IsCancelled(const std::atomic<bool>* cancelled) {
  return cancelled != nullptr && cancelled->load(std::memory_order_relaxed);
}

/// Why a run that was ended before it had written anything has no result.
inline Error CancelledError() {
  return Error{Error::Code::kUsage, "",
               Say("interrupted; nothing was written", "已中断; 未写任何文件")};
}

}  // namespace transplt
