// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/file_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace transplt {
namespace {

using testing::HasSubstr;

TEST(BudgetMeter, IsSpentByAByteMoreThanTheLimit) {
  BudgetMeter meter({.bytes = 10, .nodes = 0, .seconds = 0});
  EXPECT_FALSE(meter.IsSpentByBytes(10));
  EXPECT_FALSE(meter.spent());
  EXPECT_TRUE(meter.IsSpentByBytes(11));
  EXPECT_THAT(meter.Reason().en, HasSubstr("11 bytes, more than the limit of 10"));
  EXPECT_THAT(meter.Reason().en, HasSubstr("--max-file-bytes 0"));
  EXPECT_THAT(meter.Reason().zh, HasSubstr("--max-file-bytes 0"));
}

TEST(BudgetMeter, StaysSpent) {
  BudgetMeter meter({.bytes = 10, .nodes = 10, .seconds = 0});
  EXPECT_TRUE(meter.IsSpentByNodes(11));
  EXPECT_TRUE(meter.IsSpent());
  EXPECT_TRUE(meter.IsSpentByBytes(1));
  EXPECT_THAT(meter.Reason().en, HasSubstr("--max-file-nodes 0"));
}

TEST(BudgetMeter, HasNoLimitWhereItIsZero) {
  BudgetMeter meter({.bytes = 0, .nodes = 0, .seconds = 0});
  EXPECT_FALSE(meter.IsSpentByBytes(uint64_t{1} << 40U));
  EXPECT_FALSE(meter.IsSpentByNodes(uint64_t{1} << 40U));
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(meter.IsSpent());
  EXPECT_TRUE(meter.Reason().empty());
}

TEST(BudgetMeter, IsSpentByTheProcessorTimeOfItsThread) {
  BudgetMeter meter({.bytes = 0, .nodes = 0, .seconds = 1});
  while (!meter.IsSpent()) {
  }
  EXPECT_FALSE(meter.is_cancelled());
  EXPECT_THAT(meter.Reason().en, HasSubstr("more than 1 seconds"));
}

TEST(BudgetMeter, IsSpentWhenTheRunIsCancelled) {
  std::atomic<bool> cancelled = false;
  BudgetMeter meter({}, &cancelled);
  EXPECT_FALSE(meter.IsSpent());
  cancelled = true;
  EXPECT_TRUE(meter.IsSpent());
  EXPECT_TRUE(meter.is_cancelled());
}

}  // namespace
}  // namespace transplt
