// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "transplt/native/stand_ins.h"

namespace transplt {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using Answer = ModuleStandIns::Answer;
using Reach = NativeFunction::Reach;

NativeFunction SharedFunction(const std::string& name, std::set<std::string> calls = {}) {
  NativeFunction function;
  function.name = name;
  function.calls = std::move(calls);
  function.reach = Reach::kShared;
  function.result = "at::Tensor";
  function.parameters = {{"const at::Tensor &", "boxes"}, {"float", "threshold"}};
  return function;
}

/// nms of ops.cpp chooses between nms_cpu of the same file and nms_cuda of a CUDA source.
struct Module {
  Module() {
    host.path = "src/ops.cpp";
    host.functions = {SharedFunction("nms", {"nms_cuda", "nms_cpu"}), SharedFunction("nms_cpu")};
    host.bindings = {{"nms", "nms", {}}};
    device.path = "src/nms.cu";
    device.functions = {SharedFunction("nms_cuda", {"nms_kernel"})};
    device.kernels = {{"nms_kernel", {}, {}, {}}};
  }
  ModuleStandIns Made() const { return MakeStandIns({&host, &device}, "_stand_in.cc"); }
  std::string Text() const {
    const ModuleStandIns made = Made();
    EXPECT_THAT(made.sources, SizeIs(1)) << made.refusal.en;
    return made.sources.empty() ? "" : made.sources.front().text;
  }
  NativeFunction& twin() { return host.functions[1]; }
  NativeFunction& function() { return device.functions[0]; }

  NativeSource host;
  NativeSource device;
};

TEST(StandIns, CallTheTwinThatTheProjectChooses) {
  const Module module;
  const ModuleStandIns made = module.Made();
  ASSERT_THAT(made.sources, SizeIs(1));
  EXPECT_EQ(made.sources[0].path, "src/nms_stand_in.cc");
  EXPECT_EQ(made.sources[0].replaces, "src/nms.cu");
  EXPECT_THAT(made.sources[0].text,
              HasSubstr("at::Tensor nms_cuda(const at::Tensor &boxes, float threshold) {\n"));
  EXPECT_THAT(made.sources[0].text, HasSubstr("nms_cpu(boxes_on_cpu, threshold)"));
  EXPECT_EQ(made.operators.at("nms"), Answer::kOnCpu);
}

TEST(StandIns, RaiseAnErrorThatNamesTheOperatorWithoutATwin) {
  Module module;
  module.host.functions.pop_back();
  EXPECT_THAT(module.Text(), HasSubstr("\"nms: nms_cuda of src/nms.cu is written for CUDA "
                                       "(kernels: nms_kernel)"));
  EXPECT_EQ(module.Made().operators.at("nms"), Answer::kFails);
}

TEST(StandIns, TakeNoTwinThatOnlyRaisesAnError) {
  Module module;
  module.twin().only_fails = true;
  EXPECT_EQ(module.Made().operators.at("nms"), Answer::kFails);
}

TEST(StandIns, TakeNoTwinWithOtherTypes) {
  Module module;
  module.twin().parameters[1].type = "double";
  EXPECT_EQ(module.Made().operators.at("nms"), Answer::kFails);
}

TEST(StandIns, TakeNoTwinWithAnotherResult) {
  Module module;
  module.twin().result = "std::vector<at::Tensor>";
  EXPECT_EQ(module.Made().operators.at("nms"), Answer::kFails);
}

TEST(StandIns, TakeNoTwinWhoseParametersStandInAnotherOrder) {
  Module module;
  module.function().parameters = {{"at::Tensor", "boxes"}, {"at::Tensor", "scores"}};
  module.twin().parameters = {{"at::Tensor", "scores"}, {"at::Tensor", "boxes"}};
  EXPECT_EQ(module.Made().operators.at("nms"), Answer::kFails);
}

TEST(StandIns, TakeNoTwinThatNothingChoosesBetween) {
  Module module;
  module.host.functions[0].calls = {"nms_cuda"};
  module.host.bindings.push_back({"nms_cpu", "nms_cpu", {}});
  EXPECT_EQ(module.Made().operators.at("nms"), Answer::kFails);
  EXPECT_EQ(module.Made().operators.at("nms_cpu"), Answer::kOwn);
}

TEST(StandIns, TakeNoTwinThatNeedsTheCudaSourceItself) {
  Module module;
  module.twin().calls = {"nms_cuda"};
  EXPECT_EQ(module.Made().operators.at("nms"), Answer::kFails);
}

TEST(StandIns, GiveNoPointersOfADeviceToTheCpu) {
  Module module;
  module.function().parameters[0].type = module.twin().parameters[0].type = "const float *";
  EXPECT_EQ(module.Made().operators.at("nms"), Answer::kFails);
  EXPECT_THAT(module.Text(), Not(HasSubstr("nms_cpu")));
}

TEST(StandIns, FindATwinOfADeviceByWhatMacrosRegister) {
  Module module;
  module.host.functions[0].calls = {"nms_impl"};
  module.host.links = {{"nms_impl", "CUDA", "nms_cuda"}, {"nms_impl", "CPU", "nms_cpu"}};
  EXPECT_THAT(module.Text(), HasSubstr("nms_cpu(boxes_on_cpu"));
}

TEST(StandIns, PutNewTensorsIntoReferences) {
  Module module;
  module.function().parameters[0].type = module.twin().parameters[0].type = "at::Tensor &";
  EXPECT_THAT(module.Text(), HasSubstr("Assign(boxes, boxes_on_cpu);"));
}

TEST(StandIns, StandInNamespaces) {
  Module module;
  module.function().name = "ops::gpu::nms_cuda";
  const std::string text = module.Text();
  EXPECT_THAT(text, HasSubstr("namespace ops {\nnamespace gpu {\nat::Tensor nms_cuda("));
  EXPECT_THAT(text, HasSubstr("}  // namespace gpu\n}  // namespace ops\n"));
}

TEST(StandIns, NameParametersThatHaveNone) {
  Module module;
  module.function().parameters[1].name = "";
  EXPECT_THAT(module.Text(), HasSubstr("float argument_2) {"));
}

TEST(StandIns, SayNothingMoreThanTheNameOfAFile) {
  Module module;
  module.host.functions.pop_back();
  module.device.path = "src/a\n#error \"b\".cu";
  EXPECT_THAT(module.Text(), HasSubstr("// Written by transplt: stands in for a?#error \"b\".cu,"));
  EXPECT_THAT(module.Text(), HasSubstr("src/a\\?#error \\\"b\\\".cu is written for CUDA"));
}

TEST(StandIns, LeaveWhatOnlyTheCudaSourceUses) {
  Module module;
  module.device.functions.push_back(SharedFunction("helper"));
  EXPECT_THAT(module.Text(), Not(HasSubstr("helper")));
}

TEST(StandIns, AreRefusedForWhatTheyCannotDefine) {
  Module module;
  module.function().reach = Reach::kTemplate;
  EXPECT_THAT(module.Made().refusal.en, HasSubstr("is a template"));
  module.function().reach = Reach::kMember;
  EXPECT_THAT(module.Made().refusal.en, HasSubstr("belongs to a class"));
  module.function().reach = Reach::kShared;
  module.function().own_type = "Box";
  EXPECT_THAT(module.Made().refusal.en, HasSubstr("the type Box"));
  EXPECT_THAT(module.Made().sources, IsEmpty());
}

TEST(StandIns, DefineWhatAnotherNamespaceHasToo) {
  Module module;
  module.host.functions[0].calls = {"nms"};
  module.function().name = "cuda::nms";
  EXPECT_THAT(module.Text(), Not(HasSubstr("nms(const")));
  module.host.undefined = {"cuda::nms"};
  EXPECT_THAT(module.Text(), HasSubstr("namespace cuda {\nat::Tensor nms(const"));
}

TEST(StandIns, AreRefusedForVariablesOfACudaSource) {
  Module module;
  module.host.undefined = {"nms_cuda", "ops::limit"};
  module.device.variables = {"ops::limit"};
  EXPECT_THAT(module.Made().refusal.en,
              HasSubstr("src/ops.cpp uses the variable ops::limit of src/nms.cu"));
}

TEST(StandIns, AreRefusedForWhatNoSourceDefines) {
  Module module;
  module.host.undefined = {"nms_cuda", "nms_lost"};
  EXPECT_THAT(module.Made().refusal.en, HasSubstr("src/ops.cpp uses nms_lost, which none"));
}

TEST(StandIns, AreRefusedForKernelsInHeadersThatStay) {
  Module module;
  NativeSource header;
  header.path = "src/common.cuh";
  header.kernels = {{"fill", {}, {}, {}}};
  module.host.includes = {"common.cuh"};
  EXPECT_THAT(MakeStandIns({&module.host, &module.device, &header}, "_x.cc").refusal.en,
              HasSubstr("src/common.cuh"));
  module.host.includes = {};
  module.device.includes = {"common.cuh"};
  EXPECT_EQ(MakeStandIns({&module.host, &module.device, &header}, "_x.cc").refusal.en, "");
}

TEST(StandIns, AreRefusedForBindingsInACudaSource) {
  Module module;
  module.device.bindings = {{"fill", "fill", {}}};
  EXPECT_THAT(module.Made().refusal.en, HasSubstr("src/nms.cu itself offers"));
}

}  // namespace
}  // namespace transplt
