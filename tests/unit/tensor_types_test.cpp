// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/tensor_types.h"

#include <gtest/gtest.h>

#include "tests/unit/parsed_file.h"

namespace transplt {
namespace {

/// The type of the first expression in `code` that follows "= " in the line `y = ...`.
ValueType TypeOfY(const std::string& code) {
  const ParsedFile file(code);
  const NameTable names(file.tree(), "file", false);
  const Classes classes(names, nullptr);
  const TensorTypes types(names, classes);
  for (uint32_t id = 0; id < file.tree().size(); ++id) {
    const Node node = file.tree().node(id);
    if (node.Is(NodeKind::kAssignment) && node.Child(Field::kLeft).text() == "y") {
      return types.Of(node.Child(Field::kRight));
    }
  }
  ADD_FAILURE() << "no y";
  return ValueType::kUnknown;
}

/// Whether the object of the call of `share_memory` in `code` is a new module.
bool IsNewIn(const std::string& code) {
  const ParsedFile file(code, "main.py");
  const NameTable names(file.tree(), "main", false, nullptr);
  const Classes classes(names, nullptr);
  const TensorTypes types(names, classes);
  for (uint32_t id = 0; id < file.tree().size(); ++id) {
    const Node node = file.tree().node(id);
    if (node.Is(NodeKind::kAttribute) && node.Child(Field::kAttribute).text() == "share_memory") {
      return types.IsNewModule(node.Child(Field::kObject));
    }
  }
  ADD_FAILURE() << "no share_memory";
  return false;
}

TEST(TensorTypes, AModuleIsNewUntilItsFunctionSendsItToADevice) {
  EXPECT_TRUE(IsNewIn("model = Net()\nmodel.share_memory()\nmodel.cuda()\n"));
  EXPECT_TRUE(
      IsNewIn("def f(self):\n    self.net = self.cls(3)\n    if self.a:\n        "
              "self.net.share_memory()\n"));
  EXPECT_FALSE(IsNewIn("model = Net()\nmodel.cuda()\nmodel.share_memory()\n"));
  EXPECT_FALSE(IsNewIn("model = Net().to(device)\nmodel.share_memory()\n"));
  EXPECT_FALSE(IsNewIn("def f(model):\n    model.share_memory()\n"));
  EXPECT_FALSE(IsNewIn("model = other\nmodel.share_memory()\n"));
}

TEST(TensorTypes, FunctionsOfTorchGiveTensors) {
  EXPECT_EQ(TypeOfY("import torch as th\ny = th.zeros(3)\n"), ValueType::kTensor);
  EXPECT_EQ(TypeOfY("import torch\ny = torch.zeros(3, dtype=torch.bool)\n"), ValueType::kMask);
  EXPECT_EQ(TypeOfY("import torch\ny = torch.device('cpu')\n"), ValueType::kOther);
  EXPECT_EQ(TypeOfY("import torch\ny = torch.nn.Linear(2, 2)\n"), ValueType::kUnknown);
}

TEST(TensorTypes, ComparisonsOfTensorsAreMasks) {
  EXPECT_EQ(TypeOfY("import torch\nx = torch.zeros(3)\ny = ~(x > 0) & (x == 1)\n"),
            ValueType::kMask);
  EXPECT_EQ(TypeOfY("import torch\nx = torch.zeros(3)\ny = x is None\n"), ValueType::kOther);
  EXPECT_EQ(TypeOfY("import torch\nx = torch.zeros(3)\ny = x.shape[0] > 2\n"), ValueType::kOther);
  EXPECT_EQ(TypeOfY("import torch\nx = torch.zeros(3)\ny = (x > 0).float()\n"), ValueType::kTensor);
}

TEST(TensorTypes, ArraysOfNumpyAreNoTensors) {
  EXPECT_EQ(TypeOfY("import numpy as np\nx = np.zeros(3)\ny = x[x > 0]\n"), ValueType::kOther);
  EXPECT_EQ(TypeOfY("import torch\nx = torch.zeros(3)\ny = x.cpu().numpy()\n"), ValueType::kOther);
}

TEST(TensorTypes, AnnotationsAndUsesOfParametersCount) {
  EXPECT_EQ(TypeOfY("from torch import Tensor\ndef f(x: Tensor):\n    y = x + 1\n"),
            ValueType::kTensor);
  EXPECT_EQ(TypeOfY("def f(x: int):\n    y = x + 1\n"), ValueType::kOther);
  EXPECT_EQ(TypeOfY("def f(x):\n    x.unsqueeze(0)\n    y = x > 0\n"), ValueType::kMask);
  EXPECT_EQ(TypeOfY("def f(x):\n    y = x > 0\n"), ValueType::kUnknown);
}

TEST(TensorTypes, MembersAreWhatTheClassMakesThem) {
  const std::string head = "import torch\nclass A:\n    def __init__(self):\n";
  EXPECT_EQ(
      TypeOfY(head + "        self.x = torch.zeros(3)\n    def f(self):\n        y = self.x\n"),
      ValueType::kTensor);
  EXPECT_EQ(TypeOfY(head + "        self.register_buffer('x', None)\n"
                           "    def f(self):\n        y = self.x\n"),
            ValueType::kTensor);
  EXPECT_EQ(TypeOfY(head + "        self.x = [1]\n    def f(self):\n        y = self.x\n"),
            ValueType::kOther);
}

TEST(TensorTypes, NamesThatDependOnThemselvesEnd) {
  EXPECT_EQ(TypeOfY("import torch\ndef f(x):\n    while x:\n        x = x + z\n        z = x\n"
                    "    y = x\n"),
            ValueType::kUnknown);
}

}  // namespace
}  // namespace transplt
