// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/npu_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace transplt {
namespace {

TEST(NpuNames, AreThoseOfTheVersion) {
  const Result<NpuNames> old_names = NpuNames::Of("2.1.0");
  const Result<NpuNames> new_names = NpuNames::Of("2.13");
  ASSERT_TRUE(old_names && new_names);
  EXPECT_EQ(old_names->version(), "2.1");
  EXPECT_TRUE(old_names->Lacks("torch.npu.mstx.range_push"));
  EXPECT_FALSE(new_names->Lacks("torch.npu.mstx.range_push"));
  EXPECT_FALSE(old_names->Lacks("torch.npu.amp.autocast"));
  EXPECT_FALSE(old_names->Lacks("torch_npu.npu.amp.autocast"));
  EXPECT_TRUE(old_names->Lacks("torch_npu.npu.amp.autocats"));
}

TEST(NpuNames, OfAnUnknownVersionAreRefusedWithTheKnownOnes) {
  const Result<NpuNames> names = NpuNames::Of("2.3");
  ASSERT_FALSE(names);
  EXPECT_THAT(names.error().what.en, testing::HasSubstr("2.1"));
  EXPECT_FALSE(NpuNames::Of("2"));
}

TEST(NpuNames, AreNotMissedBeyondTheTable) {
  const Result<NpuNames> names = NpuNames::Of("2.1");
  ASSERT_TRUE(names);
  EXPECT_FALSE(names->Lacks("torch_npu.npu_fusion_attention"));
  EXPECT_FALSE(names->Lacks("torch_npu.contrib.module.X"));
  EXPECT_FALSE(names->Lacks("torch.npu.synchronize.__doc__"));
  EXPECT_FALSE(names->Lacks("torch.nowhere"));
  EXPECT_FALSE(names->Lacks("torch.npu"));
}

}  // namespace
}  // namespace transplt
