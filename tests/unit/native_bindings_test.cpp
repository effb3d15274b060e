// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "transplt/native/bindings.h"

namespace transplt {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<std::pair<std::string, std::string>> Bound(const std::string& source) {
  std::vector<std::pair<std::string, std::string>> bound;
  for (const NativeBinding& binding : BindingsIn(source, TokensOf(source))) {
    bound.emplace_back(binding.name, binding.function);
  }
  return bound;
}

TEST(NativeBindings, NameTheFunction) {
  EXPECT_THAT(Bound("PYBIND11_MODULE(x, m) {\n"
                    "  m.def(\"nms\", &detail::nms, \"nms (CUDA)\", py::arg(\"a\"));\n"
                    "  m.def(\"roi\", roi<float>);\n"
                    "  m.def(\"add\", [](int a, int b) { return a + b; });\n}\n"),
              ElementsAre(Pair("nms", "detail::nms"), Pair("roi", "roi"), Pair("add", "")));
}

TEST(NativeBindings, AreThoseOfTorchLibrariesToo) {
  EXPECT_THAT(Bound("TORCH_LIBRARY_IMPL(ops, CUDA, m) { m.impl(\"nms\", TORCH_FN(nms_cuda)); }\n"
                    "TORCH_LIBRARY(ops, m) { m.def(\"ops::nms(Tensor x) -> Tensor\", &nms); }\n"),
              ElementsAre(Pair("nms", "nms_cuda"), Pair("nms", "nms")));
}

}  // namespace
}  // namespace transplt
