// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/served_devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/guard_signatures.h"
#include "tests/unit/parsed_file.h"

namespace transplt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// The calls, by their text, that belong to one side of a choice between CUDA and the NPU.
std::vector<std::string> Sides(const std::string& code) {
  const ParsedFile file(code);
  const GuardSignatures signatures = SignaturesForTests();
  const ServedDevices served(file.tree(), signatures);
  std::vector<std::string> sides;
  for (uint32_t id = 0; id < file.tree().size(); ++id) {
    const Node node = file.tree().node(id);
    if (node.Is(NodeKind::kCall) && served.EvidenceFor(node)) sides.emplace_back(node.text());
  }
  return sides;
}

bool HasChoice(const std::string& code) {
  const ParsedFile file(code);
  const GuardSignatures signatures = SignaturesForTests();
  return static_cast<bool>(ServedDevices(file.tree(), signatures).FirstChoice());
}

TEST(ServedDevices, BothBranchesOfAChoiceBelongToIt) {
  EXPECT_THAT(Sides("if cuda:\n    a()\nelif npu:\n    b()\nc()\n"), ElementsAre("a()", "b()"));
}

TEST(ServedDevices, WhatIsNotForTheNpuIsNot) {
  EXPECT_THAT(Sides("if not is_npu:\n    a()\nb()\n"), ElementsAre("a()"));
}

TEST(ServedDevices, WhatFollowsAReturnForTheNpuIsForOthers) {
  EXPECT_THAT(Sides("def f():\n    if is_npu:\n        return 1\n    a()\n"), ElementsAre("a()"));
  EXPECT_THAT(Sides("def f():\n    if is_npu:\n        log = 1\n    a()\n"), IsEmpty());
}

TEST(ServedDevices, QuestionsThatFollowOneAnotherAreSides) {
  EXPECT_THAT(Sides("def f():\n    if has_cuda():\n        return a()\n    # else\n"
                    "    if has_npu():\n        return b()\n    return c()\n"),
              ElementsAre("has_cuda()", "a()", "has_npu()", "b()", "c()"));
  EXPECT_THAT(Sides("if has_cuda():\n    a()\nc()\nif has_npu():\n    b()\n"),
              ElementsAre("has_npu()", "b()"));
}

TEST(ServedDevices, ClassesThatDifferInTheDeviceAreSides) {
  EXPECT_THAT(Sides("class CudaDevice:\n    def f(self):\n        a()\n"
                    "class NpuDevice:\n    def f(self):\n        b()\n"
                    "class Other:\n    def f(self):\n        c()\n"),
              ElementsAre("a()", "b()"));
  EXPECT_THAT(Sides("class CUDAWorker:\n    x = a()\nclass NPUWorker:\n    x = 1\n"),
              ElementsAre("a()"));
}

TEST(ServedDevices, ClassesOfOtherNamesAreNone) {
  EXPECT_THAT(Sides("class CudaDevice:\n    x = a()\nclass NpuStream:\n    x = 1\n"), IsEmpty());
}

TEST(ServedDevices, ConstantsAndFunctionsAreSidesToo) {
  EXPECT_THAT(Sides("NCCL_BACKEND = a()\nHCCL_BACKEND = b()\nOTHER = c()\n"),
              ElementsAre("a()", "b()"));
  EXPECT_THAT(Sides("def is_cuda_there():\n    a()\ndef is_npu_there():\n    b()\n"),
              ElementsAre("a()", "b()"));
}

TEST(ServedDevices, EntriesOfATableAreSides) {
  EXPECT_THAT(Sides("t = {'cuda': a(), 'npu': b(), 'cpu': c()}\n"), ElementsAre("a()", "b()"));
}

TEST(ServedDevices, OperandsAreSides) {
  EXPECT_THAT(Sides("ok = has_cuda() or has_npu()\n"), ElementsAre("has_cuda()", "has_npu()"));
}

TEST(ServedDevices, ListsOfDevicesThatAreAddedUpAreSides) {
  EXPECT_THAT(Sides("d = set([c()] + [f'cuda:{i}' for i in a()] + [f'npu:{i}' for i in b()])\n"),
              ElementsAre("a()"));
  EXPECT_THAT(Sides("d = [f'cuda:{i}' for i in a()] + [f'cpu:{i}' for i in b()]\n"), IsEmpty());
}

TEST(ServedDevices, WordsThatOnlyLookLikeItAreNone) {
  EXPECT_THAT(Sides("if input:\n    a()\nelif INPUTS:\n    b()\n"), IsEmpty());
}

TEST(ServedDevices, CommentsAndProseAreNone) {
  EXPECT_THAT(Sides("if x == 'not for npu users':  # npu\n    a()\n"), IsEmpty());
}

TEST(ServedDevices, AWordThatTheNpuSharesShowsNothingBesideTheOtherDevice) {
  EXPECT_THAT(Sides("if backend == 'nccl':\n    a()\nelif backend == 'hccl':\n    to('hpu')\n"),
              IsEmpty());
  EXPECT_FALSE(
      HasChoice("import habana_frameworks.torch\n"
                "b = 'nccl' if cuda else 'hccl' if hpu else 'gloo'\n"));
  EXPECT_TRUE(HasChoice("b = 'nccl' if cuda else 'hccl' if npu or hpu else 'gloo'\n"));
  EXPECT_TRUE(HasChoice("b = 'nccl' if cuda else 'hccl'\n"));
}

TEST(ServedDevices, ASecondNameForWhatServesCudaIsNoChoice) {
  EXPECT_FALSE(HasChoice("class A:\n    def cuda(self):\n        return self\n    npu = cuda\n"));
  EXPECT_TRUE(
      HasChoice("class A:\n    def cuda(self):\n        a()\n    def npu(self):\n"
                "        b()\n"));
}

TEST(ServedDevices, EntriesOfATableOfDevicesAreSidesWithWhatOnlyTheyName) {
  EXPECT_THAT(Sides("def a():\n    x()\ndef b():\n    y()\n"
                    "T = [S(name='cuda', f=a), S(name='npu', f=b), S(name='other', f=b)]\n"),
              ElementsAre("x()", "S(name='cuda', f=a)", "S(name='other', f=b)"));
  EXPECT_THAT(Sides("T = [S(name='cuda'), R(name='npu')]\n"), IsEmpty());
  EXPECT_THAT(Sides("T = [S(name='one'), S(name='two', f=npu(cuda))]\n"), IsEmpty());
}

TEST(ServedDevices, ANameForTheNpuAloneIsNoChoice) {
  EXPECT_FALSE(HasChoice("def f(x):\n    is_npu = x.device.type == \"npu\"\n    cuda(is_npu)\n"));
  EXPECT_TRUE(HasChoice("is_npu = has(\"npu\")\nis_cuda = has(\"cuda\")\n"));
}

TEST(ServedDevices, AReturnForTheNpuAboveWhatIsForCudaIsAChoice) {
  EXPECT_TRUE(HasChoice("def f():\n    if is_npu:\n        return 1\n    return cuda()\n"));
  EXPECT_FALSE(HasChoice("def f():\n    if is_npu:\n        return 1\n    return host()\n"));
  EXPECT_FALSE(HasChoice("def f():\n    if is_npu:\n        log = 1\n    return cuda()\n"));
}

TEST(ServedDevices, AnImportForTheNpuIsNoChoice) {
  EXPECT_FALSE(HasChoice("if npu_there:\n    import torch_npu\n"));
  EXPECT_TRUE(HasChoice("d = 'npu' if npu_there else 'cuda'\n"));
  EXPECT_TRUE(HasChoice("if cuda:\n    d = 'cuda'\nelse:\n    d = 'npu'\n"));
}

TEST(WithoutDevice, ReplacesWordsInNames) {
  EXPECT_EQ(WithoutDevice("NPUAccelerator", {"npu"}), "*accelerator");
  EXPECT_EQ(WithoutDevice("is_npu_available", {"npu"}), "is_*_available");
  EXPECT_EQ(WithoutDevice("MyNpu", {"npu"}), "my*");
  EXPECT_EQ(WithoutDevice("input_npus", {"npu"}), std::nullopt);
}

}  // namespace
}  // namespace transplt
