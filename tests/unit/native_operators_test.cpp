// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/native_operators.h"

#include <gtest/gtest.h>

namespace transplt {
namespace {

std::vector<std::string> NamesIn(std::string_view source) {
  std::vector<std::string> names;
  for (const NativeOperator& found : NativeOperatorsIn("a.cpp", source)) {
    names.push_back(found.module + "|" + found.name);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(NativeOperators, AreFoundInABlockOfPybind) {
  EXPECT_EQ(NamesIn("PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {\n"
                    "  m.def(\n    \"forward\", &forward, \"help (CUDA)\");\n"
                    "  py::class_<Box>(m, \"Box\").def(\"area\", &Box::area);\n}\n"
                    "void other() { m.def(\"outside\"); }\n"),
            (Names{"|forward", "|Box"}));
}

TEST(NativeOperators, AreFoundInABlockOfTorchLibrary) {
  EXPECT_EQ(NamesIn("TORCH_LIBRARY(mine, lib) {\n"
                    "  lib.def(\"nms(Tensor boxes, float iou=0.5) -> Tensor\");\n"
                    "  lib.class_<Tree>(\"Tree\").def(\"grow\", &Tree::grow);\n}\n"
                    "TORCH_LIBRARY_IMPL(mine, CUDA, m) {\n"
                    "  m.impl(\"mine::nms\", nms);\n"
                    "  m.impl(TORCH_SELECTIVE_NAME(\"mine::roi.out\"), roi);\n"
                    "  m.impl(kName, nms);\n}\n"),
            (Names{"torch.ops.mine|nms", "torch.ops.mine|Tree", "torch.ops.mine|roi"}));
}

TEST(NativeOperators, AreNotThoseInComments) {
  EXPECT_EQ(NamesIn("// PYBIND11_MODULE(a, m) { m.def(\"x\", x); }\n"
                    "PYBIND11_MODULE(b, m) { /* m.def(\"y\", y); */ m.def(\"//z\", z); }"),
            (Names{"b|//z"}));
}

TEST(NativeOperators, AreReadFromAnyBytes) {
  EXPECT_EQ(NamesIn("// \xFF\xFE\nPYBIND11_MODULE(a, m) { m.def(\"f\xE9\", f);"), Names{"a|f\xE9"});
  EXPECT_EQ(NamesIn("PYBIND11_MODULE(a, m) { m.def(\""), Names());
  EXPECT_EQ(NamesIn("PYBIND11_MODULE("), Names());
  EXPECT_EQ(NamesIn("TORCH_LIBRARY(a, m) {" + std::string(1 << 20, ' ') + "m.def(" +
                    std::string(1 << 20, '\n') + "\"f\");" + std::string(1 << 20, '<')),
            Names{"torch.ops.a|f"});
}

}  // namespace
}  // namespace transplt
