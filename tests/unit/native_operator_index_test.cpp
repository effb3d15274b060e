// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "transplt/native/operator_index.h"

namespace transplt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

NativeFunction Function(const std::string& name, std::set<std::string> calls) {
  return {name, "", {}, false, std::move(calls)};
}

NativeBinding Bound(const std::string& name, const std::string& function) {
  return {name, function, {}};
}

TEST(OperatorIndex, FollowsCallsToKernelsOfOtherSources) {
  NativeSource binding;
  binding.bindings = {Bound("nms", "ops::nms")};
  binding.functions = {Function("ops::nms", {"nms_cuda", "nms_cpu"}),
                       Function("ops::nms_cpu", {"sort"})};
  NativeSource host;
  host.functions = {Function("ops::nms_cuda", {"nms_kernel"})};
  host.kernels = {{"nms_kernel", {}, {}, {"kernel"}}};
  const OperatorIndex index({&binding, &host});
  ASSERT_THAT(index.operators(), SizeIs(1));
  EXPECT_THAT(index.operators()[0].kernels, ElementsAre("nms_kernel"));
  EXPECT_EQ(index.operators()[0].cpu_function, "nms_cpu");
}

TEST(OperatorIndex, FollowsTheBodyOfALambda) {
  NativeSource source;
  source.bindings = {Bound("add", "")};
  source.bindings[0].names = {"add_cuda", "x"};
  source.functions = {Function("add_cuda", {"add_kernel"})};
  source.kernels = {{"add_kernel", {}, {}, {}}};
  EXPECT_THAT(OperatorIndex({&source}).operators()[0].kernels, ElementsAre("add_kernel"));
}

TEST(OperatorIndex, FollowsWhatMacrosRegister) {
  NativeSource source;
  source.bindings = {Bound("nms", "nms")};
  source.functions = {Function("nms", {"nms_impl"}), Function("nms_impl", {}),
                      Function("nms_cuda", {"nms_kernel"})};
  source.kernels = {{"nms_kernel", {}, {}, {}}};
  source.links = {{"nms_impl", "CUDA", "nms_cuda"}};
  EXPECT_THAT(OperatorIndex({&source}).operators()[0].kernels, ElementsAre("nms_kernel"));
}

TEST(OperatorIndex, TakesAFunctionThatReachesAKernelForNoneOfTheCpu) {
  NativeSource source;
  source.bindings = {Bound("f", "f")};
  source.functions = {Function("f", {"copy_to_cpu"}), Function("copy_to_cpu", {"k"})};
  source.kernels = {{"k", {}, {}, {}}};
  EXPECT_EQ(OperatorIndex({&source}).operators()[0].cpu_function, "");
}

TEST(OperatorIndex, ReadsTwoBindingsOfOneNameAsOneOperator) {
  NativeSource source;
  source.bindings = {Bound("nms", ""), Bound("nms", "nms_cuda")};
  source.functions = {Function("nms_cuda", {"k"})};
  source.kernels = {{"k", {}, {}, {}}};
  const OperatorIndex index({&source});
  ASSERT_THAT(index.operators(), SizeIs(1));
  EXPECT_EQ(index.operators()[0].function, "nms_cuda");
  EXPECT_THAT(index.operators()[0].kernels, ElementsAre("k"));
}

TEST(OperatorIndex, EndsWhereFunctionsCallEachOther) {
  NativeSource source;
  source.bindings = {Bound("f", "f")};
  source.functions = {Function("f", {"g"}), Function("g", {"f"})};
  EXPECT_THAT(OperatorIndex({&source}).operators()[0].kernels, IsEmpty());
}

TEST(OperatorElsewhere, IsThatOfBoxesWithAnAngleBesideOperatorsOnSuchBoxes) {
  EXPECT_EQ(OperatorElsewhere("nms_gpu"), "torchvision.ops.nms");
  EXPECT_EQ(OperatorElsewhere("nms_gpu", {{"boxes_iou_bev_gpu", "", {}, ""}}), "mx_driving.nms3d");
  EXPECT_EQ(OperatorElsewhere("nms_gpu", {{"roi_align_cuda", "", {}, ""}}), "torchvision.ops.nms");
}

}  // namespace
}  // namespace transplt
