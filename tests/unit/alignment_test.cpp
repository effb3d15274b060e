// SPDX-License-Identifier: Apache-2.0
#include "transplt/compare/alignment.h"

#include <gmock/gmock.h>

#include "transplt/dump/tensor_name.h"

namespace transplt {
namespace {

using testing::ElementsAre;

Dump DumpOf(const std::vector<std::string>& names, const std::string& folder = "") {
  Dump dump;
  for (const std::string& name : names) {
    DumpedTensor tensor;
    tensor.name = name;
    tensor.folder = folder;
    dump.tensors.push_back(tensor);
  }
  return dump;
}

/// "name in A = name in B", with "-" for none.
std::vector<std::string> Pairs(const Dump& a, const Dump& b) {
  std::vector<std::string> pairs;
  for (const TensorPair& pair : Align(a, b, {})) {
    pairs.push_back((pair.a ? a.tensors[*pair.a].name : "-") + " = " +
                    (pair.b ? b.tensors[*pair.b].name : "-"));
  }
  return pairs;
}

TEST(Align, PairsTensorsOfOneNameInTheOrderOfTheGoldenDump) {
  EXPECT_THAT(Pairs(DumpOf({"c", "a", "x"}), DumpOf({"a", "b", "c"})),
              ElementsAre("a = a", "- = b", "c = c", "x = -"));
}

TEST(Align, PairsRepeatedNamesOneAfterTheOther) {
  const Dump twice = DumpOf({"a", "a"});
  const std::vector<TensorPair> pairs = Align(twice, twice, {});
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].a, 0U);
  EXPECT_EQ(pairs[1].a, 1U);
}

TEST(Align, KeepsFoldersApart) {
  Dump a = DumpOf({"t"}, "step0");
  a.tensors.push_back(DumpOf({"t"}, "step1").tensors[0]);
  Dump b = DumpOf({"t"}, "step1");
  b.tensors.push_back(DumpOf({"u"}, "step2").tensors[0]);
  EXPECT_THAT(Pairs(a, b), ElementsAre("t = -", "t = t", "- = u"));
}

TEST(Align, TakesTheOnlyProcessOfEachStepForTheSame) {
  const auto dump = [](const std::vector<std::string>& folders) {
    Dump dump;
    for (const std::string& folder : folders) {
      dump.tensors.push_back(DumpOf({"t" + folder.substr(4, 1)}, folder).tensors[0]);
    }
    return dump;
  };
  EXPECT_THAT(Pairs(dump({"step0/rank0", "step1/rank0"}), dump({"step0/proc7", "step1/proc9"})),
              ElementsAre("t0 = t0", "t1 = t1"));
  EXPECT_EQ(Pairs(dump({"step0/rank0", "step1/rank0"}),
                  dump({"step0/proc7", "step0/proc8", "step1/proc9"}))
                .size(),
            5U);
}

TEST(Align, KnowsArgumentsThatAreCalledDifferently) {
  EXPECT_THAT(
      Pairs(DumpOf({"NpuBatchNorm/1/input/self"}), DumpOf({"CudnnBatchNorm/1/input/input"})),
      ElementsAre("NpuBatchNorm/1/input/self = CudnnBatchNorm/1/input/input"));
}

TEST(Align, DoesNotPairOperationsOfOtherKindsOrShapes) {
  EXPECT_THAT(
      Pairs(DumpOf({"Torch_relu_1_forward_output.0"}), DumpOf({"Torch_add_1_forward_output.0"})),
      ElementsAre("- = Torch_add_1_forward_output.0", "Torch_relu_1_forward_output.0 = -"));
  Dump a = DumpOf({"Torch_relu_1_forward_output.0"});
  Dump b = DumpOf({"Torch_relu_2_forward_output.0"});
  b.tensors[0].shape = {2};
  EXPECT_EQ(Pairs(a, b).size(), 2U);
}

TEST(TensorName, IsTakenApartWhateverToolWroteIt) {
  const auto split = [](std::string_view text) {
    const TensorName name = SplitTensorName(text);
    return name.op + "|" + std::string(NameOf(name.role)) + "|" + name.slot;
  };
  EXPECT_EQ(split("Torch_relu_0_forward_output.0"), "Torch_relu_0_forward|output|output.0");
  EXPECT_EQ(split("Functional.add.0.forward.input.1.2"),
            "Functional.add.0.forward|input|input.1.2");
  EXPECT_EQ(split("Module.input_layer.Linear.forward.0.output.0"),
            "Module.input_layer.Linear.forward.0|output|output.0");
  EXPECT_EQ(split("Default--Conv-op1_input_0"), "Default--Conv-op1|input|input.0");
  EXPECT_EQ(split("Conv/3/output/self"), "Conv/3|output|output.self");
  EXPECT_EQ(split("Conv/3/input/output"), "Conv/3|input|input.output");
  EXPECT_EQ(split("Module.fc.Linear.parameters_grad.weight"),
            "Module.fc.Linear|other|parameters.grad.weight");
  EXPECT_EQ(split("Module.fc.Linear.forward.0.parameters.input_weight"),
            "Module.fc.Linear.forward.0|parameter|parameters.input.weight");
  EXPECT_EQ(split("Module.parameters.Linear.forward.0.input.0"),
            "Module.parameters.Linear.forward.0|input|input.0");
  EXPECT_EQ(split("conv1"), "conv1|other|");
}

TEST(TensorName, LosesOnlyWhatDiffersBetweenRuns) {
  EXPECT_EQ(NeutralOp("Conv2D.conv1.3.1.1589195081588018"),
            NeutralOp("Conv2D.conv1.7.1599999999999"));
  EXPECT_NE(NeutralOp("Conv2D.conv1.3.1.1589195081588018"),
            NeutralOp("Conv2D.conv2.3.1.1589195081588018"));
  EXPECT_EQ(NeutralOp("NpuConvolution/1"), NeutralOp("CudnnConvolution/1"));
  EXPECT_NE(NeutralOp("Torch_relu_0"), NeutralOp("Torch_relu_1"));
}

TEST(TensorName, IsSortedWithNumbersAsNumbers) {
  EXPECT_TRUE(NaturalLess("conv2", "conv10"));
  EXPECT_TRUE(NaturalLess("conv", "conv1"));
  EXPECT_FALSE(NaturalLess("conv10", "conv2"));
  EXPECT_FALSE(NaturalLess("a", "a"));
  EXPECT_TRUE(NaturalLess("a1", "a01") || NaturalLess("a01", "a1"));
}

}  // namespace
}  // namespace transplt
